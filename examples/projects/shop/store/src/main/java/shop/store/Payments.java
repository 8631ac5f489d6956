package shop.store;

import java.util.HashMap;
import java.util.Map;
import shop.pricing.Money;

/** Takes money from customers' accounts. */
public class Payments {
    private final Map<String, Money> balances = new HashMap<>();

    public void deposit(String customerId, Money amount) {
        balances.merge(customerId, amount, Money::plus);
    }

    /** False if there is not enough. */
    public boolean charge(String customerId, Money amount) {
        Money balance = balances.getOrDefault(customerId, Money.ZERO);
        if (balance.compareTo(amount) < 0) {
            return false;
        }
        balances.put(customerId, balance.minus(amount));
        return true;
    }

    public Money balance(String customerId) {
        return balances.getOrDefault(customerId, Money.ZERO);
    }
}
