import java.io.StringReader;
import org.apache.xerces.xni.Augmentations;
import org.apache.xerces.xni.QName;
import org.apache.xerces.xni.XMLAttributes;
import org.apache.xerces.xni.parser.XMLDocumentFilter;
import org.cyberneko.html.filters.DefaultFilter;
import org.cyberneko.html.parsers.DOMParser;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** nekohtml on xerces: balances messy pages into DOM trees, with a filter of its own. Arguments: pages, the first one, sections in each. */
public class NekoProgram {
    static class Counting extends DefaultFilter {
        int elements;
        long attributes;

        @Override
        public void startElement(QName element, XMLAttributes attrs, Augmentations augs) {
            elements++;
            for (int i = 0; i < attrs.getLength(); i++) attributes = attributes * 31 + attrs.getValue(i).hashCode();
            super.startElement(element, attrs, augs);
        }
    }

    public static void main(String[] args) throws Exception {
        int pages = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 40;
        long checksum = 0;
        for (int page = first; page < first + pages; page++) {
            DOMParser parser = new DOMParser();
            Counting counting = new Counting();
            parser.setProperty("http://cyberneko.org/html/properties/filters", new XMLDocumentFilter[] {counting});
            parser.setFeature("http://cyberneko.org/html/features/scanner/notify-builtin-refs", true);
            parser.parse(new InputSource(new StringReader(Pages.messyHtml(page, size))));
            Document document = parser.getDocument();
            Element mark = document.createElement("mark");
            mark.setAttribute("n", "" + page);
            document.getDocumentElement().appendChild(mark);
            if (Pages.LINES) System.out.println(Pages.found("elements") + counting.elements + " " + counting.attributes);
            checksum = checksum * 31 + walk(document, 0) + counting.elements + counting.attributes;
        }
        System.out.println("nekohtml " + checksum);
    }

    private static void look(Node node, NamedNodeMap attributes, int depth) {
        StringBuilder line = new StringBuilder(node.getNodeName()).append(" in depth ").append(depth);
        if (node.getNodeValue() != null) line.append(": ").append(node.getNodeValue());
        if (attributes != null) {
            for (int i = 0; i < attributes.getLength(); i++) line.append(' ').append(attributes.item(i).getNodeValue());
        }
        System.out.println(Pages.found("node") + line);
    }

    private static long walk(Node node, int depth) {
        long sum = node.getNodeName().hashCode() + depth;
        if (node.getNodeValue() != null) sum += node.getNodeValue().hashCode();
        NamedNodeMap attributes = node.getAttributes();
        if (Pages.LINES) look(node, attributes, depth);
        if (attributes != null) {
            for (int i = 0; i < attributes.getLength(); i++) sum = sum * 3 + attributes.item(i).getNodeValue().length();
        }
        for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) sum = sum * 31 + walk(child, depth + 1);
        return sum;
    }
}
