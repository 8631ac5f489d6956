package small;

final class Greeting {
    private Greeting() {}

    static String of(String whom) {
        return "greetings " + whom;
    }
}
