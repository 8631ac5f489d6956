import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.commons.lang3.StringEscapeUtils;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.Validate;
import org.apache.commons.lang3.builder.CompareToBuilder;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.apache.commons.lang3.builder.ToStringBuilder;
import org.apache.commons.lang3.builder.ToStringStyle;
import org.apache.commons.lang3.math.Fraction;
import org.apache.commons.lang3.math.NumberUtils;
import org.apache.commons.lang3.mutable.MutableInt;
import org.apache.commons.lang3.text.WordUtils;
import org.apache.commons.lang3.tuple.Pair;

/** commons-lang3: strings, arrays, builders, numbers. Arguments: rounds, the first one. */
@SuppressWarnings("deprecation")
public class LangProgram {
    static final class Item {
        final int id;
        final String name;
        final double[] values;

        Item(int id, String name, double... values) {
            this.id = id;
            this.name = name;
            this.values = values;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Item other && new EqualsBuilder().append(id, other.id).append(name, other.name).append(values, other.values).isEquals();
        }

        @Override
        public int hashCode() {
            return new HashCodeBuilder(17, 37).append(id).append(name).append(values).toHashCode();
        }

        @Override
        public String toString() {
            return new ToStringBuilder(this, ToStringStyle.SHORT_PREFIX_STYLE).append("id", id).append("name", name).append("values", values).toString();
        }
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        long checksum = 0;
        for (int round = first; round < first + rounds; round++) {
            checksum = checksum * 31 + strings(round);
            checksum = checksum * 31 + builders(round);
            checksum = checksum * 31 + numbers(round);
        }
        System.out.println("commons-lang3 " + checksum);
    }

    private static long strings(int round) {
        String text = "the quick <brown> fox & the lazy dog " + round;
        String made = StringUtils.capitalize(StringUtils.reverseDelimited(text, ' '));
        made = StringUtils.replaceEach(made, new String[] {"quick", "lazy", "the"}, new String[] {"slow", "busy", "a"});
        made = StringEscapeUtils.escapeHtml4(StringUtils.center(made, 60, "*-"));
        made += WordUtils.wrap(text, 10) + StringUtils.abbreviate(text, 15) + StringUtils.swapCase(text);
        made += StringUtils.join(StringUtils.splitByCharacterTypeCamelCase("someCamelCase" + round + "Text"), '|');
        if (Pages.LINES) System.out.println(Pages.found("made") + made);
        int distance = StringUtils.getLevenshteinDistance(text, made.substring(0, 40));
        int matches = StringUtils.countMatches(made, "a");
        boolean numeric = StringUtils.isNumeric("" + round);
        String plain = StringEscapeUtils.unescapeHtml4(made).toLowerCase(Locale.ROOT);
        if (Pages.LINES) {
            System.out.println(Pages.found("distance") + distance);
            System.out.println(Pages.found("matches") + matches + " " + numeric);
            System.out.println(Pages.found("plain") + plain);
        }
        return made.hashCode() + distance + matches + (numeric ? 1 : 0) + plain.length();
    }

    private static long builders(int round) {
        Item a = new Item(round, "item " + round % 7, round, 0.5);
        Item b = new Item(round, "item " + round % 7, round, round % 3 == 0 ? 0.5 : 1.5);
        int order = new CompareToBuilder().append(a.name, b.name).append(a.values, b.values).toComparison();
        String reflected = ToStringBuilder.reflectionToString(Pair.of(a.id, b.name), ToStringStyle.NO_CLASS_NAME_STYLE);
        if (Pages.LINES) {
            System.out.println(Pages.found("order") + order);
            System.out.println(Pages.found("reflected") + reflected);
            System.out.println(Pages.found("item") + a + " " + a.hashCode());
            System.out.println(Pages.found("equal") + a.equals(b));
        }
        return a.hashCode() + a.toString().hashCode() + order + reflected.length() + (a.equals(b) ? 10 : 20);
    }

    private static long numbers(int round) {
        int[] numbers = ArrayUtils.addAll(new int[] {round, 3, 1}, 4, 1, 5);
        ArrayUtils.reverse(numbers);
        numbers = ArrayUtils.removeElement(ArrayUtils.insert(2, numbers, 9, 9), 1);
        Fraction fraction = Fraction.getFraction(round + 1, 12).reduce().add(Fraction.ONE_THIRD);
        MutableInt sum = new MutableInt(NumberUtils.max(numbers));
        for (Integer n : ArrayUtils.toObject(numbers)) sum.add(n);
        try {
            Validate.isTrue(round % 10 != 0, "round %d", round);
        } catch (IllegalArgumentException e) {
            sum.add(e.getMessage().length());
        }
        if (Pages.LINES) {
            System.out.println(Pages.found("numbers") + Arrays.toString(numbers));
            System.out.println(Pages.found("fraction") + fraction);
            System.out.println(Pages.found("sum") + sum.intValue());
            System.out.println(Pages.found("hexadecimal") + NumberUtils.isCreatable("0x" + round));
        }
        return Arrays.hashCode(numbers) + fraction.hashCode() + sum.intValue() + (NumberUtils.isCreatable("0x" + round) ? 1 : 0);
    }
}
