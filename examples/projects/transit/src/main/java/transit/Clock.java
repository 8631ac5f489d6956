package transit;

/** Times of a day as minutes after midnight; after midnight they go on, 24:10 is ten past twelve of the next day. */
final class Clock {
    private Clock() {}

    static int minutes(String text) {
        int colon = text.indexOf(':');
        return Integer.parseInt(text.substring(0, colon)) * 60 + Integer.parseInt(text.substring(colon + 1));
    }

    static String text(int minutes) {
        return String.format("%02d:%02d", minutes / 60, minutes % 60);
    }
}
