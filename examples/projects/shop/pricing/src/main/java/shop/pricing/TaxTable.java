package shop.pricing;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Tax rates by country. */
public class TaxTable {
    private final Map<String, Map<TaxClass, Rate>> rates = new HashMap<>();

    public static TaxTable european() {
        TaxTable table = new TaxTable();
        table.add("DE", Rate.percent(19), Rate.percent(7));
        table.add("AT", Rate.percent(20), Rate.percent(10));
        table.add("FR", Rate.percent(20), new Rate(550));
        return table;
    }

    public void add(String country, Rate standard, Rate reduced) {
        Map<TaxClass, Rate> byClass = new EnumMap<>(TaxClass.class);
        byClass.put(TaxClass.STANDARD, standard);
        byClass.put(TaxClass.REDUCED, reduced);
        byClass.put(TaxClass.EXEMPT, Rate.NONE);
        rates.put(country, byClass);
    }

    public Rate rate(String country, TaxClass taxClass) {
        Map<TaxClass, Rate> byClass = rates.get(country);
        if (byClass == null) {
            throw new IllegalArgumentException("no tax rates for " + country);
        }
        return byClass.get(taxClass);
    }
}
