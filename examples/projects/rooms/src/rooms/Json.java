package rooms;

import java.util.ArrayList;
import java.util.List;

/** Writes JSON: objects of names and values, which are texts, numbers, truth values, objects or lists. */
class Json {
    private final List<String> members = new ArrayList<>();

    Json with(String name, Object value) {
        members.add(quoted(name) + ":" + text(value));
        return this;
    }

    static String text(Object value) {
        if (value instanceof List<?> list) {
            List<String> parts = new ArrayList<>();
            for (Object element : list) {
                parts.add(text(element));
            }
            return "[" + String.join(",", parts) + "]";
        }
        if (value instanceof Number || value instanceof Boolean || value instanceof Json) {
            return value.toString();
        }
        return quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\');
            }
            quoted.append(c);
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return "{" + String.join(",", members) + "}";
    }
}
