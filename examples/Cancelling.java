/**
 * Two wrongs that make a right: g adds one too much, h one too little, so g and h together
 * do what they should, and the wrong result of f is the fault of f alone.
 *
 * <p>Meant: g adds 2, h adds 1, f adds 1. Expected: 2. Prints 1.
 */
public class Cancelling {
    static int x;

    public static void main(String[] args) {
        x = 1;
        f();
        System.out.println(x);
    }

    static void f() {
        g();
        h();
        x -= 3; // defect: has to take away 2
    }

    static void g() {
        x += 3; // defect: has to add 2
    }

    static void h() {
        x += 0; // defect: has to add 1
    }
}
