package tariff;

import java.util.Set;

/** if CONDITION then EXPRESSION else EXPRESSION */
class Condition implements Expression {
    private final Expression condition;
    private final Expression then;
    private final Expression otherwise;

    Condition(Expression condition, Expression then, Expression otherwise) {
        this.condition = condition;
        this.then = then;
        this.otherwise = otherwise;
    }

    @Override
    public double value(Scope scope) {
        return condition.value(scope) != 0 ? then.value(scope) : otherwise.value(scope);
    }

    @Override
    public void collectNames(Set<String> names) {
        condition.collectNames(names);
        then.collectNames(names);
        otherwise.collectNames(names);
    }

    @Override
    public String toString() {
        return "if " + condition + " then " + then + " else " + otherwise;
    }
}
