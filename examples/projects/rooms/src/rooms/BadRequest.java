package rooms;

/** The client asked for something that cannot be. */
class BadRequest extends RuntimeException {
    BadRequest(String message) {
        super(message);
    }
}
