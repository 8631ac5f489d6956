/** Exceptions: to the handlers around, then to the callers. */
class Throwing {
    static class Low extends Exception {}

    static class High extends RuntimeException {}

    static void use(Object o) {}

    static void low() throws Low {
        throw new Low(); // @L
    }

    static void through() throws Low {
        low();
    }

    static void high() {
        throw new High(); // @H
    }

    static void caughtHere() {
        try {
            high();
        } catch (High e) {
            use(e); // = H
        }
    }

    static void swallowed() {
        try {
            through();
        } catch (Throwable t) {
            return;
        }
    }

    public static void main(String[] args) {
        try {
            through();
        } catch (Low e) {
            use(e); // = L
        }
        try {
            if (args.length > 0) {
                through();
            }
            high();
        } catch (Low | High e) {
            use(e); // = L H
        }
        try {
            caughtHere();
            swallowed();
        } catch (Low2 e) {
            use(e); // =
        }
        try {
            use(args[7].length() / 0);
        } catch (ArithmeticException e) {
            use(e); // = java/lang/ArithmeticException
        }
        try {
            Low kept = new Low(); // @K
            throw kept;
        } catch (Exception e) {
            use((Low) e); // = K
        }
    }

    static class Low2 extends RuntimeException {}
}
