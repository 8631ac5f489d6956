package shop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class InvoiceTest {
    @Test
    void aGiftIsBilledToWhoGivesIt() {
        StoreFixture shop = new StoreFixture();
        Cart cart = new Cart();
        cart.add("teapot", 1);
        cart.add("cookbook", 2);
        Order order = shop.checkout.buy(shop.ben, cart, StoreFixture.SPRING, StoreFixture.TODAY);
        assertEquals("""
                Invoice A1001
                To: Ben, Hafenstr. 12, Kiel
                Sent to: Ben's mother, Ring 7, Graz
                1 x Teapot, blue...................22.41
                2 x Cooking in March...............35.98
                Tax.................................8.08
                Shipping............................9.90
                Total..............................76.37
                """, new Invoice(shop.catalog).print(order));
    }
}
