import java.util.function.Function;
import java.util.function.Supplier;

/** Lambdas and references to methods: what they capture, get and give. */
class Lambdas {
    Object kept;

    Lambdas() {}

    Lambdas(Object kept) {
        this.kept = kept;
    }

    Object own() {
        return kept;
    }

    static Object pass(Object o) {
        use(o); // = A
        return o;
    }

    static void use(Object o) {}

    record Pair(Object left, Object right) {}

    interface Twice {
        Object go(Object x);

        default Object both(Object x) {
            return go(go(x));
        }
    }

    public static void main(String[] args) {
        Object a = new Object(); // @A
        Supplier<Object> captured = () -> a; // @S
        use(captured); // = S
        use(captured.get()); // = A
        captured.get(); // calls Lambdas.lambda$main$0
        Function<Object, Object> reference = Lambdas::pass;
        reference.apply(a); // calls Lambdas.pass
        use(reference.apply(a)); // = A
        Supplier<Lambdas> constructor = Lambdas::new; // @M
        use(constructor.get()); // = M
        Function<Object, Lambdas> filled = Lambdas::new;
        use(filled.apply(a).own()); // = A
        Lambdas bound = new Lambdas(a);
        Supplier<Object> receiver = bound::own;
        use(receiver.get()); // = A
        Function<Lambdas, Object> unbound = Lambdas::own;
        unbound.apply(bound); // calls Lambdas.own
        Twice twice = x -> x;
        use(twice.both(a)); // = A
        Function<Integer, Object> boxed = Lambdas::digit;
        use(boxed.apply(3)); // = java/lang/Integer
        String text = "a" + args.length + a;
        use(text); // = java/lang/String
        Pair pair = new Pair(a, text);
        use(pair.left()); // = A
        use(pair.toString()); // = java/lang/String
    }

    static int digit(int n) {
        return n;
    }
}
