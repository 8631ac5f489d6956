package rooms;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** What the service does, without the network. */
class Requests {
    private final Rooms rooms;
    private final Calendar calendar;

    Requests(Rooms rooms, Calendar calendar) {
        this.rooms = rooms;
        this.calendar = calendar;
    }

    Answer answer(String method, String path, Query query) {
        try {
            return route(method, path.substring(1).split("/"), query);
        } catch (BadRequest e) {
            return failed(400, e);
        } catch (NotFound e) {
            return failed(404, e);
        } catch (Conflict e) {
            return failed(409, e);
        }
    }

    private static Answer failed(int status, RuntimeException why) {
        return new Answer(status, new Json().with("error", why.getMessage()).toString());
    }

    private Answer route(String method, String[] path, Query query) {
        String what = method + " " + path[0];
        if (path.length == 1) {
            switch (what) {
                case "GET rooms":
                    return suited(query);
                case "GET day":
                    return day(query);
                case "GET free":
                    return free(query);
                case "POST bookings":
                    return book(query);
                default:
                    throw new NotFound("page: " + path[0]);
            }
        }
        int id = number(path[1]);
        switch (what) {
            case "GET bookings":
                return new Answer(200, json(calendar.get(id)).toString());
            case "PUT bookings":
                return new Answer(200, json(calendar.move(id, query.slot())).toString());
            case "DELETE bookings":
                calendar.cancel(id);
                return new Answer(204, "");
            default:
                throw new NotFound("page: " + path[0]);
        }
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new NotFound("booking: " + text);
        }
    }

    private Answer suited(Query query) {
        List<Object> found = new ArrayList<>();
        for (Room room : rooms.suited(query.number("people", 1), query.isSet("projector"))) {
            found.add(new Json().with("id", room.id()).with("name", room.name()).with("seats", room.seats()));
        }
        return new Answer(200, Json.text(found));
    }

    private Answer day(Query query) {
        List<Object> found = new ArrayList<>();
        for (Booking booking : calendar.of(rooms.get(query.text("room")), query.day())) {
            found.add(json(booking));
        }
        return new Answer(200, Json.text(found));
    }

    /** The gaps of all rooms that are suited. */
    private Answer free(Query query) {
        LocalDate day = query.day();
        List<Object> found = new ArrayList<>();
        for (Room room : rooms.suited(query.number("people", 1), query.isSet("projector"))) {
            for (Slot slot : calendar.free(room, day, query.number("minutes", 15))) {
                found.add(room.id() + " " + slot);
            }
        }
        return new Answer(200, Json.text(found));
    }

    private Answer book(Query query) {
        Room room = rooms.get(query.text("room"));
        Booking booking = calendar.book(room, query.day(), query.slot(), query.text("who"));
        return new Answer(201, json(booking).toString());
    }

    private static Json json(Booking booking) {
        return new Json().with("id", booking.id()).with("room", booking.room().id()).with("day", booking.day())
                .with("time", booking.slot()).with("who", booking.who());
    }
}
