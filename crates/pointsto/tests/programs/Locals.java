/** Variables: a reused slot is two variables, joins are both, loops come around. */
class Locals {
    static void use(Object o) {}

    public static void main(String[] args) {
        {
            Object a = new Object(); // @A
            use(a); // = A
        }
        {
            Object b = new Object(); // @B
            use(b); // = B
        }
        Object either;
        if (args.length > 1) {
            either = new Object(); // @C
        } else {
            either = new StringBuilder(); // @D
        }
        use(either); // = C D
        Object chain = new Object(); // @E
        for (int i = 0; i < args.length; i++) {
            use(chain); // = E F
            chain = new Object(); // @F
        }
        Object nothing = null;
        use(nothing); // =
        Object cast = args.length > 2 ? new int[1] : new Locals(); // @G
        use((Locals) cast); // = G
        use(args); // = [Ljava/lang/String;
        use(identity(either)); // = C D
        use(identity(new Object[0])); // = [Ljava/lang/Object;
        use(first(chain, null)); // = C D E F
        first(either, null);
    }

    /** Only gives back what it got: callers are not mixed up. */
    static Object identity(Object o) {
        return o;
    }

    static Object first(Object a, Object b) {
        Object result = b;
        if (a instanceof Locals || a.hashCode() > 0 && !(a instanceof StringBuilder)) {
            result = a;
        }
        return result instanceof StringBuilder ? null : result; // all that comes in, whatever was tested
    }
}
