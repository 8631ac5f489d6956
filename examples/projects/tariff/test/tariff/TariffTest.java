package tariff;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class TariffTest {
    private static final String PARCEL =
            "# What a parcel costs\n"
                    + "base = if weight <= 2 then 4.49 else 6.99\n"
                    + "extra = max(0, weight - 10) * 0.45\n"
                    + "zone = if distance > 300 then 1.2 else 1\n"
                    + "bulky = if length + width > 120 then 5 else 0\n"
                    + "fuel = round((base + extra) * 0.075, 2)\n"
                    + "price = round((base + extra) * zone + bulky + fuel, 2)\n";

    @Test
    public void aSmallParcel() {
        assertEquals(4.83, price(Tariff.parse(PARCEL), 1.5, 120, 40, 30), 1e-9);
    }

    @Test
    public void twoKilogramsAreStillSmall() {
        assertEquals(4.83, price(Tariff.parse(PARCEL), 2, 120, 40, 30), 1e-9);
    }

    @Test
    public void aHeavyParcelThatGoesFar() {
        assertEquals(12.93, price(Tariff.parse(PARCEL), 17, 450, 60, 40), 1e-9);
    }

    @Test
    public void aBulkyParcel() {
        assertEquals(13.48, price(Tariff.parse(PARCEL), 12, 80, 100, 50), 1e-9);
    }

    @Test
    public void aCustomersOwnRules() {
        Tariff tariff = Tariff.parse(PARCEL);
        Tariff own = tariff.with(Tariff.parse("base = 3.5\nfuel = 0"));
        assertEquals(3.5, price(own, 1.5, 120, 40, 30), 1e-9);
        assertEquals(4.83, price(tariff, 1.5, 120, 40, 30), 1e-9);
    }

    @Test
    public void inputsAreWhatNoRuleSays() {
        assertEquals("[distance, length, weight, width]", Tariff.parse(PARCEL).inputs().toString());
    }

    @Test
    public void aRuleMayBeUsedTwice() {
        Tariff tariff = Tariff.parse("km = distance / 1000\nboth = steps(km, 5) + steps(km, 2)");
        assertEquals(6, tariff.value("both", Map.of("distance", 7300.0)), 0);
    }

    @Test
    public void aRuleThatNeedsItself() {
        Tariff tariff = Tariff.parse("a = b + 1\nb = a * 2");
        IllegalStateException error = assertThrows(IllegalStateException.class, () -> tariff.value("a", Map.of()));
        assertEquals("a depends on itself", error.getMessage());
    }

    @Test
    public void aRuleIsThereOnce() {
        SyntaxError error = assertThrows(SyntaxError.class, () -> Tariff.parse("a = 1\nb = 2\na = 3\n"));
        assertEquals("a is there twice at 3:1", error.getMessage());
    }

    private static double price(Tariff tariff, double weight, double distance, double length, double width) {
        Map<String, Double> parcel = new HashMap<>();
        parcel.put("weight", weight);
        parcel.put("distance", distance);
        parcel.put("length", length);
        parcel.put("width", width);
        return tariff.value("price", parcel);
    }
}
