package transit;

import java.util.ArrayList;
import java.util.List;

/** Stops in order, with the minutes between them. */
public class Line {
    private record Leg(Stop stop, int minutes, int waits) {}

    private final String name;
    private final List<Leg> legs = new ArrayList<>();

    public Line(String name, Stop first) {
        this.name = name;
        legs.add(new Leg(first, 0, 0));
    }

    public Line to(Stop stop, int minutes, int waits) {
        legs.add(new Leg(stop, minutes, waits));
        return this;
    }

    /** A trip in every interval, from the first to the last departure, both included. */
    public List<Trip> every(int interval, String first, String last, Days days) {
        List<Trip> trips = new ArrayList<>();
        for (int departs = Clock.minutes(first); departs <= Clock.minutes(last); departs += interval) {
            trips.add(trip(departs, days));
        }
        return trips;
    }

    private Trip trip(int departs, Days days) {
        Trip trip = new Trip(name, days, legs.get(0).stop(), departs);
        for (Leg leg : legs.subList(1, legs.size())) {
            trip.to(leg.stop(), leg.minutes(), leg.waits());
        }
        return trip;
    }
}
