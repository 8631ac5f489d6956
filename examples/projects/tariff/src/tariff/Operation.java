package tariff;

import java.util.Set;

class Operation implements Expression {
    private final Operator operator;
    private final Expression left;
    private final Expression right;

    Operation(Operator operator, Expression left, Expression right) {
        this.operator = operator;
        this.left = left;
        this.right = right;
    }

    @Override
    public double value(Scope scope) {
        return operator.apply(left.value(scope), right.value(scope));
    }

    @Override
    public void collectNames(Set<String> names) {
        left.collectNames(names);
        right.collectNames(names);
    }

    @Override
    public String toString() {
        return "(" + left + " " + operator.sign + " " + right + ")";
    }
}
