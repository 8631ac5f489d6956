package transit;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All stops and trips. */
public class Timetable {
    private final Map<String, Stop> stops = new LinkedHashMap<>();
    private final List<Trip> trips = new ArrayList<>();
    private final Map<LocalDate, List<Hop>> hopsByDay = new HashMap<>();

    public Stop stop(String name, int zone, int changeMinutes) {
        Stop stop = new Stop(name, zone, changeMinutes);
        stops.put(name, stop);
        return stop;
    }

    public Stop stop(String name) {
        Stop stop = stops.get(name);
        if (stop == null) {
            throw new IllegalArgumentException("no such stop: " + name);
        }
        return stop;
    }

    public void add(List<Trip> more) {
        trips.addAll(more);
        hopsByDay.clear();
    }

    /** All hops of a day by departure; the same list again when it is asked for again. */
    List<Hop> hopsOn(LocalDate day) {
        return hopsByDay.computeIfAbsent(day, this::collect);
    }

    private List<Hop> collect(LocalDate day) {
        List<Hop> hops = new ArrayList<>();
        for (Trip trip : trips) {
            if (trip.runsOn(day)) {
                hops.addAll(trip.hops());
            }
        }
        hops.sort(Comparator.comparingInt(Hop::departs).thenComparingInt(Hop::arrives));
        return hops;
    }

    /** What leaves a stop from a moment on, at most so many. */
    public List<Hop> departures(Stop stop, LocalDate day, String from, int limit) {
        List<Hop> found = new ArrayList<>();
        for (Hop hop : hopsOn(day)) {
            if (hop.from().equals(stop) && hop.departs() >= Clock.minutes(from) && found.size() < limit) {
                found.add(hop);
            }
        }
        return found;
    }
}
