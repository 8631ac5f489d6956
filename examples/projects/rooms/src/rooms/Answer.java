package rooms;

/** What goes back to the client. */
record Answer(int status, String body) {}
