package shop.pricing;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** Prices an order: the group's prices, the discount by quantity, the coupon spread over the lines, tax, shipping. */
public class PriceCalculator {
    private final PriceList prices;
    private final QuantityDiscount quantityDiscount;
    private final TaxTable taxes;
    private final ShippingRates shipping;

    public PriceCalculator(PriceList prices, QuantityDiscount quantityDiscount, TaxTable taxes, ShippingRates shipping) {
        this.prices = prices;
        this.quantityDiscount = quantityDiscount;
        this.taxes = taxes;
        this.shipping = shipping;
    }

    /** The coupon may be null. */
    public Quote quote(List<Item> items, String group, String country, Coupon coupon, LocalDate today) {
        List<Money> nets = new ArrayList<>();
        Money subtotal = Money.ZERO;
        for (Item item : items) {
            Money net = lineNet(item, group);
            nets.add(net);
            subtotal = subtotal.plus(net);
        }
        Money discount = Money.ZERO;
        if (coupon != null && coupon.applies(subtotal, today)) {
            discount = subtotal.share(coupon.rate());
            nets = reduce(nets, subtotal, discount);
        }
        List<PricedLine> lines = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            Money tax = nets.get(i).share(taxes.rate(country, item.taxClass()));
            lines.add(new PricedLine(item, prices.unitPrice(item.sku(), group), nets.get(i), tax));
        }
        return new Quote(lines, discount, shipping.cost(country, subtotal.minus(discount)));
    }

    private Money lineNet(Item item, String group) {
        Money full = prices.unitPrice(item.sku(), group).times(item.quantity());
        return full.minus(full.share(quantityDiscount.rateFor(item.quantity())));
    }

    /** Takes the discount from the lines in proportion. What rounding leaves over is taken from the last one. */
    private List<Money> reduce(List<Money> nets, Money subtotal, Money discount) {
        List<Money> reduced = new ArrayList<>();
        Money left = discount;
        for (int i = 0; i < nets.size(); i++) {
            Money net = nets.get(i);
            boolean last = i == nets.size() - 1;
            Money part = last ? left : new Money(discount.cents() * net.cents() / subtotal.cents());
            reduced.add(net.minus(part));
            left = left.minus(part);
        }
        return reduced;
    }
}
