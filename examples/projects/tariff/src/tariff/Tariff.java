package tariff;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Rules that say what something costs, such as a parcel or a journey. */
public class Tariff {
    private final Map<String, Rule> rules = new LinkedHashMap<>();

    private Tariff() {}

    public static Tariff parse(String text) {
        Tariff tariff = new Tariff();
        for (Rule rule : new Parser(text).rules()) {
            if (tariff.rules.putIfAbsent(rule.name(), rule) != null) {
                throw new SyntaxError(rule.name() + " is there twice", rule.line(), 1);
            }
        }
        return tariff;
    }

    /** A tariff with the rules of another one where they have the same names, such as for one customer. */
    public Tariff with(Tariff other) {
        Tariff merged = new Tariff();
        merged.rules.putAll(rules);
        merged.rules.putAll(other.rules);
        return merged;
    }

    /** The value of a rule, for what is known of the parcel or journey. */
    public double value(String name, Map<String, Double> given) {
        return new Scope(rules, given).get(name);
    }

    /** What has to be given so that all rules have a value. */
    public Set<String> inputs() {
        Set<String> names = new TreeSet<>();
        for (Rule rule : rules.values()) {
            rule.formula().collectNames(names);
        }
        names.removeAll(rules.keySet());
        return names;
    }

    /** A rule with all its brackets. */
    public String formula(String name) {
        return rules.get(name).formula().toString();
    }
}
