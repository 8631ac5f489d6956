package tariff;

import java.util.Set;

class Name implements Expression {
    private final String name;

    Name(String name) {
        this.name = name;
    }

    @Override
    public double value(Scope scope) {
        return scope.get(name);
    }

    @Override
    public void collectNames(Set<String> names) {
        names.add(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
