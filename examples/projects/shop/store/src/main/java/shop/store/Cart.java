package shop.store;

import java.util.ArrayList;
import java.util.List;

/** What a customer wants to buy; a product has one line. */
public class Cart {
    private final List<CartLine> lines = new ArrayList<>();

    public void add(String sku, int quantity) {
        for (int i = 0; i < lines.size(); i++) {
            CartLine line = lines.get(i);
            if (line.sku().equals(sku)) {
                lines.set(i, new CartLine(sku, line.quantity() + quantity));
                return;
            }
        }
        lines.add(new CartLine(sku, quantity));
    }

    /** Takes what is in another cart, such as the one from before the login. */
    public void merge(Cart other) {
        for (CartLine line : other.lines) {
            add(line.sku(), line.quantity());
        }
    }

    public void remove(String sku) {
        lines.removeIf(line -> line.sku().equals(sku));
    }

    public List<CartLine> lines() {
        return lines;
    }

    public void clear() {
        lines.clear();
    }
}
