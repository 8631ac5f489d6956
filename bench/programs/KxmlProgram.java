import java.io.StringReader;
import java.io.StringWriter;
import org.kxml2.io.KXmlParser;
import org.kxml2.io.KXmlSerializer;
import org.kxml2.kdom.Document;
import org.kxml2.kdom.Element;
import org.xmlpull.v1.XmlPullParser;

/** kxml2: pulls events from documents, and builds and writes a tree. Arguments: documents, the first one, records in each. */
public class KxmlProgram {
    public static void main(String[] args) throws Exception {
        int documents = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 60;
        long checksum = 0;
        for (int n = first; n < first + documents; n++) {
            String xml = Pages.xml(n, size);
            checksum = checksum * 31 + pull(xml);
            checksum = checksum * 31 + tree(xml);
        }
        System.out.println("kxml2 " + checksum);
    }

    private static long pull(String xml) throws Exception {
        KXmlParser parser = new KXmlParser();
        parser.setFeature(XmlPullParser.FEATURE_PROCESS_NAMESPACES, true);
        parser.setInput(new StringReader(xml));
        long sum = 0;
        for (int event = parser.next(); event != XmlPullParser.END_DOCUMENT; event = parser.next()) {
            if (Pages.LINES) look(event, parser);
            sum = sum * 7 + event + parser.getDepth();
            if (event == XmlPullParser.START_TAG) {
                sum += parser.getName().hashCode();
                for (int i = 0; i < parser.getAttributeCount(); i++) sum += parser.getAttributeValue(i).hashCode() + parser.getAttributeNamespace(i).length();
            } else if (event == XmlPullParser.TEXT) {
                sum += parser.getText().hashCode() + parser.getLineNumber();
            }
        }
        return sum;
    }

    private static void look(int event, KXmlParser parser) {
        StringBuilder line = new StringBuilder(XmlPullParser.TYPES[event]).append(" in depth ").append(parser.getDepth());
        if (event == XmlPullParser.START_TAG) {
            line.append(" <").append(parser.getName());
            for (int i = 0; i < parser.getAttributeCount(); i++) {
                line.append(' ').append(parser.getAttributeNamespace(i)).append(':').append(parser.getAttributeValue(i));
            }
        } else if (event == XmlPullParser.TEXT) {
            line.append(" ").append(parser.getText()).append(" until line ").append(parser.getLineNumber());
        }
        System.out.println(Pages.found("event") + line);
    }

    private static long tree(String xml) throws Exception {
        KXmlParser parser = new KXmlParser();
        parser.setFeature(XmlPullParser.FEATURE_PROCESS_NAMESPACES, true);
        parser.setInput(new StringReader(xml));
        Document document = new Document();
        document.parse(parser);
        Element root = document.getRootElement();
        for (int i = 0; i < root.getChildCount(); i++) {
            if (root.getElement(i) != null) root.getElement(i).setAttribute("", "checked", "" + i);
        }
        StringWriter text = new StringWriter();
        KXmlSerializer serializer = new KXmlSerializer();
        serializer.setOutput(text);
        document.write(serializer);
        if (Pages.LINES) System.out.println(Pages.found("document") + text.toString());
        return text.toString().hashCode();
    }
}
