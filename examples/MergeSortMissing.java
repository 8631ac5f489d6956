import java.util.Arrays;

/**
 * Recursive merge sort that builds new arrays all the way.
 * Expected for {3, 1, 2}: [1, 2, 3]. One increment is missing in merge,
 * so a smaller element of the left part is overwritten by its successor.
 */
public class MergeSortMissing {
    public static void main(String[] args) {
        int[] sorted = sort(new int[] {3, 1, 2});
        System.out.println(Arrays.toString(sorted));
    }

    static int[] sort(int[] items) {
        if (items.length < 2) return items;
        int middle = (items.length + 1) / 2;
        int[] left = new int[middle];
        int[] right = new int[items.length - middle];
        for (int i = 0; i < items.length; i++) {
            if (i < middle) left[i] = items[i];
            else right[i - middle] = items[i];
        }
        return merge(sort(left), sort(right));
    }

    /** Merges two sorted arrays; each element that was used is dropped from its array. */
    static int[] merge(int[] left, int[] right) {
        int[] merged = new int[left.length + right.length];
        int next = 0;
        while (left.length > 0 && right.length > 0) {
            if (left[0] < right[0]) {
                merged[next] = left[0]; // defect: next is not moved on
                left = delete(left);
            } else {
                merged[next++] = right[0];
                right = delete(right);
            }
        }
        while (left.length > 0) {
            merged[next++] = left[0];
            left = delete(left);
        }
        while (right.length > 0) {
            merged[next++] = right[0];
            right = delete(right);
        }
        return merged;
    }

    /** The array without its first element. */
    static int[] delete(int[] items) {
        int[] rest = new int[items.length - 1];
        for (int i = 0; i < rest.length; i++) rest[i] = items[i + 1];
        return rest;
    }
}
