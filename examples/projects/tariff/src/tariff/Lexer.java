package tariff;

import java.util.ArrayList;
import java.util.List;

/** Takes a text apart. Comments go from # to the end of the line. */
class Lexer {
    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    Lexer(String text) {
        this.text = text;
    }

    List<Token> tokens() {
        List<Token> tokens = new ArrayList<>();
        skipBlanks();
        while (at < text.length()) {
            tokens.add(next());
            skipBlanks();
        }
        tokens.add(token(TokenKind.END, ""));
        return tokens;
    }

    private Token next() {
        char c = text.charAt(at);
        if (Character.isDigit(c)) {
            return take(TokenKind.NUMBER, numberEnd());
        }
        if (Character.isLetter(c)) {
            return take(TokenKind.NAME, nameEnd());
        }
        switch (c) {
            case '(':
                return take(TokenKind.OPEN, at + 1);
            case ')':
                return take(TokenKind.CLOSE, at + 1);
            case ',':
                return take(TokenKind.COMMA, at + 1);
            case '<':
            case '>':
                boolean orEqual = at + 1 < text.length() && text.charAt(at + 1) == '=';
                return take(TokenKind.OPERATOR, orEqual ? at + 2 : at + 1);
            case '+':
            case '-':
            case '*':
            case '/':
            case '^':
            case '=':
                return take(TokenKind.OPERATOR, at + 1);
            default:
                throw new SyntaxError("unexpected " + c, line, at - lineStart + 1);
        }
    }

    private int numberEnd() {
        int end = at;
        while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        return end;
    }

    private int nameEnd() {
        int end = at;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private Token take(TokenKind kind, int end) {
        Token token = token(kind, text.substring(at, end));
        at = end;
        return token;
    }

    private Token token(TokenKind kind, String found) {
        return new Token(kind, found, line, at - lineStart + 1);
    }

    private void skipBlanks() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '#') {
                skipComment();
            } else if (c == '\n') {
                at++;
                line++;
                lineStart = at;
            } else if (Character.isWhitespace(c)) {
                at++;
            } else {
                return;
            }
        }
    }

    private void skipComment() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }
}
