import java.util.Arrays;

/**
 * Bottom-up merge sort with two helper arrays; lengths are powers of two.
 * Expected for [4, 9, 1, 7]: [1, 4, 7, 9]. One loop of merge counts the wrong index.
 */
public class BottomUpMergeSort {
    public static void main(String[] args) {
        int[] a = {4, 9, 1, 7};
        sort(a);
        System.out.println(Arrays.toString(a));
    }

    static void sort(int[] a) {
        int[] even = new int[a.length];
        int[] odd = new int[a.length];
        for (int run = 1; run < a.length; run *= 2) {
            distribute(a, even, odd, run);
            for (int from = 0; from < a.length / 2; from += run) {
                merge(even, odd, from, from + run, a);
            }
        }
    }

    /** Deals the runs of a out to the two helpers in turn. */
    static void distribute(int[] a, int[] even, int[] odd, int run) {
        int next = 0;
        for (int from = 0; from < a.length / 2; from += run) {
            for (int i = from; i < from + run; i++) even[i] = a[next++];
            for (int i = from; i < from + run; i++) odd[i] = a[next++];
        }
    }

    /** Merges left[from, to) and right[from, to) into a, starting at 2 * from. */
    static void merge(int[] left, int[] right, int from, int to, int[] a) {
        int l = from;
        int r = from;
        int out = 2 * from;
        while (l < to && r < to) {
            if (left[l] < right[r]) a[out++] = left[l++];
            else a[out++] = right[r++];
        }
        while (l < to) {
            a[r++] = left[l++]; // defect: out has to count here, not r
        }
        while (r < to) {
            a[out++] = right[r++];
        }
    }
}
