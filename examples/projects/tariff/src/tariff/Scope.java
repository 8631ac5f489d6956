package tariff;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Where formulas find values: what was given, else what a rule says, worked out once. */
class Scope {
    private final Map<String, Rule> rules;
    private final Map<String, Double> given;
    private final Map<String, Double> known = new HashMap<>();
    private final Set<String> open = new HashSet<>();

    Scope(Map<String, Rule> rules, Map<String, Double> given) {
        this.rules = rules;
        this.given = given;
    }

    double get(String name) {
        Double value = given.get(name);
        if (value == null) {
            value = known.get(name);
        }
        if (value == null) {
            value = workOut(name);
            known.put(name, value);
        }
        return value;
    }

    private double workOut(String name) {
        Rule rule = rules.get(name);
        if (rule == null) {
            throw new IllegalArgumentException("nobody says what " + name + " is");
        }
        if (!open.add(name)) {
            throw new IllegalStateException(name + " depends on itself");
        }
        double value = rule.formula().value(this);
        open.remove(name);
        return value;
    }
}
