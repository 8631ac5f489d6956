/** What only the run can tell. */
class Reflecting {
    static void use(Object o) {}

    static void secret(Object o) {}

    public static void main(String[] args) throws Exception {
        Object made = Class.forName(args[0]).getDeclaredConstructor().newInstance();
        use(made);
        Reflecting.class.getDeclaredMethod(args[1], Object.class).invoke(null, made);
    }
}
