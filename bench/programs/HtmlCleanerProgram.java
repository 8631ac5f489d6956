import org.htmlcleaner.CleanerProperties;
import org.htmlcleaner.HtmlCleaner;
import org.htmlcleaner.PrettyXmlSerializer;
import org.htmlcleaner.SimpleHtmlSerializer;
import org.htmlcleaner.TagNode;

/** htmlcleaner: cleans messy pages, queries them, writes them as XML and HTML. Arguments: pages, the first one, sections in each. */
public class HtmlCleanerProgram {
    public static void main(String[] args) throws Exception {
        int pages = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 40;
        HtmlCleaner cleaner = new HtmlCleaner();
        CleanerProperties properties = cleaner.getProperties();
        properties.setOmitComments(false);
        properties.setTranslateSpecialEntities(true);
        long checksum = 0;
        for (int page = first; page < first + pages; page++) {
            TagNode root = cleaner.clean(Pages.messyHtml(page, size));
            String xml = new PrettyXmlSerializer(properties).getAsString(root);
            String html = new SimpleHtmlSerializer(properties).getAsString(root);
            int links = root.evaluateXPath("//a[@href]").length + root.getElementListByName("td", true).size();
            if (Pages.LINES) {
                System.out.println(Pages.found("xml") + xml);
                System.out.println(Pages.found("html") + html);
                System.out.println(Pages.found("links") + links);
            }
            checksum = checksum * 31 + xml.hashCode() + html.hashCode() + links;
        }
        System.out.println("htmlcleaner " + checksum);
    }
}
