package tariff;

/** Two operands and what is between them; comparisons give 1 or 0. */
enum Operator {
    LESS("<", 1),
    AT_MOST("<=", 1),
    MORE(">", 1),
    AT_LEAST(">=", 1),
    PLUS("+", 2),
    MINUS("-", 2),
    TIMES("*", 3),
    DIVIDED("/", 3),
    POWER("^", 4);

    final String sign;
    final int precedence;

    Operator(String sign, int precedence) {
        this.sign = sign;
        this.precedence = precedence;
    }

    /** Null if that is no operator. */
    static Operator of(String sign) {
        for (Operator operator : values()) {
            if (operator.sign.equals(sign)) {
                return operator;
            }
        }
        return null;
    }

    /** Does a ^ b ^ c mean a ^ (b ^ c)? */
    boolean isRightAssociative() {
        return this == POWER;
    }

    double apply(double left, double right) {
        switch (this) {
            case LESS:
                return left < right ? 1 : 0;
            case AT_MOST:
                return left <= right ? 1 : 0;
            case MORE:
                return left > right ? 1 : 0;
            case AT_LEAST:
                return left >= right ? 1 : 0;
            case PLUS:
                return left + right;
            case MINUS:
                return left - right;
            case TIMES:
                return left * right;
            case DIVIDED:
                return left / right;
            default:
                return Math.pow(left, right);
        }
    }
}
