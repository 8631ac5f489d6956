package rooms;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All rooms of the house. */
public class Rooms {
    private final Map<String, Room> byId = new LinkedHashMap<>();

    public Rooms add(Room room) {
        byId.put(room.id(), room);
        return this;
    }

    public Room get(String id) {
        Room room = byId.get(id);
        if (room == null) {
            throw new NotFound("room: " + id);
        }
        return room;
    }

    /** Those that are large enough, the smallest first. */
    public List<Room> suited(int people, boolean projector) {
        List<Room> suited = new ArrayList<>();
        for (Room room : byId.values()) {
            if (room.seats() >= people && (room.projector() || !projector)) {
                suited.add(room);
            }
        }
        suited.sort(Comparator.comparingInt(Room::seats).thenComparing(Room::name));
        return suited;
    }
}
