package java.lang;

import java.lang.InquestCodes.Counter;
import java.lang.InquestCodes.Numbered;
import java.lang.InquestCodes.StringFlag;
import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * Strings are recorded by value: each content has a number, and is defined before its first use. The table of contents is
 * a cache that threads share without a lock; what it has lost is defined again under another number.
 */
final class InquestStrings {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Longer ones are not looked for: comparing costs more than defining them again. */
    private static final int MAX_KEPT = 1024;
    /** Bytes; a longer content goes to the table stream, as no record may cross a chunk. */
    private static final int MAX_IN_CHUNK = 512;

    private static final Text[] TEXTS = new Text[1 << 14];

    private static final class Text {
        final String text;
        final int id;

        Text(String text, int id) {
            this.text = text;
            this.id = id;
        }
    }

    private InquestStrings() {}

    /** Writes a string as a value. */
    @Hidden
    static void text(String s, InquestRecorder r) {
        int id = number(s, r);
        long p = r.pos;
        U.putLong(p, (id & 0xFFFFFFFFL) << 8 | Tag.STR);
        r.pos = p + 5;
    }

    /** The number of a string's content. */
    static int number(String s, InquestRecorder r) {
        if (s.length() > MAX_KEPT) return define(s, r);
        int h = s.hashCode();
        int slot = (h ^ h >>> 15) & TEXTS.length - 1;
        Text known = TEXTS[slot];
        if (known != null && (known.text == s || known.text.equals(s))) return known.id;
        int id = define(s, r);
        try {
            TEXTS[slot] = new Text(s, id);
        } catch (OutOfMemoryError notKept) {
            // The next sight defines it again.
        }
        return id;
    }

    private static int define(String s, InquestRecorder r) {
        if (r.nextText == r.endText) {
            r.nextText = (int) U.getAndAddLong(null, InquestAgent.COUNTERS + Counter.STRINGS, InquestNames.BLOCK);
            r.endText = r.nextText + InquestNames.BLOCK;
            InquestNames.said(Numbered.STRINGS, r.nextText, r.endText, r);
        }
        int id = r.nextText++;
        int chars = s.length();
        int utf16 = s.coder();
        int kept = Math.min(chars, InquestAgent.MAX_STRING);
        int size = kept << utf16;
        int flags = (utf16 != 0 ? StringFlag.UTF16 : 0) | (kept < chars ? StringFlag.CUT : 0);
        if (size > MAX_IN_CHUNK) {
            InquestAgent.text(id, s.value(), size, flags, chars);
            return id;
        }
        long p = InquestChunk.room(12 + size, r);
        U.putByte(p, (byte) Tag.STRING);
        U.putInt(p + 1, id);
        U.putInt(p + 5, chars);
        U.putByte(p + 9, (byte) flags);
        U.putShort(p + 10, (short) size);
        U.copyMemory(s.value(), (long) InquestIdentity.BYTES, null, p + 12, size);
        r.pos = p + 12 + size;
        return id;
    }
}
