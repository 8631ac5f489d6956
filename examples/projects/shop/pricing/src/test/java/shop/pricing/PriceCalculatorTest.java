package shop.pricing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PriceCalculatorTest {
    private static final LocalDate TODAY = LocalDate.of(2026, 3, 14);
    private static final Coupon SPRING = new Coupon("SPRING", Rate.percent(10), Money.of("50"), LocalDate.of(2026, 3, 31));

    private PriceCalculator calculator;

    @BeforeEach
    void prices() {
        PriceList prices = new PriceList();
        prices.price("teapot", Money.of("24.90"));
        prices.price("cup", Money.of("4.95"));
        prices.price("cookbook", Money.of("19.99"));
        prices.rebate("club", Rate.percent(5));
        QuantityDiscount discount = new QuantityDiscount().from(6, Rate.percent(8)).from(24, Rate.percent(15));
        ShippingRates shipping = new ShippingRates(Money.of("60")).to("DE", Money.of("4.90")).to("AT", Money.of("9.90"));
        calculator = new PriceCalculator(prices, discount, TaxTable.european(), shipping);
    }

    @Test
    void oneItemCostsItsPriceAndTax() {
        Quote quote = calculator.quote(List.of(teapots(1)), "guest", "DE", null, TODAY);
        assertEquals("24.90", quote.net().toString());
        assertEquals("4.73", quote.tax().toString());
        assertEquals("34.53", quote.total().toString());
    }

    @Test
    void aCouponNeedsItsMinimum() {
        Quote below = calculator.quote(List.of(teapots(2)), "guest", "DE", SPRING, TODAY);
        assertEquals(Money.ZERO, below.discount());
        Quote above = calculator.quote(List.of(teapots(3)), "guest", "DE", SPRING, TODAY);
        assertEquals("7.47", above.discount().toString());
    }

    @Test
    void booksAreTaxedLess() {
        Quote quote = calculator.quote(List.of(teapots(1), books(1)), "guest", "AT", null, TODAY);
        assertEquals("6.98", quote.tax().toString());
    }

    @Test
    void largeOrdersAreCheaperAndSentForNothing() {
        Quote quote = calculator.quote(List.of(cups(24)), "guest", "DE", null, TODAY);
        assertEquals("100.98", quote.net().toString());
        assertEquals(Money.ZERO, quote.shipping());
    }

    @Test
    void theCouponIsSpreadOverTheLines() {
        Quote quote = calculator.quote(List.of(teapots(1), cups(4), books(2)), "guest", "DE", SPRING, TODAY);
        assertEquals("8.47", quote.discount().toString());
        assertEquals("76.21", quote.net().toString());
        assertEquals(List.of("22.41", "17.82", "35.98"), quote.lines().stream().map(line -> line.net().toString()).toList());
    }

    private static Item teapots(int quantity) {
        return new Item("teapot", TaxClass.STANDARD, quantity);
    }

    private static Item cups(int quantity) {
        return new Item("cup", TaxClass.STANDARD, quantity);
    }

    private static Item books(int quantity) {
        return new Item("cookbook", TaxClass.REDUCED, quantity);
    }
}
