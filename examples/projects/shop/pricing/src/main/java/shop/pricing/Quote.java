package shop.pricing;

import java.util.List;

/** What an order costs. */
public record Quote(List<PricedLine> lines, Money discount, Money shipping) {
    public Money net() {
        return lines.stream().map(PricedLine::net).reduce(Money.ZERO, Money::plus);
    }

    public Money tax() {
        return lines.stream().map(PricedLine::tax).reduce(Money.ZERO, Money::plus);
    }

    public Money total() {
        return net().plus(tax()).plus(shipping);
    }
}
