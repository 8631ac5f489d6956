package shop.store;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import shop.pricing.Coupon;
import shop.pricing.Item;
import shop.pricing.PriceCalculator;
import shop.pricing.Quote;

/** From a cart to an order: reserve, price, charge, place, ship. */
public class Checkout {
    private final Catalog catalog;
    private final Inventory inventory;
    private final PriceCalculator calculator;
    private final Payments payments;
    private final Orders orders;
    private final Loyalty loyalty = new Loyalty();

    public Checkout(Catalog catalog, Inventory inventory, PriceCalculator calculator, Payments payments, Orders orders) {
        this.catalog = catalog;
        this.inventory = inventory;
        this.calculator = calculator;
        this.payments = payments;
        this.orders = orders;
    }

    /** The order, and an empty cart; null if something is not there or not paid, and then nothing has changed. */
    public Order buy(Customer customer, Cart cart, Coupon coupon, LocalDate today) {
        if (!reserve(cart)) {
            return null;
        }
        Quote quote = price(customer, cart, coupon, today);
        if (!payments.charge(customer.id(), quote.total())) {
            release(cart.lines());
            return null;
        }
        Order order = orders.place(customer, cart.lines(), quote);
        customer.addPoints(loyalty.pointsFor(customer, quote));
        ship(order);
        cart.clear();
        return order;
    }

    /** All of it or nothing. */
    private boolean reserve(Cart cart) {
        List<CartLine> done = new ArrayList<>();
        for (CartLine line : cart.lines()) {
            if (!inventory.reserve(line.sku(), line.quantity())) {
                release(done);
                return false;
            }
            done.add(line);
        }
        return true;
    }

    private void release(List<CartLine> lines) {
        for (CartLine line : lines) {
            inventory.release(line.sku(), line.quantity());
        }
    }

    private Quote price(Customer customer, Cart cart, Coupon coupon, LocalDate today) {
        List<Item> items = new ArrayList<>();
        for (CartLine line : cart.lines()) {
            items.add(new Item(line.sku(), catalog.get(line.sku()).taxClass(), line.quantity()));
        }
        return calculator.quote(items, customer.group(), customer.delivery().country(), coupon, today);
    }

    private void ship(Order order) {
        for (CartLine line : order.lines()) {
            inventory.ship(line.sku(), line.quantity());
        }
    }
}
