package tariff;

/** What can be called in a formula. */
class Functions {
    private Functions() {}

    static double call(String name, double[] values) {
        switch (name) {
            case "min":
                return min(values);
            case "max":
                return max(values);
            case "round":
                return values.length == 2 ? round(values[0], (int) values[1]) : round(values[0], 0);
            case "steps":
                return Math.ceil(values[0] / values[1]);
            default:
                throw new IllegalArgumentException("no such function: " + name);
        }
    }

    private static double min(double[] values) {
        double min = values[0];
        for (int i = 1; i < values.length; i++) {
            if (values[i] < min) {
                min = values[i];
            }
        }
        return min;
    }

    private static double max(double[] values) {
        double max = values[0];
        for (int i = 1; i < values.length; i++) {
            if (values[i] > max) {
                max = values[i];
            }
        }
        return max;
    }

    /** To so many digits after the point. */
    private static double round(double value, int digits) {
        double factor = Math.pow(10, digits);
        return Math.round(value * factor) / factor;
    }
}
