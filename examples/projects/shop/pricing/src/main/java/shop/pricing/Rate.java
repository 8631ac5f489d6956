package shop.pricing;

/** A part of a whole, in hundredths of a percent. */
public record Rate(int basisPoints) {
    public static final Rate NONE = new Rate(0);

    public static Rate percent(int percent) {
        return new Rate(percent * 100);
    }

    @Override
    public String toString() {
        return basisPoints % 100 == 0 ? basisPoints / 100 + "%" : basisPoints / 100.0 + "%";
    }
}
