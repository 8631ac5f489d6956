package shop.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import shop.pricing.Quote;

/** All orders, by their numbers. */
public class Orders {
    private final Map<String, Order> byNumber = new LinkedHashMap<>();
    private int next = 1001;

    public Order place(Customer customer, List<CartLine> lines, Quote quote) {
        Order order = new Order("A" + next++, customer, new ArrayList<>(lines), quote);
        byNumber.put(order.number(), order);
        return order;
    }

    public Order get(String number) {
        return byNumber.get(number);
    }

    public List<Order> of(Customer customer) {
        return byNumber.values().stream().filter(order -> order.customer().id().equals(customer.id())).toList();
    }
}
