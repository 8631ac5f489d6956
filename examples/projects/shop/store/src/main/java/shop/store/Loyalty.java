package shop.store;

import shop.pricing.Money;
import shop.pricing.Quote;

/** Points for what is bought: one for each full euro of goods, twice as many for members of the club. */
public class Loyalty {
    public int pointsFor(Customer customer, Quote quote) {
        Money goods = quote.net();
        int points = (int) (goods.cents() / 100);
        return isMember(customer) ? points * 2 : points;
    }

    private boolean isMember(Customer customer) {
        return "club".equals(customer.group());
    }
}
