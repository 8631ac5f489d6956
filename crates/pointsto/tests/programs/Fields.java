/** Fields of each object by themselves, statics, arrays by their elements. */
class Fields {
    Object held;
    Fields next;
    static Object shared;

    static void use(Object o) {}

    public static void main(String[] args) {
        Fields a = new Fields(); // @A
        Fields b = new Fields(); // @B
        a.held = new Object(); // @C
        b.held = new Object(); // @D
        use(a.held); // = C E
        use(b.held); // = D E
        a.next = b;
        use(a.next.held); // = D E
        Fields either = args.length == 0 ? a : b;
        either.held = new Object(); // @E
        use(a.held); // = C E
        use(either.held); // = C D E
        shared = new Object(); // @F
        use(shared); // = F
        Object[] x = new Object[1]; // @X
        Object[] y = new Object[1]; // @Y
        x[0] = new Object(); // @G
        use(x[0]); // = G
        System.arraycopy(x, 0, y, 0, 1);
        use(y[0]); // = G
        use(x.clone()[0]); // = G
        Object[][] grid = new Object[2][3]; // @H
        use(grid); // = H
        use(grid[0]); // = H
        grid[0][0] = new Object(); // @I
        use(grid[1][2]); // = I
        int[] numbers = new int[3]; // @J
        use(numbers); // = J
        Integer[] few = java.util.Arrays.copyOf(new Integer[0], 2); // @K
        use(few); // = [?
    }
}
