package tariff;

import java.util.List;
import java.util.Set;

class FunctionCall implements Expression {
    private final String name;
    private final List<Expression> arguments;

    FunctionCall(String name, List<Expression> arguments) {
        this.name = name;
        this.arguments = arguments;
    }

    @Override
    public double value(Scope scope) {
        double[] values = new double[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).value(scope);
        }
        return Functions.call(name, values);
    }

    @Override
    public void collectNames(Set<String> names) {
        for (Expression argument : arguments) {
            argument.collectNames(names);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name).append('(');
        for (int i = 0; i < arguments.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(arguments.get(i));
        }
        return text.append(')').toString();
    }
}
