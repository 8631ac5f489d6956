package shop.store;

import java.time.LocalDate;
import shop.pricing.Coupon;
import shop.pricing.Money;
import shop.pricing.PriceCalculator;
import shop.pricing.PriceList;
import shop.pricing.QuantityDiscount;
import shop.pricing.Rate;
import shop.pricing.ShippingRates;
import shop.pricing.TaxClass;
import shop.pricing.TaxTable;

/** A small shop with two customers. */
class StoreFixture {
    static final LocalDate TODAY = LocalDate.of(2026, 3, 14);
    static final Coupon SPRING = new Coupon("SPRING", Rate.percent(10), Money.of("50"), LocalDate.of(2026, 3, 31));

    final Catalog catalog = new Catalog()
            .add(new Product("teapot", "Teapot, blue", TaxClass.STANDARD))
            .add(new Product("cup", "Cup", TaxClass.STANDARD))
            .add(new Product("cookbook", "Cooking in March", TaxClass.REDUCED));
    final Inventory inventory = new Inventory();
    final Payments payments = new Payments();
    final Orders orders = new Orders();
    final Checkout checkout;

    final Customer ada = new Customer("ada", "club",
            new Address("Ada", "Lindenweg 3", "Bonn", "DE"), new Address("Ada", "Lindenweg 3", "Bonn", "DE"));
    final Customer ben = new Customer("ben", "guest",
            new Address("Ben", "Hafenstr. 12", "Kiel", "DE"), new Address("Ben's mother", "Ring 7", "Graz", "AT"));

    StoreFixture() {
        PriceList prices = new PriceList();
        prices.price("teapot", Money.of("24.90"));
        prices.price("cup", Money.of("4.95"));
        prices.price("cookbook", Money.of("19.99"));
        prices.rebate("club", Rate.percent(5));
        QuantityDiscount discount = new QuantityDiscount().from(6, Rate.percent(8)).from(24, Rate.percent(15));
        ShippingRates shipping = new ShippingRates(Money.of("60")).to("DE", Money.of("4.90")).to("AT", Money.of("9.90"));
        checkout = new Checkout(catalog, inventory, new PriceCalculator(prices, discount, TaxTable.european(), shipping), payments, orders);
        inventory.receive("teapot", 5);
        inventory.receive("cup", 30);
        inventory.receive("cookbook", 2);
        payments.deposit("ada", Money.of("200"));
        payments.deposit("ben", Money.of("100"));
    }
}
