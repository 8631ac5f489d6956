import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Through the JDK: collections, threads, enums, boxes, clone, call-backs. */
class Library {
    enum Colour { RED, GREEN }

    static class Apple {}

    static class Pear implements Cloneable, Comparable<Pear> {
        Apple inside;

        public int compareTo(Pear other) {
            use(other); // = P
            return 0;
        }

        Pear copy() throws CloneNotSupportedException {
            return (Pear) clone();
        }
    }

    static class Worker extends Thread {
        Apple given;

        public void run() {
            use(given); // = W
        }
    }

    static Apple made;

    static void use(Object o) {}

    public static void main(String[] args) throws Exception {
        List<Apple> list = new ArrayList<>();
        list.add(new Apple()); // @A
        Apple first = list.get(0);
        use(first); // ⊇ A
        for (Iterator<Apple> i = list.iterator(); i.hasNext();) {
            use(i.next()); // ⊇ A
        }
        Map<String, Pear> map = new HashMap<>();
        Pear pear = new Pear(); // @P
        map.put("x", pear);
        Pear got = map.get("x");
        use(got); // = P
        map.get("x").compareTo(null); // calls Library$Pear.compareTo
        java.util.Arrays.sort(new Pear[] {pear, pear});
        pear.inside = new Apple(); // @Q
        use(pear.copy().inside); // = Q
        Worker worker = new Worker(); // @V
        worker.given = new Apple(); // @W
        worker.start();
        Runnable task = () -> made = new Apple(); // @T
        new Thread(task).start();
        use(made); // = T
        use(Colour.valueOf("RED")); // = Library$Colour
        Colour colour = Enum.valueOf(Colour.class, "RED");
        use(colour); // = Library$Colour
        AtomicReference<Apple> cell = new AtomicReference<>();
        cell.compareAndSet(null, new Apple()); // @X
        use(cell.get()); // ⊇ X
        ConcurrentHashMap<String, Apple> shared = new ConcurrentHashMap<>();
        shared.put("y", new Apple()); // @Y
        use(shared.get("y")); // ⊇ Y
        list.forEach(a -> use(a));
        System.out.println(new Object() {
            public String toString() {
                return "shown"; // reached
            }
        });
        StringBuilder text = new StringBuilder(); // @B
        use(text.append("a").append(1)); // = B
        use(new StringBuilder().append(text).toString()); // = java/lang/String
        use(Integer.valueOf(args.length)); // ⊇ java/lang/Integer
    }
}
