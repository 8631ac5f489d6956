package shop.store;

import shop.pricing.Money;
import shop.pricing.PricedLine;

/** An order as a page of text. */
public class Invoice {
    private static final int WIDTH = 40;
    private final Catalog catalog;

    public Invoice(Catalog catalog) {
        this.catalog = catalog;
    }

    public String print(Order order) {
        StringBuilder page = new StringBuilder();
        page.append("Invoice ").append(order.number()).append('\n');
        address(page, "To", order.customer().billing());
        if (!order.customer().delivery().equals(order.customer().billing())) {
            address(page, "Sent to", order.customer().delivery());
        }
        for (PricedLine line : order.quote().lines()) {
            row(page, line.item().quantity() + " x " + catalog.get(line.item().sku()).name(), line.net());
        }
        row(page, "Tax", order.quote().tax());
        row(page, "Shipping", order.quote().shipping());
        row(page, "Total", order.quote().total());
        return page.toString();
    }

    private void address(StringBuilder page, String label, Address address) {
        page.append(label).append(": ").append(address.name()).append(", ").append(address.street());
        page.append(", ").append(address.city()).append('\n');
    }

    private void row(StringBuilder page, String text, Money amount) {
        String number = amount.toString();
        page.append(text);
        for (int column = text.length() + number.length(); column < WIDTH; column++) {
            page.append('.');
        }
        page.append(number).append('\n');
    }
}
