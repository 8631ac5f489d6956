package shop.pricing;

import java.util.ArrayList;
import java.util.List;

/** The more pieces of one product, the lower the price. */
public class QuantityDiscount {
    private record Tier(int from, Rate rate) {}

    private final List<Tier> tiers = new ArrayList<>();

    /** From so many pieces on; tiers are added in rising order. */
    public QuantityDiscount from(int quantity, Rate rate) {
        tiers.add(new Tier(quantity, rate));
        return this;
    }

    public Rate rateFor(int quantity) {
        Rate rate = Rate.NONE;
        for (Tier tier : tiers) {
            if (quantity >= tier.from()) {
                rate = tier.rate();
            }
        }
        return rate;
    }
}
