package shop.pricing;

import java.time.LocalDate;

/** A share of the whole order, from a minimum on and until a day. */
public record Coupon(String code, Rate rate, Money minimum, LocalDate lastDay) {
    public boolean applies(Money subtotal, LocalDate today) {
        return subtotal.compareTo(minimum) >= 0 && !today.isAfter(lastDay);
    }
}
