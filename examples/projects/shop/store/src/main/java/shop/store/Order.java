package shop.store;

import java.util.List;
import shop.pricing.Quote;

/** What was bought, and for how much. */
public record Order(String number, Customer customer, List<CartLine> lines, Quote quote) {
    public int pieces() {
        return lines.stream().mapToInt(CartLine::quantity).sum();
    }
}
