package java.lang;

import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What objects of libraries and arrays hold. An object that the program did not make itself is remembered at its first
 * sight, and its content is recorded when the probe is about to end: in the midst of a record there is no place for it.
 * Fields are read, and no method of the object is called: it may be the program's own.
 */
final class InquestContent {
    private static final Unsafe U = Unsafe.getUnsafe();

    private InquestContent() {}

    /** The object was not made by the program just now: what is in it must be recorded once. */
    static void remember(Object o, InquestRecorder r) {
        if (!InquestAgent.CONTENT_WANTED) return;
        if (r.seenCount == r.seen.length) {
            if (r.seenCount >= 1 << 16) return;
            Object[] more = new Object[2 * r.seenCount];
            System.arraycopy(r.seen, 0, more, 0, r.seenCount);
            r.seen = more;
        }
        r.seen[r.seenCount++] = o;
    }

    /** Records the content of the objects that were seen for the first time, and of what they hold. */
    @DontInline
    @Hidden
    static void showSeen(InquestRecorder r) {
        if (r.seenCount == 0 || r.showing) return;
        r.showing = true;
        int budget = InquestAgent.MAX_ARRAY;
        try {
            while (r.seenCount > 0) {
                Object o = r.seen[--r.seenCount];
                r.seen[r.seenCount] = null;
                if (budget > 0) budget -= show(o, r);
            }
        } catch (Throwable outOfMemoryOrStack) {
            while (r.seenCount > 0) r.seen[--r.seenCount] = null;
        }
        r.showing = false;
    }

    /** Names an object of a library, and records what it holds if nobody has seen it yet. */
    @DontInline
    @Hidden
    static void showFirst(Object o, InquestRecorder r) {
        if (InquestAgent.WEAVE_ONLY) return;
        try {
            InquestIdentity.nameOf(o, false, r);
        } catch (Throwable outOfMemoryOrStack) {
            return;
        }
        showSeen(r);
    }

    private static int show(Object o, InquestRecorder r) {
        if (o.getClass().isArray()) return elements(o, r);
        InquestTypes.Layout layout = InquestTypes.of(o.getClass()).layout();
        return layout == null ? 0 : fields(o, layout, r);
    }

    /** The values of the fields that say what an object holds, as they are now. */
    static int fields(Object o, InquestTypes.Layout layout, InquestRecorder r) {
        int count = Math.min(layout.offsets.length, 255);
        // Before there is room: naming may write.
        int name = InquestIdentity.nameOf(o, InquestKinds.of(o) == InquestKinds.PROGRAM, r);
        long p = InquestChunk.room(6, r);
        U.putLong(p, (long) count << 40 | (name & 0xFFFFFFFFL) << 8 | Tag.FIELDS);
        r.pos = p + 6;
        for (int i = 0; i < count; i++) {
            long at = layout.offsets[i];
            if (r.pos > r.limit) InquestChunk.changeChunk(r);
            switch (layout.kinds.charAt(i)) {
                case 'Z' -> InquestRecorder.value(U.getBoolean(o, at) ? 1 : 0, r);
                case 'B' -> InquestRecorder.value((int) U.getByte(o, at), r);
                case 'C' -> InquestRecorder.value((int) U.getChar(o, at), r);
                case 'S' -> InquestRecorder.value((int) U.getShort(o, at), r);
                case 'I', 'F' -> InquestRecorder.value(U.getInt(o, at), r);
                case 'J', 'D' -> InquestRecorder.value(U.getLong(o, at), r);
                default -> InquestValues.ref(U.getReference(o, at), r);
            }
        }
        return count;
    }

    /**
     * What an object holds that was seen before, once more; and what it keeps beside that in an object that only it has.
     */
    static void again(Object o, InquestRecorder r) {
        InquestTypes.Layout layout = InquestTypes.of(o.getClass()).layout();
        if (layout == null) return;
        fields(o, layout, r);
        for (int i = 0; i < layout.offsets.length; i++) {
            if (layout.kinds.charAt(i) != 'L') continue;
            Object part = U.getReference(o, layout.offsets[i]);
            if (part != null && part.getClass().getName().startsWith("sun.util.calendar.")) show(part, r);
        }
    }

    /**
     * The program has seen the object, and code of java.util.concurrent has written to it; -1: some field. What is there now
     * is looked up behind an ordering point: who writes after that look has a later one, so the last record is the last state.
     */
    static void swapped(Object o, long offset, InquestRecorder r, int site) {
        try {
            if (!o.getClass().isArray()) {
                InquestTypes.Layout layout = InquestTypes.of(o.getClass()).layout();
                if (layout == null || offset >= 0 && !layout.has(offset)) return;
                InquestRecorder.order(r);
                fields(o, layout, r);
                showSeen(r);
            } else {
                int scale = U.arrayIndexScale(o.getClass());
                // Elements begin at a multiple of their size.
                long base = InquestIdentity.BYTES + scale - 1 & -scale;
                swappedElement(o, (int) ((offset - base) / scale), r, site);
            }
        } catch (Throwable outOfMemoryOrStack) {
            // It stays as it was known.
        }
    }

    static void swappedElement(Object array, int i, InquestRecorder r, int site) {
        InquestRecorder.order(r);
        if (array instanceof Object[] a) InquestRecorder.element(a, i, a[i], r, site);
        else if (array instanceof int[] a) InquestRecorder.element(a, i, a[i], r, site);
        else if (array instanceof long[] a) InquestRecorder.element(a, i, a[i], r, site);
    }

    /** The elements of an array as they are now, up to the limit. */
    static int elements(Object array, InquestRecorder r) {
        int length = length(array);
        int shown = Math.min(length, InquestAgent.MAX_ARRAY);
        int id = InquestIdentity.nameOf(array, false, r);
        if (array instanceof Object[] a) {
            int from = 0;
            do {
                int count = Math.min(shown - from, 64);
                long p = InquestChunk.room(15 + 5 * count, r);
                U.putByte(p, (byte) Tag.CONTENTS);
                U.putInt(p + 1, id);
                U.putInt(p + 5, length);
                U.putInt(p + 9, from);
                U.putShort(p + 13, (short) count);
                r.pos = p + 15;
                for (int i = 0; i < count; i++) {
                    if (r.pos > r.limit) InquestChunk.changeChunk(r);
                    InquestValues.ref(a[from + i], r);
                }
                from += count;
            } while (from < shown);
            return shown;
        }
        char kind = array.getClass().getName().charAt(1);
        int shift = kind == 'B' || kind == 'Z' ? 0 : kind == 'C' || kind == 'S' ? 1 : kind == 'I' || kind == 'F' ? 2 : 3;
        // Longs and doubles begin at a multiple of eight.
        long base = shift == 3 ? InquestIdentity.BYTES + 7 & ~7 : InquestIdentity.BYTES;
        int from = 0;
        do {
            int count = Math.min(shown - from, 1024 >> shift);
            long p = InquestChunk.room(16 + (count << shift), r);
            U.putByte(p, (byte) Tag.CONTENT);
            U.putInt(p + 1, id);
            U.putInt(p + 5, length);
            U.putInt(p + 9, from);
            U.putShort(p + 13, (short) count);
            U.putByte(p + 15, (byte) kind);
            U.copyMemory(array, base + ((long) from << shift), null, p + 16, (long) count << shift);
            r.pos = p + 16 + (count << shift);
            from += count;
        } while (from < shown);
        return shown;
    }

    static int length(Object array) {
        if (array instanceof Object[] a) return a.length;
        if (array instanceof int[] a) return a.length;
        if (array instanceof byte[] a) return a.length;
        if (array instanceof char[] a) return a.length;
        if (array instanceof long[] a) return a.length;
        if (array instanceof double[] a) return a.length;
        if (array instanceof boolean[] a) return a.length;
        if (array instanceof short[] a) return a.length;
        return ((float[]) array).length;
    }
}
