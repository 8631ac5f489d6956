package tariff;

import java.util.Set;

class Constant implements Expression {
    private final double value;

    Constant(double value) {
        this.value = value;
    }

    @Override
    public double value(Scope scope) {
        return value;
    }

    @Override
    public void collectNames(Set<String> names) {}

    @Override
    public String toString() {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
