package transit;

/** A trip from one of its stops to the next. */
public record Hop(Trip trip, Stop from, Stop to, int departs, int arrives) {
    @Override
    public String toString() {
        return trip.line() + " " + from + " " + Clock.text(departs) + " - " + to + " " + Clock.text(arrives);
    }
}
