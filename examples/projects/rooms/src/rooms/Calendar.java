package rooms;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All bookings. Requests come from several threads. */
public class Calendar {
    private static final LocalTime OPENS = LocalTime.of(8, 0);
    private static final LocalTime CLOSES = LocalTime.of(20, 0);
    private final Map<Integer, Booking> byId = new HashMap<>();
    private final Map<String, List<Booking>> byRoomAndDay = new HashMap<>();
    private int next = 1;

    public synchronized Booking book(Room room, LocalDate day, Slot slot, String who) {
        checkOpen(slot);
        checkFree(room, day, slot, null);
        Booking booking = new Booking(next++, room, day, slot, who);
        byId.put(booking.id(), booking);
        byRoomAndDay.computeIfAbsent(key(room, day), unused -> new ArrayList<>()).add(booking);
        return booking;
    }

    /** A booking gets another time, unless somebody else has it. */
    public synchronized Booking move(int id, Slot to) {
        Booking booking = get(id);
        checkOpen(to);
        checkFree(booking.room(), booking.day(), to, booking);
        booking.move(to);
        return booking;
    }

    public synchronized void cancel(int id) {
        Booking booking = get(id);
        booking.cancel();
        byRoomAndDay.get(key(booking.room(), booking.day())).remove(booking);
    }

    public synchronized Booking get(int id) {
        Booking booking = byId.get(id);
        if (booking == null || !booking.isActive()) {
            throw new NotFound("booking: " + id);
        }
        return booking;
    }

    /** A day's bookings of a room in their order. */
    public synchronized List<Booking> of(Room room, LocalDate day) {
        List<Booking> found = new ArrayList<>(byRoomAndDay.getOrDefault(key(room, day), List.of()));
        found.sort(Comparator.comparing(booking -> booking.slot().from()));
        return found;
    }

    /** When nobody has the room, as long as it lasts at least so long. */
    public synchronized List<Slot> free(Room room, LocalDate day, int minutes) {
        List<Slot> free = new ArrayList<>();
        LocalTime at = OPENS;
        for (Booking booking : of(room, day)) {
            addGap(free, at, booking.slot().from(), minutes);
            at = booking.slot().to();
        }
        addGap(free, at, CLOSES, minutes);
        return free;
    }

    private static void addGap(List<Slot> free, LocalTime from, LocalTime to, int minutes) {
        if (from.isBefore(to)) {
            Slot gap = new Slot(from, to);
            if (gap.minutes() >= minutes) {
                free.add(gap);
            }
        }
    }

    private void checkOpen(Slot slot) {
        if (slot.from().isBefore(OPENS) || slot.to().isAfter(CLOSES)) {
            throw new BadRequest("the house is open from " + OPENS + " to " + CLOSES);
        }
    }

    /** A booking that is moved is not in its own way. */
    private void checkFree(Room room, LocalDate day, Slot slot, Booking moved) {
        for (Booking other : of(room, day)) {
            if (other != moved && other.slot().overlaps(slot)) {
                throw new Conflict(other);
            }
        }
    }

    private static String key(Room room, LocalDate day) {
        return room.id() + "@" + day;
    }
}
