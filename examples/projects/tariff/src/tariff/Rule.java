package tariff;

/** A name and how its value is found. */
record Rule(String name, Expression formula, int line) {}
