package shop.pricing;

/** An item with its price: what one piece costs, what all do after discounts, and the tax on that. */
public record PricedLine(Item item, Money unitPrice, Money net, Money tax) {
    public Money gross() {
        return net.plus(tax);
    }
}
