package rooms;

import java.time.LocalTime;

/** A part of a day, without its end. */
public record Slot(LocalTime from, LocalTime to) {
    public Slot {
        if (!from.isBefore(to)) {
            throw new BadRequest("a booking ends after it begins");
        }
    }

    public boolean overlaps(Slot other) {
        return from.isBefore(other.to) && other.from.isBefore(to);
    }

    public int minutes() {
        return (to.toSecondOfDay() - from.toSecondOfDay()) / 60;
    }

    @Override
    public String toString() {
        return from + "-" + to;
    }
}
