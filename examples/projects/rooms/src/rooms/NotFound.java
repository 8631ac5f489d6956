package rooms;

/** There is no such thing. */
class NotFound extends RuntimeException {
    NotFound(String what) {
        super("no such " + what);
    }
}
