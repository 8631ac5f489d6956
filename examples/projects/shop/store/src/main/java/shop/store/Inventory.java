package shop.store;

import java.util.HashMap;
import java.util.Map;

/** What lies in the warehouse, and how much of it is promised to somebody. */
public class Inventory {
    private static class Stock {
        int onHand;
        int reserved;

        int available() {
            return onHand - reserved;
        }
    }

    private final Map<String, Stock> stocks = new HashMap<>();

    public void receive(String sku, int quantity) {
        stockOf(sku).onHand += quantity;
    }

    /** Promises so many pieces; false if there are not enough. */
    public boolean reserve(String sku, int quantity) {
        Stock stock = stockOf(sku);
        if (stock.available() < quantity) {
            return false;
        }
        stock.reserved += quantity;
        return true;
    }

    /** Takes a promise back. */
    public void release(String sku, int quantity) {
        stockOf(sku).reserved -= quantity;
    }

    /** What was promised leaves the warehouse. */
    public void ship(String sku, int quantity) {
        Stock stock = stockOf(sku);
        stock.reserved -= quantity;
        stock.onHand -= quantity;
    }

    public int available(String sku) {
        return stockOf(sku).available();
    }

    private Stock stockOf(String sku) {
        return stocks.computeIfAbsent(sku, unknown -> new Stock());
    }
}
