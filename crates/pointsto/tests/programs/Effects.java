import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that change an object, and calls that look at it. */
public class Effects {
    public static void main(String[] args) {
        arrayList();
        linkedList();
        maps();
        treeMap();
        linkedMap();
        sets();
        queues();
        builder();
        arrays();
        concurrent();
        own();
        through();
    }

    static void arrayList() {
        List<String> list = new ArrayList<>(); // @list
        list.add("a"); // writes list
        list.add(0, "b"); // writes list
        list.addAll(Arrays.asList("c")); // writes list
        list.set(0, "d"); // writes list
        list.remove(0); // writes list
        list.remove("a"); // writes list
        list.removeIf(s -> s.isEmpty()); // writes list
        list.replaceAll(s -> s + s); // writes list
        list.sort(null); // writes list
        list.clear(); // writes list
        Collections.sort(list); // writes list
        Collections.addAll(list, "x", "y"); // writes list
        Collections.reverse(list); // writes list
        list.size(); // reads list
        list.get(0); // reads list
        list.contains("a"); // reads list
        list.indexOf("a"); // reads list
        list.isEmpty(); // reads list
        list.iterator(); // reads list
        list.listIterator(); // reads list
        list.toString(); // reads list
        list.hashCode(); // reads list
        list.equals(new LinkedList<String>(List.of("q"))); // reads list
        list.stream(); // reads list
        list.toArray(); // reads list
        list.subList(0, 0); // reads list
        list.forEach(s -> {}); // reads list
        Iterator<String> each = list.iterator();
        each.next(); // reads list
        each.remove(); // writes list
        new ArrayList<>(list); // reads list
        Collections.unmodifiableList(list); // reads list
        String.valueOf(list); // reads list
        System.out.println(list); // reads list
    }

    static void linkedList() {
        LinkedList<String> linked = new LinkedList<>(); // @linked
        linked.add("a"); // writes linked
        linked.addFirst("a"); // writes linked
        linked.set(0, "b"); // writes linked
        linked.poll(); // writes linked
        linked.remove("a"); // writes linked
        linked.clear(); // writes linked
        linked.size(); // reads linked
        linked.get(0); // reads linked
        linked.peek(); // reads linked
        linked.contains("a"); // reads linked
        linked.iterator(); // reads linked
        linked.toString(); // reads linked
        linked.equals(linked); // reads linked
    }

    static void maps() {
        Map<String, Object> map = new HashMap<>(); // @map
        map.put("a", 1); // writes map
        map.putAll(new TreeMap<>(Map.of("b", 2))); // writes map
        map.putIfAbsent("a", 1); // writes map
        map.computeIfAbsent("a", k -> k); // writes map
        map.merge("a", 1, (a, b) -> b); // writes map
        map.remove("a"); // writes map
        map.clear(); // writes map
        map.get("a"); // reads map
        map.getOrDefault("a", 2); // reads map
        map.containsKey("a"); // reads map
        map.containsValue("a"); // reads map
        map.size(); // reads map
        map.isEmpty(); // reads map
        map.entrySet(); // reads map
        map.keySet(); // reads map
        map.values(); // reads map
        map.toString(); // reads map
        map.hashCode(); // reads map
        map.equals(Map.of()); // reads map
        map.forEach((a, b) -> {}); // reads map
        map.keySet().contains("a"); // reads map
        map.keySet().remove("a"); // writes map
        map.values().clear(); // writes map
        new HashMap<>(map); // reads map
    }

    static void treeMap() {
        TreeMap<String, Integer> tree = new TreeMap<>(); // @tree
        tree.put("a", 1); // writes tree
        tree.remove("a"); // writes tree
        tree.pollFirstEntry(); // writes tree
        tree.clear(); // writes tree
        tree.get("a"); // reads tree
        tree.containsKey("a"); // reads tree
        tree.firstKey(); // reads tree
        tree.floorKey("a"); // reads tree
        tree.entrySet(); // reads tree
        tree.keySet(); // reads tree
        tree.values(); // reads tree
        tree.navigableKeySet(); // reads tree
        tree.descendingMap(); // reads tree
        tree.size(); // reads tree
        tree.toString(); // reads tree
    }

    static void linkedMap() {
        LinkedHashMap<String, Integer> ordered = new LinkedHashMap<>(); // @ordered
        ordered.put("a", 1); // writes ordered
        ordered.remove("a"); // writes ordered
        ordered.get("a"); // reads ordered
        ordered.containsKey("a"); // reads ordered
        ordered.keySet(); // reads ordered
        ordered.entrySet(); // reads ordered
    }

    static void sets() {
        HashSet<String> set = new HashSet<>(); // @set
        set.add("a"); // writes set
        set.remove("a"); // writes set
        set.retainAll(List.of("a")); // writes set
        set.clear(); // writes set
        set.contains("a"); // reads set
        set.size(); // reads set
        set.isEmpty(); // reads set
        set.iterator(); // reads set
        set.toString(); // reads set
        set.containsAll(List.of("a")); // reads set
        TreeSet<String> sorted = new TreeSet<>(); // @sorted
        sorted.add("a"); // writes sorted
        sorted.pollFirst(); // writes sorted
        sorted.contains("a"); // reads sorted
        sorted.first(); // reads sorted
        LinkedHashSet<String> kept = new LinkedHashSet<>(); // @kept
        kept.add("a"); // writes kept
        kept.contains("a"); // reads kept
    }

    static void queues() {
        PriorityQueue<String> queue = new PriorityQueue<>(); // @queue
        queue.add("a"); // writes queue
        queue.offer("a"); // writes queue
        queue.poll(); // writes queue
        queue.remove("a"); // writes queue
        queue.peek(); // reads queue
        queue.contains("a"); // reads queue
        queue.size(); // reads queue
        queue.toString(); // reads queue
        ArrayDeque<String> deque = new ArrayDeque<>(); // @deque
        deque.push("a"); // writes deque
        deque.addLast("a"); // writes deque
        deque.pop(); // writes deque
        deque.poll(); // writes deque
        deque.peek(); // reads deque
        deque.contains("a"); // reads deque
        deque.isEmpty(); // reads deque
        deque.iterator(); // reads deque
    }

    static void builder() {
        StringBuilder text = new StringBuilder(); // @text
        text.append("a"); // writes text
        text.append(1); // writes text
        text.insert(0, 'b'); // writes text
        text.setLength(0); // writes text
        text.reverse(); // writes text
        text.deleteCharAt(0); // writes text
        text.toString(); // reads text
        text.length(); // reads text
        text.charAt(0); // reads text
        text.indexOf("a"); // reads text
        String.valueOf(text); // reads text
    }

    static void arrays() {
        int[] numbers = new int[3]; // @numbers
        Arrays.fill(numbers, 1); // writes numbers
        Arrays.sort(numbers); // writes numbers
        Arrays.toString(numbers); // reads numbers
        Arrays.stream(numbers); // reads numbers
        Arrays.copyOf(numbers, 5); // reads numbers
        Arrays.equals(numbers, numbers); // reads numbers
        numbers.clone(); // reads numbers
        String[] words = new String[3]; // @words
        Arrays.fill(words, "a"); // writes words
        Arrays.sort(words); // writes words
        System.arraycopy(new String[] {"a"}, 0, words, 0, 1); // writes words
        Arrays.asList(words); // reads words
        List.of(words); // reads words
        Arrays.hashCode(words); // reads words
        String[] source = new String[3]; // @source
        System.arraycopy(source, 0, words, 0, 1); // reads source
    }

    static void concurrent() {
        ConcurrentHashMap<String, Integer> shared = new ConcurrentHashMap<>(); // @shared
        shared.put("a", 1); // writes shared
        shared.putIfAbsent("a", 1); // writes shared
        shared.remove("a"); // writes shared
        shared.get("a"); // reads shared
        shared.containsKey("a"); // reads shared
        shared.size(); // reads shared
        AtomicInteger count = new AtomicInteger(); // @count
        count.set(1); // writes count
        count.incrementAndGet(); // writes count
        count.compareAndSet(1, 2); // writes count
        count.updateAndGet(n -> n + 1); // writes count
        count.get(); // reads count
        count.intValue(); // reads count
        count.toString(); // reads count
        AtomicBoolean flag = new AtomicBoolean(); // @flag
        flag.set(true); // writes flag
        flag.compareAndSet(true, false); // writes flag
        flag.get(); // reads flag
    }

    static class Account {
        int balance;
        List<Integer> entries = new ArrayList<>();
        Account next;

        void pay(int amount) {
            note(amount);
        }

        private void note(int amount) {
            entries.add(amount);
        }

        void set(int amount) {
            balance = amount;
        }

        int balance() {
            return balance;
        }

        boolean isRich() {
            return balance() > entries.size();
        }

        void copyTo(Account other) {
            other.balance = balance;
        }
    }

    static void own() {
        Account account = new Account(); // @account
        Account another = new Account(); // @another
        account.set(1); // writes account
        account.pay(1); // writes account
        account.balance(); // reads account
        account.isRich(); // reads account
        account.toString(); // reads account
        account.copyTo(another); // reads account
        another.copyTo(account); // writes account
    }

    static void through() {
        List<Account> bank = new ArrayList<>(); // @bank
        Account client = new Account(); // @client
        bank.add(client); // writes bank
        bank.add(client); // reads client
        fill(bank); // writes bank
        sum(bank); // reads bank
        handOn(bank, 3); // writes bank
        payAll(bank); // reads bank
        wrap(bank); // reads bank
        bank.forEach(one -> one.set(2)); // reads bank
    }

    static void fill(Collection<Account> to) {
        to.add(new Account());
    }

    static int sum(List<Account> from) {
        int sum = 0;
        for (Account one : from) sum += one.balance();
        return sum;
    }

    static void handOn(List<Account> to, int n) {
        if (n == 0) fill(to);
        else handOn(to, n - 1);
    }

    static void payAll(List<Account> from) {
        for (Account one : from) one.set(1);
    }

    static List<List<Account>> wrap(List<Account> inner) {
        List<List<Account>> outer = new ArrayList<>();
        outer.add(inner);
        return outer;
    }
}
