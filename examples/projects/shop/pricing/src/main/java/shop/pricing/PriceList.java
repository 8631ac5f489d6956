package shop.pricing;

import java.util.HashMap;
import java.util.Map;

/** Prices by product, with lower ones for some groups of customers. */
public class PriceList {
    private final Map<String, Money> basePrices = new HashMap<>();
    private final Map<String, Rate> groupRebates = new HashMap<>();
    private final Map<String, Money> resolved = new HashMap<>();

    public void price(String sku, Money price) {
        basePrices.put(sku, price);
        resolved.clear();
    }

    public void rebate(String group, Rate rebate) {
        groupRebates.put(group, rebate);
        resolved.clear();
    }

    /** The price of one piece for a customer of that group. */
    public Money unitPrice(String sku, String group) {
        String key = group + "/" + sku;
        Money known = resolved.get(key);
        if (known == null) {
            known = resolve(sku, group);
            resolved.put(key, known);
        }
        return known;
    }

    private Money resolve(String sku, String group) {
        Money base = basePrices.get(sku);
        if (base == null) {
            throw new IllegalArgumentException("no price for " + sku);
        }
        Rate rebate = groupRebates.getOrDefault(group, Rate.NONE);
        return base.minus(base.share(rebate));
    }
}
