package shop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import shop.pricing.Money;

class CheckoutTest {
    private final StoreFixture shop = new StoreFixture();

    @Test
    void anOrderIsPaidAndShipped() {
        Cart cart = new Cart();
        cart.add("teapot", 1);
        cart.add("cup", 4);
        Order order = shop.checkout.buy(shop.ben, cart, null, StoreFixture.TODAY);
        assertNotNull(order);
        assertEquals("63.54", order.quote().total().toString());
        assertEquals("36.46", shop.payments.balance("ben").toString());
        assertEquals(4, shop.inventory.available("teapot"));
        assertEquals(26, shop.inventory.available("cup"));
    }

    @Test
    void aTeaSetForTheClub() {
        Cart cart = new Cart();
        cart.add("teapot", 1);
        cart.add("cup", 7);
        Order order = shop.checkout.buy(shop.ada, cart, StoreFixture.SPRING, StoreFixture.TODAY);
        assertEquals("62.66", order.quote().total().toString());
    }

    @Test
    void anOrderKeepsItsLines() {
        Cart cart = new Cart();
        cart.add("cup", 3);
        cart.add("cookbook", 1);
        String number = shop.checkout.buy(shop.ben, cart, null, StoreFixture.TODAY).number();
        assertTrue(cart.lines().isEmpty());
        assertEquals(4, shop.orders.get(number).pieces());
        assertEquals(1, shop.orders.of(shop.ben).size());
    }

    @Test
    void whoCannotPayLeavesTheWarehouseAsItWas() {
        Cart cart = new Cart();
        cart.add("teapot", 4);
        cart.add("cup", 2);
        assertNull(shop.checkout.buy(shop.ben, cart, null, StoreFixture.TODAY));
        assertEquals(Money.of("100"), shop.payments.balance("ben"));
        assertEquals(5, shop.inventory.available("teapot"));
        assertEquals(30, shop.inventory.available("cup"));
    }

    @Test
    void whatIsNotThereIsNotSold() {
        Cart cart = new Cart();
        cart.add("teapot", 1);
        cart.add("cookbook", 3);
        assertNull(shop.checkout.buy(shop.ada, cart, null, StoreFixture.TODAY));
        assertEquals(5, shop.inventory.available("teapot"));
    }

    @Test
    void pricesAreTheCustomersOwn() {
        Cart first = new Cart();
        first.add("cookbook", 1);
        assertEquals("25.22", shop.checkout.buy(shop.ada, first, null, StoreFixture.TODAY).quote().total().toString());
        Cart second = new Cart();
        second.add("cookbook", 1);
        assertEquals("31.89", shop.checkout.buy(shop.ben, second, null, StoreFixture.TODAY).quote().total().toString());
    }

    @Test
    void membersOfTheClubEarnTwice() {
        Cart cart = new Cart();
        cart.add("teapot", 2);
        shop.checkout.buy(shop.ada, cart, null, StoreFixture.TODAY);
        assertEquals(94, shop.ada.points());
    }
}
