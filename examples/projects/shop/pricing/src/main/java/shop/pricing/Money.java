package shop.pricing;

/** An amount in cents. */
public record Money(long cents) implements Comparable<Money> {
    public static final Money ZERO = new Money(0);

    /** Reads "12.50" or "12". */
    public static Money of(String text) {
        int dot = text.indexOf('.');
        if (dot < 0) {
            return new Money(Long.parseLong(text) * 100);
        }
        long units = Long.parseLong(text.substring(0, dot));
        return new Money(units * 100 + Long.parseLong(text.substring(dot + 1)));
    }

    public Money plus(Money other) {
        return new Money(cents + other.cents);
    }

    public Money minus(Money other) {
        return new Money(cents - other.cents);
    }

    public Money times(int quantity) {
        return new Money(cents * quantity);
    }

    /** That share of the amount, rounded half up to whole cents. */
    public Money share(Rate rate) {
        return new Money((cents * rate.basisPoints() + 5_000) / 10_000);
    }

    public boolean isZero() {
        return cents == 0;
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(cents, other.cents);
    }

    @Override
    public String toString() {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
