package tariff;

import java.util.ArrayList;
import java.util.List;

/** Makes rules and formulas of tokens. */
class Parser {
    private final List<Token> tokens;
    private int at;

    Parser(String text) {
        tokens = new Lexer(text).tokens();
    }

    /** NAME = EXPRESSION, as often as there are any. */
    List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        while (peek().kind() != TokenKind.END) {
            Token name = expect(TokenKind.NAME);
            expectSign("=");
            rules.add(new Rule(name.text(), expression(), name.line()));
        }
        return rules;
    }

    Expression expression() {
        if (peek().is("if")) {
            return condition();
        }
        return operation(1);
    }

    private Expression condition() {
        expectSign("if");
        Expression condition = operation(1);
        expectSign("then");
        Expression then = expression();
        expectSign("else");
        return new Condition(condition, then, expression());
    }

    /** Operators that bind at least so strongly. */
    private Expression operation(int precedence) {
        Expression left = operand();
        Operator operator = Operator.of(peek().text());
        while (operator != null && operator.precedence >= precedence) {
            take();
            int next = operator.isRightAssociative() ? operator.precedence : operator.precedence + 1;
            left = new Operation(operator, left, operation(next));
            operator = Operator.of(peek().text());
        }
        return left;
    }

    private Expression operand() {
        Token token = take();
        switch (token.kind()) {
            case NUMBER:
                return new Constant(Double.parseDouble(token.text()));
            case NAME:
                return peek().kind() == TokenKind.OPEN ? call(token) : new Name(token.text());
            case OPEN:
                Expression inner = expression();
                expect(TokenKind.CLOSE);
                return inner;
            case OPERATOR:
                if (token.is("-")) {
                    return new Negation(operation(Operator.POWER.precedence));
                }
                throw unexpected(token);
            default:
                throw unexpected(token);
        }
    }

    private Expression call(Token name) {
        List<Expression> arguments = new ArrayList<>();
        expect(TokenKind.OPEN);
        if (peek().kind() != TokenKind.CLOSE) {
            arguments.add(expression());
            while (peek().kind() == TokenKind.COMMA) {
                take();
                arguments.add(expression());
            }
        }
        expect(TokenKind.CLOSE);
        return new FunctionCall(name.text(), arguments);
    }

    private Token peek() {
        return tokens.get(at);
    }

    private Token take() {
        return tokens.get(at++);
    }

    private Token expect(TokenKind kind) {
        Token token = take();
        if (token.kind() != kind) {
            throw unexpected(token);
        }
        return token;
    }

    private void expectSign(String sign) {
        Token token = take();
        if (!token.is(sign)) {
            throw unexpected(token);
        }
    }

    private static SyntaxError unexpected(Token token) {
        String what = token.kind() == TokenKind.END ? "end" : token.text();
        return new SyntaxError("unexpected " + what, token.line(), token.column());
    }
}
