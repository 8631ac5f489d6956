package transit;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Hops that follow each other. */
public class Journey {
    private final List<Hop> hops;

    Journey(List<Hop> hops) {
        this.hops = List.copyOf(hops);
    }

    public int departs() {
        return hops.get(0).departs();
    }

    public int arrives() {
        return hops.get(hops.size() - 1).arrives();
    }

    public int minutes() {
        return arrives() - departs();
    }

    /** How often one changes from one trip to another. */
    public int changes() {
        int changes = 0;
        for (int i = 1; i < hops.size(); i++) {
            if (hops.get(i).trip() != hops.get(i - 1).trip()) {
                changes++;
            }
        }
        return changes;
    }

    public Set<Integer> zones() {
        Set<Integer> zones = new LinkedHashSet<>();
        zones.add(hops.get(0).from().zone());
        for (Hop hop : hops) {
            zones.add(hop.to().zone());
        }
        return zones;
    }

    /** Each trip once, from where one gets on to where one gets off. */
    public List<String> describe() {
        List<String> parts = new ArrayList<>();
        Hop on = hops.get(0);
        for (int i = 0; i < hops.size(); i++) {
            Hop hop = hops.get(i);
            if (hop.trip() != on.trip()) {
                on = hop;
            }
            boolean off = i + 1 == hops.size() || hops.get(i + 1).trip() != hop.trip();
            if (off) {
                parts.add(on.trip().line() + " " + on.from() + " " + Clock.text(on.departs())
                        + " - " + hop.to() + " " + Clock.text(hop.arrives()));
            }
        }
        return parts;
    }
}
