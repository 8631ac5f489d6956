package shop.pricing;

/** What is to be priced: so many of a product. */
public record Item(String sku, TaxClass taxClass, int quantity) {
    public Item {
        if (quantity <= 0) {
            throw new IllegalArgumentException("quantity of " + sku + ": " + quantity);
        }
    }
}
