/** Kernel: recursive merge sort over int arrays. Argument: how many times 20,000 numbers are sorted. */
public class MergeSortKernel {
    private static final int SIZE = 20_000;

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        int[] numbers = new int[SIZE];
        int[] scratch = new int[SIZE];
        long checksum = 0;
        int random = 12345;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < SIZE; i++) {
                random = random * 1103515245 + 12345;
                numbers[i] = random >>> 8;
            }
            sort(numbers, scratch, 0, SIZE);
            checksum = checksum * 31 + numbers[0] + numbers[SIZE / 2] + numbers[SIZE - 1];
        }
        System.out.println("MergeSortKernel " + checksum);
    }

    static void sort(int[] a, int[] scratch, int from, int to) {
        if (to - from < 2) return;
        int middle = (from + to) >>> 1;
        sort(a, scratch, from, middle);
        sort(a, scratch, middle, to);
        merge(a, scratch, from, middle, to);
    }

    static void merge(int[] a, int[] scratch, int from, int middle, int to) {
        int left = from;
        int right = middle;
        for (int out = from; out < to; out++) {
            if (right >= to || left < middle && a[left] <= a[right]) scratch[out] = a[left++];
            else scratch[out] = a[right++];
        }
        for (int i = from; i < to; i++) a[i] = scratch[i];
    }
}
