package small;

/** What ant compiles and starts. */
public class Main {
    public static void main(String[] args) {
        StringBuilder text = new StringBuilder();
        for (String arg : args) text.append(Greeting.of(arg)).append(' ');
        System.out.println(text.toString().trim());
    }
}
