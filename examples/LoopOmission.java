import java.util.ArrayList;
import java.util.List;

/**
 * Two rounds, and in each of them both conditions that would have added something are false.
 * Of the jumps that ran, only those two explain why the list stayed empty.
 */
public class LoopOmission {
    public static void main(String[] args) {
        List<String> seen = new ArrayList<>();
        collect(seen, 2, false, false);
        System.out.println(seen.size());
    }

    static void collect(List<String> seen, int rounds, boolean first, boolean second) {
        if (rounds < 0) {
            rounds = 0;
        }
        for (int i = 0; i < rounds; i++) {
            if (first) {
                addFirst(seen);
            } else if (second) {
                addSecond(seen);
            }
        }
    }

    static void addFirst(List<String> seen) {
        seen.add("first");
    }

    static void addSecond(List<String> seen) {
        seen.add("second");
    }
}
