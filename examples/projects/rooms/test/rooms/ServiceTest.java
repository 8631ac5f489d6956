package rooms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServiceTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private Service service;

    @BeforeEach
    void start() throws IOException {
        Rooms rooms = new Rooms()
                .add(new Room("hall", "Great Hall", 60, true))
                .add(new Room("lab", "Laboratory", 12, true))
                .add(new Room("red", "Red Room", 4, false))
                .add(new Room("blue", "Blue Room", 4, true));
        service = new Service(rooms, 0).start();
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    void theSmallestSuitedRoomComesFirst() throws Exception {
        assertEquals("[{\"id\":\"lab\",\"name\":\"Laboratory\",\"seats\":12},{\"id\":\"hall\",\"name\":\"Great Hall\",\"seats\":60}]",
                get("/rooms?people=12&projector"));
        assertEquals("[{\"id\":\"blue\",\"name\":\"Blue Room\",\"seats\":4},{\"id\":\"lab\",\"name\":\"Laboratory\",\"seats\":12},"
                + "{\"id\":\"hall\",\"name\":\"Great Hall\",\"seats\":60}]", get("/rooms?people=3&projector=yes"));
    }

    @Test
    void aBookingIsThere() throws Exception {
        assertEquals("201 {\"id\":1,\"room\":\"red\",\"day\":\"2026-03-16\",\"time\":\"09:00-10:30\",\"who\":\"Ada & Co\"}",
                post("room=red&day=2026-03-16&from=09:00&to=10:30&who=Ada+%26+Co"));
        assertEquals("{\"id\":1,\"room\":\"red\",\"day\":\"2026-03-16\",\"time\":\"09:00-10:30\",\"who\":\"Ada & Co\"}", get("/bookings/1"));
    }

    @Test
    void oneAfterTheOtherIsNoConflict() throws Exception {
        book("red", "09:00", "10:30", "ada");
        book("red", "12:00", "13:00", "ben");
        book("red", "10:30", "12:00", "cleo");
        assertEquals("409 {\"error\":\"Red Room is taken 10:30-12:00 by cleo\"}", post("room=red&day=2026-03-16&from=11:00&to=13:00&who=dan"));
        assertEquals("201", post("room=red&day=2026-03-17&from=11:00&to=13:00&who=dan").substring(0, 3));
    }

    @Test
    void aBookingCanBeMovedALittle() throws Exception {
        book("lab", "09:00", "10:00", "ada");
        book("lab", "11:00", "12:00", "ben");
        assertEquals("200 {\"id\":1,\"room\":\"lab\",\"day\":\"2026-03-16\",\"time\":\"09:30-10:30\",\"who\":\"ada\"}",
                send("PUT", "/bookings/1", "from=09:30&to=10:30"));
        assertEquals("409 {\"error\":\"Laboratory is taken 11:00-12:00 by ben\"}", send("PUT", "/bookings/1", "from=10:30&to=11:30"));
    }

    @Test
    void whatIsCancelledIsFree() throws Exception {
        book("red", "09:00", "12:00", "ada");
        assertEquals("204 ", send("DELETE", "/bookings/1", ""));
        assertEquals("404 {\"error\":\"no such booking: 1\"}", send("GET", "/bookings/1", ""));
        assertEquals("201", post("room=red&day=2026-03-16&from=10:00&to=11:00&who=ben").substring(0, 3));
    }

    @Test
    void gapsOfADay() throws Exception {
        book("blue", "12:00", "14:00", "ben");
        book("blue", "08:00", "09:30", "ada");
        book("blue", "14:20", "19:00", "cleo");
        assertEquals("[\"blue 09:30-12:00\",\"blue 19:00-20:00\",\"lab 08:00-20:00\",\"hall 08:00-20:00\"]",
                get("/free?day=2026-03-16&people=4&projector=yes&minutes=60"));
        assertEquals("[\"lab 08:00-20:00\",\"hall 08:00-20:00\"]", get("/free?day=2026-03-17&people=5&minutes=60"));
    }

    @Test
    void whoAsksForNonsenseIsToldSo() throws Exception {
        assertEquals("400 {\"error\":\"missing: who\"}", post("room=red&day=2026-03-16&from=09:00&to=10:30"));
        assertEquals("400 {\"error\":\"not a day: today\"}", post("room=red&day=today&from=09:00&to=10:30&who=x"));
        assertEquals("400 {\"error\":\"the house is open from 08:00 to 20:00\"}", post("room=red&day=2026-03-16&from=19:00&to=20:30&who=x"));
        assertEquals("404 {\"error\":\"no such room: \\\"attic\\\"\"}", post("room=%22attic%22&day=2026-03-16&from=09:00&to=10:30&who=x"));
    }

    private void book(String room, String from, String to, String who) throws Exception {
        assertEquals("201", post("room=" + room + "&day=2026-03-16&from=" + from + "&to=" + to + "&who=" + who).substring(0, 3));
    }

    private String get(String path) throws Exception {
        String answer = send("GET", path, "");
        assertEquals("200 ", answer.substring(0, 4));
        return answer.substring(4);
    }

    private String post(String form) throws Exception {
        return send("POST", "/bookings", form);
    }

    private String send(String method, String path, String form) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + service.port() + path))
                .method(method, BodyPublishers.ofString(form)).build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }
}
