package tariff;

/** A text that cannot be read, and where. */
public class SyntaxError extends RuntimeException {
    private final int line;
    private final int column;

    SyntaxError(String message, int line, int column) {
        super(message + " at " + line + ":" + column);
        this.line = line;
        this.column = column;
    }

    public int line() {
        return line;
    }

    public int column() {
        return column;
    }
}
