package rooms;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;

/** The part of an address after the question mark, or a form. */
class Query {
    private final Map<String, String> values = new HashMap<>();

    Query(String text) {
        if (text == null || text.isEmpty()) {
            return;
        }
        for (String pair : text.split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            values.put(decoded(name), decoded(value));
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null || value.isBlank()) {
            throw new BadRequest("missing: " + name);
        }
        return value;
    }

    int number(String name, int otherwise) {
        if (!values.containsKey(name)) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text(name));
        } catch (NumberFormatException e) {
            throw new BadRequest("not a number: " + name);
        }
    }

    boolean isSet(String name) {
        return values.containsKey(name) && !values.get(name).equals("no");
    }

    LocalDate day() {
        try {
            return LocalDate.parse(text("day"));
        } catch (DateTimeParseException e) {
            throw new BadRequest("not a day: " + text("day"));
        }
    }

    Slot slot() {
        try {
            return new Slot(LocalTime.parse(text("from")), LocalTime.parse(text("to")));
        } catch (DateTimeParseException e) {
            throw new BadRequest("not a time: " + e.getParsedString());
        }
    }
}
