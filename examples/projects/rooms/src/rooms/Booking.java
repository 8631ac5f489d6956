package rooms;

import java.time.LocalDate;

/** Who has which room when. */
public class Booking {
    private final int id;
    private final Room room;
    private final LocalDate day;
    private final String who;
    private Slot slot;
    private boolean cancelled;

    Booking(int id, Room room, LocalDate day, Slot slot, String who) {
        this.id = id;
        this.room = room;
        this.day = day;
        this.slot = slot;
        this.who = who;
    }

    int id() {
        return id;
    }

    Room room() {
        return room;
    }

    LocalDate day() {
        return day;
    }

    String who() {
        return who;
    }

    Slot slot() {
        return slot;
    }

    boolean isActive() {
        return !cancelled;
    }

    void move(Slot to) {
        slot = to;
    }

    void cancel() {
        cancelled = true;
    }
}
