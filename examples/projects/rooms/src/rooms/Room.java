package rooms;

/** A room that can be booked. */
public record Room(String id, String name, int seats, boolean projector) {}
