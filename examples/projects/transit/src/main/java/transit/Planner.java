package transit;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the journey that arrives first, by one pass over the day's hops. */
public class Planner {
    private final Timetable timetable;

    public Planner(Timetable timetable) {
        this.timetable = timetable;
    }

    /** Null if one cannot get there on that day. */
    public Journey earliest(Stop from, Stop to, LocalDate day, String departure) {
        Map<Stop, Integer> ready = new HashMap<>();
        Map<Stop, Integer> arrival = new HashMap<>();
        Map<Stop, Hop> reachedBy = new HashMap<>();
        Set<Trip> aboard = new HashSet<>();
        Map<Trip, Hop> boarded = new HashMap<>();
        ready.put(from, Clock.minutes(departure));
        for (Hop hop : timetable.hopsOn(day)) {
            if (!aboard.contains(hop.trip()) && !canBoard(hop, ready)) {
                continue;
            }
            if (aboard.add(hop.trip())) {
                boarded.put(hop.trip(), hop);
            }
            Integer known = arrival.get(hop.to());
            if (!hop.to().equals(from) && (known == null || hop.arrives() < known)) {
                arrival.put(hop.to(), hop.arrives());
                ready.put(hop.to(), hop.arrives() + hop.to().changeMinutes());
                reachedBy.put(hop.to(), hop);
            }
        }
        return reachedBy.containsKey(to) ? journey(from, to, reachedBy, boarded) : null;
    }

    private boolean canBoard(Hop hop, Map<Stop, Integer> ready) {
        Integer from = ready.get(hop.from());
        return from != null && from <= hop.departs();
    }

    /** Goes back from the last stop: with each trip to where it was boarded. */
    private Journey journey(Stop from, Stop to, Map<Stop, Hop> reachedBy, Map<Trip, Hop> boarded) {
        List<Hop> hops = new ArrayList<>();
        Stop at = to;
        while (!at.equals(from)) {
            Hop last = reachedBy.get(at);
            Hop first = boarded.get(last.trip());
            List<Hop> ridden = last.trip().hops();
            for (int i = ridden.indexOf(last); i >= ridden.indexOf(first); i--) {
                hops.add(ridden.get(i));
            }
            at = first.from();
        }
        Collections.reverse(hops);
        return new Journey(hops);
    }
}
