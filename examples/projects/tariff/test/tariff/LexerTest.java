package tariff;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.Test;

public class LexerTest {
    @Test
    public void takesAFormulaApart() {
        assertEquals("base + 2.5 * weight <= max ( 1 , x_1 ) ", texts("base+2.5*weight<=max(1,x_1)"));
    }

    @Test
    public void knowsWhereATokenBegins() {
        List<Token> tokens = new Lexer("a = 1 # first\n\n  b = 2").tokens();
        Token b = tokens.get(3);
        assertEquals("b", b.text());
        assertEquals(3, b.line());
        assertEquals(3, b.column());
    }

    @Test
    public void refusesWhatItDoesNotKnow() {
        SyntaxError error = assertThrows(SyntaxError.class, () -> new Lexer("a = 1 +\n  ?").tokens());
        assertEquals("unexpected ? at 2:3", error.getMessage());
    }

    private static String texts(String text) {
        return new Lexer(text).tokens().stream().map(Token::text).collect(Collectors.joining(" "));
    }
}
