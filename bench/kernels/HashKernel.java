/** Kernel: an own hash table with chains, its keys built by StringBuilder. Argument: rounds of 5,000 keys. */
public class HashKernel {
    private static final int KEYS = 5_000;

    static final class Entry {
        final String key;
        int value;
        Entry next;

        Entry(String key, int value, Entry next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }

    static final class Table {
        private Entry[] buckets = new Entry[16];
        private int size;

        void add(String key, int by) {
            int at = bucket(key, buckets.length);
            for (Entry e = buckets[at]; e != null; e = e.next) {
                if (e.key.equals(key)) {
                    e.value += by;
                    return;
                }
            }
            buckets[at] = new Entry(key, by, buckets[at]);
            if (++size > buckets.length) grow();
        }

        private void grow() {
            Entry[] old = buckets;
            buckets = new Entry[old.length * 2];
            for (Entry chain : old) {
                while (chain != null) {
                    Entry next = chain.next;
                    int at = bucket(chain.key, buckets.length);
                    chain.next = buckets[at];
                    buckets[at] = chain;
                    chain = next;
                }
            }
        }

        private static int bucket(String key, int buckets) {
            int hash = 0;
            for (int i = 0; i < key.length(); i++) hash = 31 * hash + key.charAt(i);
            return (hash ^ hash >>> 15) & buckets - 1;
        }

        long sum() {
            long sum = 0;
            for (Entry chain : buckets) {
                for (Entry e = chain; e != null; e = e.next) sum += e.value * (long) e.key.length();
            }
            return sum;
        }
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        long checksum = 0;
        for (int round = 0; round < rounds; round++) {
            Table table = new Table();
            for (int i = 0; i < KEYS; i++) table.add(key(i * 7 % 3001, round), i);
            checksum = checksum * 31 + table.sum() + table.size;
        }
        System.out.println("HashKernel " + checksum);
    }

    static String key(int n, int round) {
        StringBuilder key = new StringBuilder("key-");
        key.append(n).append('/');
        for (int bits = n; bits > 0; bits >>= 3) key.append((char) ('a' + (bits & 7)));
        return key.append(round & 3).toString();
    }
}
