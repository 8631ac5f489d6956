package shop.pricing;

import java.util.HashMap;
import java.util.Map;

/** What sending costs, by country; nothing from some order value on. */
public class ShippingRates {
    private final Map<String, Money> byCountry = new HashMap<>();
    private final Money freeFrom;

    public ShippingRates(Money freeFrom) {
        this.freeFrom = freeFrom;
    }

    public ShippingRates to(String country, Money cost) {
        byCountry.put(country, cost);
        return this;
    }

    public Money cost(String country, Money orderValue) {
        if (orderValue.compareTo(freeFrom) >= 0) {
            return Money.ZERO;
        }
        Money cost = byCountry.get(country);
        if (cost == null) {
            throw new IllegalArgumentException("we do not send to " + country);
        }
        return cost;
    }
}
