package java.lang;

import java.lang.InquestCodes.Counter;
import java.lang.InquestCodes.Identity;
import java.lang.InquestCodes.Note;
import java.lang.InquestCodes.Numbered;
import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;

/**
 * The names that objects get, and the introduction that each name needs: what the object is. Numbers are taken from
 * shared counters in blocks, so that threads seldom meet there.
 */
final class InquestNames {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Numbers in a block. */
    static final int BLOCK = 1024;

    /** Where an exception has its message. */
    private static final long MESSAGE = U.objectFieldOffset(Throwable.class, "detailMessage");

    private static boolean warned;

    private InquestNames() {}

    /** A name that no object has had. */
    static int next(boolean ofProgram, InquestRecorder r) {
        if (ofProgram) {
            if (r.nextProgram == r.endProgram) {
                r.nextProgram = block(InquestAgent.COUNTERS + Counter.PROGRAM);
                r.endProgram = r.nextProgram + BLOCK;
                said(Numbered.PROGRAM, r.nextProgram, r.endProgram, r);
            }
            return r.nextProgram < 0 ? exhausted() : r.nextProgram++ | 0x80000000;
        }
        if (r.nextLibrary == r.endLibrary) {
            r.nextLibrary = block(InquestAgent.COUNTERS + Counter.LIBRARY);
            r.endLibrary = r.nextLibrary + BLOCK;
            said(Numbered.LIBRARY, r.nextLibrary, r.endLibrary, r);
        }
        return r.nextLibrary < 0 ? exhausted() : r.nextLibrary++;
    }

    /** A block of numbers; below 0 if there are none left. */
    private static int block(long counter) {
        long first = U.getAndAddLong(null, counter, BLOCK);
        if (first <= 0x7FFF0000L) return (int) first;
        U.getAndAddLong(null, counter, -BLOCK);
        return Integer.MIN_VALUE;
    }

    /** A stream begins: what is left of the thread's blocks is defined there. */
    static void begin(InquestRecorder r) {
        said(Numbered.PROGRAM, r.nextProgram, r.endProgram, r);
        said(Numbered.LIBRARY, r.nextLibrary, r.endLibrary, r);
        said(Numbered.STRINGS, r.nextText, r.endText, r);
    }

    /** Says which stream defines the numbers from `first` up to `end`, so that a reader finds it without reading all. */
    static void said(int kind, int first, int end, InquestRecorder r) {
        if (r.stream != 0 && first >= 0 && first < end) InquestAgent.numbers(r.stream, kind, first, end);
    }

    private static int exhausted() {
        if (!warned) {
            warned = true;
            InquestAgent.note(Note.IDS_RAN_OUT, "more than 2147483647 objects were named; later ones are recorded without identity");
        }
        U.getAndAddLong(null, InquestAgent.COUNTERS + Counter.UNNAMED, 1);
        return Identity.UNKNOWN;
    }

    /** Another object may have the same name. */
    static int doubtful(int name, InquestRecorder r) {
        InquestValues.put(Tag.DOUBT, name, r);
        return name;
    }

    /** What an object is whose introduction was broken off. */
    static void settle(InquestRecorder r) {
        boolean isFresh = r.fresh;
        r.fresh = false;
        introduce(r);
        r.fresh = isFresh;
    }

    /** First sight: what the object in `owed` is. */
    static void introduce(InquestRecorder r) {
        Object o = r.owed;
        int id = r.owedName;
        Class<?> type = o.getClass();
        InquestTypes.Type record = InquestTypes.of(type);
        int t = record.id;
        if (type.isArray()) {
            long p = InquestChunk.room(13, r);
            U.putByte(p, (byte) Tag.ARRAY);
            U.putInt(p + 1, id);
            U.putInt(p + 5, t);
            U.putInt(p + 9, InquestContent.length(o));
            r.pos = p + 13;
            r.owed = null;
            if (!r.fresh) InquestContent.remember(o, r);
        } else {
            if (o instanceof Enum<?> e) {
                int name = InquestStrings.number(e.name(), r);
                long p = InquestChunk.room(15, r);
                U.putByte(p, (byte) Tag.ENUM_OBJECT);
                U.putInt(p + 1, id);
                U.putInt(p + 5, t);
                U.putShort(p + 9, (short) e.ordinal());
                U.putInt(p + 11, name);
                r.pos = p + 15;
                r.owed = null;
                return;
            }
            long p = InquestChunk.room(9, r);
            U.putByte(p, (byte) Tag.OBJECT);
            U.putInt(p + 1, id);
            U.putInt(p + 5, t);
            r.pos = p + 9;
            r.owed = null;
            if (InquestAgent.CONTENT_WANTED && record.layout() != null) InquestContent.remember(o, r);
            if (o instanceof Throwable) {
                String message = (String) U.getReference(o, MESSAGE);
                if (message != null) {
                    int text = InquestStrings.number(message, r);
                    p = InquestChunk.room(9, r);
                    U.putByte(p, (byte) Tag.EXCEPTION);
                    U.putInt(p + 1, id);
                    U.putInt(p + 5, text);
                    r.pos = p + 9;
                }
            }
        }
    }
}
