package tariff;

import java.util.Set;

/** A part of a formula. */
interface Expression {
    double value(Scope scope);

    /** Adds the names that the value depends on. */
    void collectNames(Set<String> names);
}
