/**
 * Adds up the even or the odd numbers of an array.
 * Expected for {1, 2, 3} and "odd": 4. The loop skips the first element.
 */
public class SumNumbers {
    public static void main(String[] args) {
        System.out.println(sumNumbers(new int[] {1, 2, 3}, "odd"));
    }

    static int sumNumbers(int[] numbers, String which) {
        int total = 0;
        int at = 1; // defect: the first element has index 0
        while (at < numbers.length) {
            if (which.equals("even") && isEven(numbers[at])) {
                total = add(total, numbers[at]);
            }
            if (which.equals("odd") && !isEven(numbers[at])) {
                total = add(total, numbers[at]);
            }
            at++;
        }
        return total;
    }

    static boolean isEven(int number) {
        return number % 2 == 0;
    }

    static int add(int a, int b) {
        return a + b;
    }
}
