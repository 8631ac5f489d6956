package shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the tests of the generated suite test: small objects, a sort of its own, maps, and a total with a discount. */
public final class Ledger {
    /** Shared by all tests: whoever looks at one test sees objects that another one had made. */
    static final Map<String, Integer> PRICES = new HashMap<>();
    static int ledgers;

    static {
        for (int i = 0; i < 64; i++) PRICES.put("item" + i, 3 + i * 7 % 50);
    }

    private final List<Entry> entries = new ArrayList<>();
    private int balance;

    public Ledger() {
        ledgers++;
    }

    static final class Entry {
        final String item;
        final int count;
        int amount;

        Entry(String item, int count) {
            this.item = item;
            this.count = count;
        }

        void price() {
            amount = PRICES.get(item) * count;
        }
    }

    public void add(String item, int count) {
        Entry entry = new Entry(item, count);
        entry.price();
        entries.add(entry);
        balance = balance + entry.amount;
    }

    /** Ten and more of an item are cheaper. */
    public int total() {
        int sum = 0;
        for (Entry entry : entries) sum += discounted(entry);
        return sum;
    }

    private static int discounted(Entry entry) {
        // Wrong: ten are cheaper too.
        return entry.count > 10 ? entry.amount - entry.amount / 10 : entry.amount;
    }

    public int balance() {
        return balance;
    }

    /** The same numbers in order: insertion sort, in pieces that are merged. */
    public static int[] sorted(int[] numbers) {
        if (numbers.length < 2) return numbers;
        int middle = numbers.length / 2;
        int[] left = new int[middle];
        int[] right = new int[numbers.length - middle];
        for (int i = 0; i < numbers.length; i++) {
            if (i < middle) left[i] = numbers[i];
            else right[i - middle] = numbers[i];
        }
        return merged(sorted(left), sorted(right));
    }

    private static int[] merged(int[] left, int[] right) {
        int[] all = new int[left.length + right.length];
        int l = 0, r = 0;
        for (int i = 0; i < all.length; i++) {
            boolean takesLeft = r == right.length || l < left.length && left[l] <= right[r];
            all[i] = takesLeft ? left[l++] : right[r++];
        }
        return all;
    }

    public static int checksum(int seed, int rounds) {
        int sum = seed;
        for (int i = 0; i < rounds; i++) {
            sum = sum * 31 + (i ^ sum >>> 7);
            if ((sum & 15) == 0) sum += i;
        }
        return sum;
    }
}
