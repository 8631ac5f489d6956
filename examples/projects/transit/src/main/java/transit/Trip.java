package transit;

import java.util.ArrayList;
import java.util.List;

/** One train on its way. */
public class Trip {
    private final String line;
    private final Days days;
    private final List<Hop> hops = new ArrayList<>();
    private Stop lastStop;
    private int lastDeparture;

    Trip(String line, Days days, Stop first, int departs) {
        this.line = line;
        this.days = days;
        this.lastStop = first;
        this.lastDeparture = departs;
    }

    /** Goes on to a stop and leaves it after some minutes. */
    Trip to(Stop stop, int minutes, int waits) {
        int arrives = lastDeparture + minutes;
        hops.add(new Hop(this, lastStop, stop, lastDeparture, arrives));
        lastStop = stop;
        lastDeparture = arrives + waits;
        return this;
    }

    public String line() {
        return line;
    }

    public boolean runsOn(java.time.LocalDate day) {
        return days.contains(day);
    }

    public List<Hop> hops() {
        return hops;
    }

    @Override
    public String toString() {
        return line + " at " + Clock.text(hops.get(0).departs());
    }
}
