package shop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void aProductHasOneLine() {
        Cart cart = new Cart();
        cart.add("cup", 2);
        cart.add("teapot", 1);
        cart.add("cup", 4);
        assertEquals(List.of(new CartLine("cup", 6), new CartLine("teapot", 1)), cart.lines());
    }

    @Test
    void cartsAreMerged() {
        Cart before = new Cart();
        before.add("cup", 1);
        Cart cart = new Cart();
        cart.add("cookbook", 1);
        cart.add("cup", 1);
        cart.merge(before);
        cart.remove("cookbook");
        assertEquals(List.of(new CartLine("cup", 2)), cart.lines());
    }
}
