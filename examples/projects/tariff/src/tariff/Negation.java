package tariff;

import java.util.Set;

class Negation implements Expression {
    private final Expression operand;

    Negation(Expression operand) {
        this.operand = operand;
    }

    @Override
    public double value(Scope scope) {
        return -operand.value(scope);
    }

    @Override
    public void collectNames(Set<String> names) {
        operand.collectNames(names);
    }

    @Override
    public String toString() {
        return "-" + operand;
    }
}
