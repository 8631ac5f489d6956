package rooms;

/** Somebody else has the room. */
class Conflict extends RuntimeException {
    Conflict(Booking other) {
        super(other.room().name() + " is taken " + other.slot() + " by " + other.who());
    }
}
