package transit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a journey costs, in cents: by the number of zones, less for children and with a card, at most a day ticket for groups. */
public class Fares {
    private static final int DAY_TICKET = 1_690;
    private static final int GROUP = 5;
    private final int[] byZones = {240, 330, 480, 690};
    private final Map<String, Integer> known = new HashMap<>();

    public int single(Journey journey, Passenger passenger) {
        String key = journey.zones() + "/" + passenger.age() + "/" + passenger.hasCard();
        return known.computeIfAbsent(key, unknown -> compute(journey, passenger));
    }

    private int compute(Journey journey, Passenger passenger) {
        if (passenger.isInfant()) {
            return 0;
        }
        int full = byZones[Math.min(journey.zones().size(), byZones.length) - 1];
        if (passenger.isChild()) {
            return half(full);
        }
        return passenger.hasCard() ? toTens(full * 3 / 4) : full;
    }

    /** Of everybody: the dearest five may travel with one day ticket. */
    public int group(Journey journey, List<Passenger> passengers) {
        List<Integer> fares = new ArrayList<>();
        for (Passenger passenger : passengers) {
            fares.add(single(journey, passenger));
        }
        fares.sort((a, b) -> b - a);
        int covered = sum(fares.subList(0, Math.min(GROUP, fares.size())));
        int rest = sum(fares.subList(Math.min(GROUP, fares.size()), fares.size()));
        return Math.min(covered, DAY_TICKET) + rest;
    }

    private static int half(int full) {
        return toTens((full + 1) / 2);
    }

    /** Fares end in a zero; half way is rounded up. */
    private static int toTens(int cents) {
        return (cents + 5) / 10 * 10;
    }

    private static int sum(List<Integer> fares) {
        int sum = 0;
        for (int fare : fares) {
            sum += fare;
        }
        return sum;
    }
}
