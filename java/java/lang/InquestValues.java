package java.lang;

import java.lang.InquestCodes.Numbered;
import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * How a reference is written: as the name of its object, or by value where the object is one (strings, boxes, classes, enum
 * constants of libraries). Objects that are named already, the most, take the short way in {@link #ref}.
 */
final class InquestValues {
    private static final Unsafe U = Unsafe.getUnsafe();

    private InquestValues() {}

    @DontInline
    @Hidden
    static void ref(Object o, InquestRecorder r) {
        if (o == null) {
            long p = r.pos;
            U.putByte(p, (byte) Tag.NULL);
            r.pos = p + 1;
            return;
        }
        long mark = InquestIdentity.mark(o);
        if (!InquestIdentity.isNamed(mark) && InquestIdentity.isInStackOf(mark, r)) mark = U.getLong(mark);
        if (InquestIdentity.isNamed(mark)) {
            long p = r.pos;
            U.putLong(p, (InquestIdentity.name(mark) & 0xFFFFFFFFL) << 8 | Tag.REF);
            r.pos = p + 5;
            return;
        }
        if (!InquestAgent.WEAVE_ONLY && o instanceof String s) InquestStrings.text(s, r);
        else slow(o, r);
    }

    /**
     * The same for a value that stands by itself. What an object holds that is seen for the first time follows at once.
     */
    @DontInline
    @Hidden
    static void read(Object o, InquestRecorder r) {
        if (o != null) {
            long mark = InquestIdentity.mark(o);
            if (!InquestIdentity.isNamed(mark)) {
                ref(o, r);
                if (r.seenCount > 0) InquestContent.showSeen(r);
                return;
            }
            long p = r.pos;
            U.putLong(p, (InquestIdentity.name(mark) & 0xFFFFFFFFL) << 8 | Tag.REF);
            r.pos = p + 5;
            return;
        }
        long p = r.pos;
        U.putByte(p, (byte) Tag.NULL);
        r.pos = p + 1;
    }

    /** The program must not get an exception of ours, and the stream must not lack a value. */
    @DontInline
    @Hidden
    private static void slow(Object o, InquestRecorder r) {
        if (InquestAgent.WEAVE_ONLY) return;
        try {
            classified(o, r);
        } catch (Throwable outOfMemoryOrStack) {
            put(Tag.REF, InquestCodes.Identity.UNKNOWN, r);
        }
    }

    private static void classified(Object o, InquestRecorder r) {
        switch (InquestKinds.of(o)) {
            case InquestKinds.PROGRAM -> put(Tag.REF, InquestIdentity.nameOf(o, true, r), r);
            case InquestKinds.LIBRARY -> put(Tag.REF, InquestIdentity.nameOf(o, false, r), r);
            case InquestKinds.TEXT -> InquestStrings.text((String) o, r);
            case InquestKinds.BOXED -> box(o, r);
            case InquestKinds.MIRROR -> put(Tag.CLASS, InquestTypes.number((Class<?>) o), r);
            default -> constant((Enum<?>) o, r);
        }
    }

    /** A record that is a tag and a number. */
    static void put(int tag, int payload, InquestRecorder r) {
        long p = InquestChunk.room(5, r);
        U.putLong(p, (payload & 0xFFFFFFFFL) << 8 | tag);
        r.pos = p + 5;
    }

    private static void box(Object o, InquestRecorder r) {
        if (o instanceof Long v) box64('J', v, r);
        else if (o instanceof Double v) box64('D', Double.doubleToRawLongBits(v), r);
        else if (o instanceof Integer v) box32('I', v, r);
        else if (o instanceof Boolean v) box32('Z', v ? 1 : 0, r);
        else if (o instanceof Character v) box32('C', v, r);
        else if (o instanceof Byte v) box32('B', v, r);
        else if (o instanceof Short v) box32('S', v, r);
        else box32('F', Float.floatToRawIntBits((Float) o), r);
    }

    private static void box32(int kind, int v, InquestRecorder r) {
        long p = InquestChunk.room(6, r);
        U.putLong(p, (v & 0xFFFFFFFFL) << 16 | (long) kind << 8 | Tag.BOX);
        r.pos = p + 6;
    }

    private static void box64(int kind, long v, InquestRecorder r) {
        long p = InquestChunk.room(10, r);
        U.putByte(p, (byte) Tag.BOX64);
        U.putByte(p + 1, (byte) kind);
        U.putLong(p + 2, v);
        r.pos = p + 10;
    }

    private static void constant(Enum<?> o, InquestRecorder r) {
        int type = InquestTypes.number(o.getDeclaringClass());
        int ordinal = o.ordinal();
        if (InquestTypes.isFirstSight(type, ordinal)) {
            int name = InquestStrings.number(o.name(), r);
            if (r.stream != 0) InquestAgent.numbers(r.stream, Numbered.ENUM_NAMES, type, ordinal);
            long p = InquestChunk.room(11, r);
            U.putLong(p, (type & 0xFFFFFFFFL) << 8 | Tag.ENUM_NAME);
            U.putShort(p + 5, (short) ordinal);
            U.putInt(p + 7, name);
            r.pos = p + 11;
        }
        long p = InquestChunk.room(7, r);
        U.putLong(p, (ordinal & 0xFFFFL) << 40 | (type & 0xFFFFFFFFL) << 8 | Tag.ENUM);
        r.pos = p + 7;
    }
}
