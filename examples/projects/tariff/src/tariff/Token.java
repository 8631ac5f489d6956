package tariff;

/** A piece of text and where it begins, counted from 1. */
record Token(TokenKind kind, String text, int line, int column) {
    boolean is(String wanted) {
        return kind != TokenKind.END && text.equals(wanted);
    }
}
