/** Makes the documents that the parsers get: always the same for the same seed. */
final class Pages {
    /** Everything that a driver finds is printed on a line of its own, and not only summed up. */
    static final boolean LINES = Boolean.getBoolean("lines");
    private static int found;

    /** How such a line begins: no other one begins so. */
    static String found(String what) {
        return what + " " + ++found + ": ";
    }

    private int random;
    private final StringBuilder out = new StringBuilder();

    private Pages(int seed) {
        random = seed * 2654435 + 1;
    }

    private int next(int bound) {
        random = random * 1103515245 + 12345;
        return (random >>> 10) % bound;
    }

    private static final String[] WORDS = "lorem ipsum dolor &amp; sit &lt; amet consectetur adipiscing elit &eacute; sed do eiusmod".split(" ");

    private void words(int count) {
        for (int i = 0; i < count; i++) out.append(WORDS[next(WORDS.length)]).append(next(7) == 0 ? "\n" : " ");
    }

    /** A page as people write them: tags left open, quotes left out, tables within tables. */
    static String messyHtml(int seed, int sections) {
        Pages p = new Pages(seed);
        p.out.append("<!DOCTYPE html><html><head><title>Page ").append(seed).append("<meta charset=utf-8><style>p { color: red }</style>");
        p.out.append("<script>if (a < b && c > d) document.write('<p>');</script><body bgcolor=white>");
        for (int i = 0; i < sections; i++) {
            p.out.append("<h2 id=s").append(i).append(" class='a b'>Section ").append(i).append("<p>");
            p.words(12);
            switch (p.next(5)) {
                case 0 -> p.table();
                case 1 -> p.list();
                case 2 -> p.out.append("<b><i>crossed</b> over</i><br><img src=x.png alt=\"an image\"><!-- a comment -->");
                case 3 -> p.out.append("<FORM action='/go'><input type=text value=1 disabled><select><option>a<option selected>b</select></FORM>");
                default -> p.out.append("<a href=\"http://example.org/?a=1&b=2\">link</a><font size=2>old</p>");
            }
            p.words(20);
        }
        return p.out.append("</body>").toString();
    }

    private void table() {
        out.append("<table border=1>");
        for (int row = next(4) + 1; row > 0; row--) {
            out.append("<tr>");
            for (int cell = next(4) + 1; cell > 0; cell--) {
                out.append("<td nowrap>");
                words(3);
            }
        }
        out.append("</table>");
    }

    private void list() {
        out.append("<ul>");
        for (int item = next(6) + 1; item > 0; item--) {
            out.append("<li>");
            words(4);
            if (next(4) == 0) list();
        }
        out.append("</ul>");
    }

    /** A well-formed document with namespaces, attributes, CDATA, comments and entities. */
    static String xml(int seed, int records) {
        Pages p = new Pages(seed);
        p.out.append("<?xml version='1.0'?><!-- made --><d:data xmlns:d='urn:data' xmlns='urn:default'>");
        for (int i = 0; i < records; i++) {
            p.out.append("<record id='").append(i).append("' d:kind=\"k").append(p.next(9)).append("\"><name>");
            for (int w = p.next(5) + 1; w > 0; w--) p.out.append("w").append(p.next(1000)).append(w % 2 == 0 ? " &amp; " : " &#x41; ");
            p.out.append("</name><d:value>").append(p.next(100000)).append("</d:value>");
            if (p.next(3) == 0) p.out.append("<![CDATA[<raw> & text]]>");
            if (p.next(4) == 0) p.out.append("<empty a='1' b='2'/><?target data?>");
            p.out.append("</record>\n");
        }
        return p.out.append("</d:data>").toString();
    }
}
