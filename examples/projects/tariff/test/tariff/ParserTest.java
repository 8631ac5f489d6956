package tariff;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

@RunWith(Parameterized.class)
public class ParserTest {
    @Parameters(name = "{0}")
    public static Iterable<String[]> formulas() {
        return Arrays.asList(new String[][] {
            {"1 + 2 * 3", "(1 + (2 * 3))"},
            {"(1 + 2) * 3", "((1 + 2) * 3)"},
            {"10 - 4 - 3", "((10 - 4) - 3)"},
            {"2 ^ 3 ^ 2", "(2 ^ (3 ^ 2))"},
            {"-a ^ 2", "-(a ^ 2)"},
            {"a * -b + c", "((a * -b) + c)"},
            {"a + 1 > b / 2", "((a + 1) > (b / 2))"},
            {"if a > 1 then b else if a > 0 then c else d", "if (a > 1) then b else if (a > 0) then c else d"},
            {"max(a, min(b, 2.5) + 1, 3)", "max(a, (min(b, 2.5) + 1), 3)"},
        });
    }

    private final String text;
    private final String expected;

    public ParserTest(String text, String expected) {
        this.text = text;
        this.expected = expected;
    }

    @Test
    public void bindsAsOneWritesIt() {
        assertEquals(expected, new Parser(text).expression().toString());
    }

    @Test
    public void saysWhereAFormulaEndsTooEarly() {
        SyntaxError error = assertThrows(SyntaxError.class, () -> new Parser(text + " +").expression());
        assertEquals(text.length() + 3, error.column());
    }
}
