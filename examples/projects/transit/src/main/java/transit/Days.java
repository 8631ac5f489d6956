package transit;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/** On which days something runs: some weekdays, with exceptions. */
public class Days {
    private final EnumSet<DayOfWeek> weekdays;
    private final Set<LocalDate> added = new HashSet<>();
    private final Set<LocalDate> removed = new HashSet<>();

    private Days(EnumSet<DayOfWeek> weekdays) {
        this.weekdays = weekdays;
    }

    public static Days daily() {
        return new Days(EnumSet.allOf(DayOfWeek.class));
    }

    public static Days workdays() {
        return new Days(EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY));
    }

    public Days except(LocalDate day) {
        removed.add(day);
        return this;
    }

    public Days alsoOn(LocalDate day) {
        added.add(day);
        return this;
    }

    public boolean contains(LocalDate day) {
        if (removed.contains(day)) {
            return false;
        }
        return added.contains(day) || weekdays.contains(day.getDayOfWeek());
    }
}
