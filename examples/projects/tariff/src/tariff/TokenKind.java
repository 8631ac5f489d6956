package tariff;

/** What a piece of text is. */
enum TokenKind {
    NUMBER,
    NAME,
    OPERATOR,
    OPEN,
    CLOSE,
    COMMA,
    END
}
