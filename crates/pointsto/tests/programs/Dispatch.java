/** Which method a call reaches: overriding, interfaces, default methods, super, private, constructors, initialisers. */
class Dispatch {
    interface Shape {
        Object area();

        default Object name() {
            return new Object(); // unreached
        }
    }

    interface Round extends Shape {
        default Object name() {
            return new Object(); // @R
        }
    }

    static class Circle implements Round {
        public Object area() {
            return new Object(); // @C
        }
    }

    static class Square implements Shape {
        public Object area() {
            return new Object(); // @S
        }

        public Object name() {
            return helper();
        }

        private Object helper() {
            return new Object(); // @P
        }
    }

    static class Cube extends Square {
        public Object area() {
            return super.area(); // calls Dispatch$Square.area
        }
    }

    /** Never made: its method is never called. */
    static class Hexagon implements Shape {
        public Object area() {
            return new Object(); // unreached
        }
    }

    static class Lazy {
        static Object value = make();

        static Object make() {
            return new Object(); // @L
        }
    }

    static void use(Object o) {}

    public static void main(String[] args) {
        Shape c = new Circle();
        use(c.area()); // = C
        c.area(); // calls Dispatch$Circle.area
        c.name(); // calls Dispatch$Round.name
        use(c.name()); // = R
        Shape s = new Square();
        use(s.name()); // = P
        Shape either = args.length > 0 ? c : s;
        either.area(); // calls Dispatch$Circle.area Dispatch$Square.area
        Shape cube = new Cube();
        cube.area(); // calls Dispatch$Cube.area
        use(cube.area()); // = S
        use(Lazy.value); // = L
        new Dispatch().toString(); // calls java/lang/Object.toString
        int[] array = new int[1];
        array.hashCode(); // calls java/lang/Object.hashCode
    }
}
