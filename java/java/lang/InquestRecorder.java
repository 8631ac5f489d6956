package java.lang;

import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The probes: instrumented code calls the static methods of this class, which append records (docs/format.md) to the
 * current thread's chunk of the shared pool. An instance is what a thread's probes know; woven code gets it once per call
 * and hands it on, so all of that stands in one object.
 *
 * <p>This class and those beside it live in java.lang, defined by the boot loader, so that every class sees them and so
 * that they may use the internals that make a probe cost a nanosecond. They must not use java.util (that is
 * instrumented), must not draw identity hash codes (the program would see other ones than without us), and must not let
 * an exception out. Woven code names no other class of ours than this one: the program's class loaders are asked for it.
 */
public final class InquestRecorder {
    private static final Unsafe U = Unsafe.getUnsafe();

    // The chunk, see InquestChunk: where the next record goes, up to where no check is needed; the open calls.
    long pos;
    long limit;
    int depth;
    long base;
    // The thread and its stream, see InquestThreads.
    final long tid;
    final boolean virtual;
    int stream;
    int chunks;
    /** The stream was ended between two outermost calls: the next one begins another. */
    boolean between;
    /** Where the outermost call was entered, and in which of the stream's chunks; how often it was said that one failed. */
    long entered;
    int enteredChunk, failures;
    /** Numbers that this thread may give, see InquestNames and InquestStrings. */
    int nextProgram, endProgram, nextLibrary, endLibrary, nextText, endText;
    /** The thread's native stack, where the VM may keep the marks of objects that the thread has locked. */
    long stack, stackSize;
    /** The last objects whose names were not in their marks, by the monitor's address or the hash code. */
    final InquestIdentity.Aside[] lately = new InquestIdentity.Aside[InquestIdentity.LATELY];
    InquestRecorder next;
    /** The next array to be named was made by the program just now: all zeros. */
    boolean fresh;
    /** An object that got a name and still has to be introduced: the stack may end before that is done. */
    Object owed;
    int owedName;
    /** Objects that were named outside of the program's own code, whose content is still to be recorded. */
    Object[] seen = new Object[16];
    int seenCount;
    boolean showing;
    /** The call that is announced: a method's number and the name of the receiver, or {@link #RETURNED}; 0 = none. */
    long announced;
    /** Whether the call that began last was announced, and so is linked. */
    public boolean linked;
    /** Calls that were linked so far, in this outermost call. */
    int links;

    /** Announced is the end of a linked call. */
    private static final long RETURNED = -1;

    InquestRecorder(long tid, boolean virtual) {
        this.tid = tid;
        this.virtual = virtual;
        InquestChunk.sink(this);
    }

    @ForceInline
    @Hidden
    public static InquestRecorder get() {
        Thread thread = Thread.currentThread();
        long tid = U.getLong(thread, InquestThreads.TID);
        InquestRecorder r = InquestThreads.TABLE[(int) tid & InquestThreads.TABLE_MASK];
        return r.tid == tid ? r : InquestThreads.find(thread, tid);
    }

    @ForceInline
    @Hidden
    public static void check(InquestRecorder r) {
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
    }

    // ---- calls ----

    /** A call begins that is never linked. */
    @ForceInline
    @Hidden
    public static int enter(InquestRecorder r, int method) {
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
        if (r.announced != 0) unlink(r);
        return begin(r, method);
    }

    /** A call of a method begins that is named by its number. */
    @ForceInline
    @Hidden
    public static int enter(InquestRecorder r, int method, int number) {
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
        if (r.announced == (long) number << 32) return link(r);
        if (r.announced != 0) unlink(r);
        r.linked = false;
        return begin(r, method);
    }

    /** A call of a method begins that is selected by its receiver. */
    @ForceInline
    @Hidden
    public static int enter(InquestRecorder r, int method, int number, Object receiver) {
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
        long announced = r.announced;
        if (announced != 0) {
            int name = InquestIdentity.nameIfDirect(receiver, r);
            if (name != 0 && announced == ((long) number << 32 | name & 0xFFFFFFFFL)) return link(r);
            unlink(r);
        }
        r.linked = false;
        return begin(r, method);
    }

    @ForceInline
    private static int link(InquestRecorder r) {
        r.announced = 0;
        r.linked = true;
        r.links++;
        return r.depth += 1;
    }

    @ForceInline
    private static int begin(InquestRecorder r, int method) {
        int d = r.depth + 1;
        long p = r.pos;
        if (method >>> 16 == 0) {
            U.putLong(p, (long) method << 8 | Tag.ENTER_SHORT);
            r.pos = p + 3;
        } else {
            U.putLong(p, (method & 0xFFFFFFFFL) << 8 | Tag.ENTER);
            r.pos = p + 5;
        }
        r.depth = d;
        return d;
    }

    /** A method is called that is named by its number. */
    @ForceInline
    @Hidden
    public static void announce(InquestRecorder r, int number) {
        r.announced = (long) number << 32;
    }

    /** A method is called that the receiver's class selects. Without a name that is to be relied on, nobody answers to it. */
    @ForceInline
    @Hidden
    public static void announce(Object receiver, InquestRecorder r, int number) {
        int name = receiver == null ? 0 : InquestIdentity.nameIfDirect(receiver, r);
        r.announced = (long) number << 32 | name & 0xFFFFFFFFL;
    }

    /**
     * Something else happens than what was announced: the reader must know before, and of which call. That is told by how many
     * were linked before it, for these leave nothing else in the log.
     */
    @DontInline
    @Hidden
    public static void unlink(InquestRecorder r) {
        long announced = r.announced;
        r.announced = 0;
        if (announced == 0 || announced == RETURNED) return;
        long p = r.pos;
        U.putLong(p, (r.links & 0xFFFFFFFFL) << 8 | Tag.UNLINKED);
        r.pos = p + 5;
    }

    /** An announced call came back. */
    @ForceInline
    @Hidden
    private static boolean isLinked(InquestRecorder r) {
        long announced = r.announced;
        if (announced == RETURNED) {
            r.announced = 0;
            return true;
        }
        if (announced != 0) unlink(r);
        return false;
    }

    @ForceInline
    @Hidden
    public static void back(InquestRecorder r) {
        if (!isLinked(r)) returned(r);
    }

    @ForceInline
    @Hidden
    public static void back(int v, InquestRecorder r) {
        if (!isLinked(r)) value(v, r);
    }

    @ForceInline
    @Hidden
    public static void back(long v, InquestRecorder r) {
        if (!isLinked(r)) value(v, r);
    }

    @ForceInline
    @Hidden
    public static void back(float v, InquestRecorder r) {
        if (!isLinked(r)) value(v, r);
    }

    @ForceInline
    @Hidden
    public static void back(double v, InquestRecorder r) {
        if (!isLinked(r)) value(v, r);
    }

    @ForceInline
    @Hidden
    public static void back(Object v, InquestRecorder r) {
        if (!isLinked(r)) result(v, r);
    }

    /** An announced constructor came back; the object's name is told within, if it was linked. */
    @ForceInline
    @Hidden
    public static void constructed(Object o, InquestRecorder r) {
        if (isLinked(r)) return;
        returned(r);
        result(o, r);
    }

    /** The end of a call that may be linked. */
    @ForceInline
    @Hidden
    public static void exit(InquestRecorder r, int d, boolean linked) {
        if (!linked) {
            exit(r, d);
            return;
        }
        r.depth = d - 1;
        r.announced = RETURNED;
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
    }

    @ForceInline
    @Hidden
    public static void exit(InquestRecorder r, int d) {
        long p = r.pos;
        r.announced = 0;
        U.putByte(p, (byte) Tag.EXIT);
        r.pos = p + 1;
        r.depth = d - 1;
        if (p > r.limit || d == 1) InquestChunk.changeChunk(r);
    }

    /** Detail calls and heap: the result follows. */
    @ForceInline
    @Hidden
    public static void exitValue(InquestRecorder r, int d) {
        long p = r.pos;
        r.announced = 0;
        U.putByte(p, (byte) Tag.EXIT_VALUE);
        r.pos = p + 1;
    }

    /** Detail calls and heap: the result has been written. The thread is in the call until then, as at an exception. */
    @ForceInline
    @Hidden
    public static void exited(InquestRecorder r, int d) {
        r.depth = d - 1;
        if (r.pos > r.limit || d == 1) InquestChunk.changeChunk(r);
    }

    /** Before an exception is recorded: makes room, and says what nothing else would tell of the calls before it. */
    @Hidden
    private static void raised(Throwable t, InquestRecorder r) {
        InquestChunk.room(40, r);
        if (r.announced != 0) unlink(r);
        // The stack may end at any call, also at one of ours that stands before the program's.
        if (t instanceof StackOverflowError) {
            U.putLong(r.pos, (r.links & 0xFFFFFFFFL) << 8 | Tag.LINKS);
            r.pos += 5;
        }
    }

    @DontInline
    @Hidden
    public static void unwind(Throwable t, InquestRecorder r, int d) {
        raised(t, r);
        long p = r.pos;
        U.putLong(p, (d & 0xFFFFFFFFL) << 8 | Tag.UNWIND);
        r.pos = p + 5;
        if (d > 1) {
            r.depth = d - 1;
            InquestValues.ref(t, r);
            return;
        }
        // The thread is in the outermost call until all of it is written: outside, a chunk's end means something else.
        try {
            InquestValues.ref(t, r);
        } finally {
            r.depth = 0;
            InquestChunk.failed(t, r);
        }
    }

    @DontInline
    @Hidden
    public static void caught(Throwable t, InquestRecorder r, int d, int handler) {
        raised(t, r);
        long p = r.pos;
        U.putLong(p, (handler & 0xFFFFL) << 40 | (d & 0xFFFFFFFFL) << 8 | Tag.CATCH);
        r.pos = p + 7;
        r.depth = d;
        InquestValues.ref(t, r);
    }

    @ForceInline
    @Hidden
    public static void returned(InquestRecorder r) {
        long p = r.pos;
        U.putByte(p, (byte) Tag.RETURN);
        r.pos = p + 1;
    }

    @DontInline
    @Hidden
    public static void order(InquestRecorder r) {
        InquestChunk.room(8, r);
        InquestChunk.order(r);
    }

    // ---- values ----

    @ForceInline
    @Hidden
    public static void value(int v, InquestRecorder r) {
        long p = r.pos;
        // Most numbers are small: they take one byte, or three, instead of five. The store is the same, only the rest of
        // it is overwritten by the next record.
        boolean tiny = v >= -1 && v < 0xFF - Tag.TINY, small = (short) v == v;
        U.putLong(p, tiny ? Tag.TINY + 1 + v : (v & (small ? 0xFFFFL : 0xFFFFFFFFL)) << 8 | (small ? Tag.I16 : Tag.I32));
        r.pos = p + (tiny ? 1 : small ? 3 : 5);
    }

    @ForceInline
    @Hidden
    public static void value(long v, InquestRecorder r) {
        long p = r.pos;
        U.putByte(p, (byte) Tag.I64);
        U.putLong(p + 1, v);
        r.pos = p + 9;
    }

    @ForceInline
    @Hidden
    public static void value(float v, InquestRecorder r) {
        value(Float.floatToRawIntBits(v), r);
    }

    @ForceInline
    @Hidden
    public static void value(double v, InquestRecorder r) {
        value(Double.doubleToRawLongBits(v), r);
    }

    @ForceInline
    @Hidden
    public static void value(Object o, InquestRecorder r) {
        InquestValues.read(o, r);
    }

    /** A value that belongs to the record before it. */
    @ForceInline
    @Hidden
    public static void argument(Object o, InquestRecorder r) {
        InquestValues.ref(o, r);
    }

    /** All arguments of a call are written: what those hold that are new to us. */
    @ForceInline
    @Hidden
    public static void arguments(InquestRecorder r) {
        if (r.seenCount > 0) InquestContent.showSeen(r);
    }

    // ---- writes and new objects, at detail heap ----

    @ForceInline
    @Hidden
    private static void at(int tag, int site, InquestRecorder r) {
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
        long p = r.pos;
        U.putLong(p, (site & 0xFFFFFFFFL) << 8 | tag);
        r.pos = p + 5;
    }

    @Hidden
    public static void created(Object o, InquestRecorder r, int site) {
        at(Tag.NEW, site, r);
        InquestValues.ref(o, r);
        if (r.seenCount > 0) InquestContent.showSeen(r);
    }

    @Hidden
    public static void field(Object o, int v, InquestRecorder r, int site) {
        at(Tag.FIELD, site, r);
        InquestValues.ref(o, r);
        value(v, r);
    }

    @Hidden
    public static void field(Object o, long v, InquestRecorder r, int site) {
        at(Tag.FIELD, site, r);
        InquestValues.ref(o, r);
        value(v, r);
    }

    @Hidden
    public static void field(Object o, float v, InquestRecorder r, int site) {
        field(o, Float.floatToRawIntBits(v), r, site);
    }

    @Hidden
    public static void field(Object o, double v, InquestRecorder r, int site) {
        field(o, Double.doubleToRawLongBits(v), r, site);
    }

    @Hidden
    public static void field(Object o, Object v, InquestRecorder r, int site) {
        at(Tag.FIELD, site, r);
        InquestValues.ref(o, r);
        InquestValues.ref(v, r);
        if (r.seenCount > 0) InquestContent.showSeen(r);
    }

    @Hidden
    public static void written(int v, InquestRecorder r, int site) {
        at(Tag.STATIC, site, r);
        value(v, r);
    }

    @Hidden
    public static void written(long v, InquestRecorder r, int site) {
        at(Tag.STATIC, site, r);
        value(v, r);
    }

    @Hidden
    public static void written(float v, InquestRecorder r, int site) {
        written(Float.floatToRawIntBits(v), r, site);
    }

    @Hidden
    public static void written(double v, InquestRecorder r, int site) {
        written(Double.doubleToRawLongBits(v), r, site);
    }

    @Hidden
    public static void written(Object v, InquestRecorder r, int site) {
        at(Tag.STATIC, site, r);
        InquestValues.ref(v, r);
        if (r.seenCount > 0) InquestContent.showSeen(r);
    }

    @Hidden
    public static void element(Object a, int i, int v, InquestRecorder r, int site) {
        at(Tag.ELEMENT, site, r);
        InquestValues.ref(a, r);
        value(i, r);
        value(v, r);
    }

    @Hidden
    public static void element(Object a, int i, long v, InquestRecorder r, int site) {
        at(Tag.ELEMENT, site, r);
        InquestValues.ref(a, r);
        value(i, r);
        value(v, r);
    }

    @Hidden
    public static void element(Object a, int i, float v, InquestRecorder r, int site) {
        element(a, i, Float.floatToRawIntBits(v), r, site);
    }

    @Hidden
    public static void element(Object a, int i, double v, InquestRecorder r, int site) {
        element(a, i, Double.doubleToRawLongBits(v), r, site);
    }

    @Hidden
    public static void element(Object a, int i, Object v, InquestRecorder r, int site) {
        at(Tag.ELEMENT, site, r);
        InquestValues.ref(a, r);
        value(i, r);
        InquestValues.ref(v, r);
        if (r.seenCount > 0) InquestContent.showSeen(r);
    }

    // ---- writes inside java.util, below a call of the program ----

    /** The recorder, if the write is to be recorded: the program has seen the object and called what writes it. */
    @ForceInline
    @Hidden
    private static InquestRecorder watching(Object o) {
        if (!InquestAgent.CONTENT_WANTED) return null;
        long mark = InquestIdentity.mark(o);
        return InquestIdentity.isNamed(mark) ? below() : (mark & 7) == 1 ? null : belowLocked(o);
    }

    /** A locked object's name is not in its mark, unless the VM locks without moving the mark away. */
    @DontInline
    private static InquestRecorder belowLocked(Object o) {
        InquestRecorder r = below();
        if (r == null) return null;
        return InquestKinds.isSeen(o) && InquestIdentity.known(o, 0, r) != 0 ? r : null;
    }

    @DontInline
    private static InquestRecorder below() {
        InquestRecorder r = InquestThreads.current();
        if (r == null || r.depth == 0) return null;
        if (r.announced != 0) unlink(r);
        return r;
    }

    @Hidden
    public static void inside(Object o, int v, int site) {
        InquestRecorder r = watching(o);
        if (r != null) field(o, v, r, site);
    }

    @Hidden
    public static void inside(Object o, long v, int site) {
        InquestRecorder r = watching(o);
        if (r != null) field(o, v, r, site);
    }

    @Hidden
    public static void inside(Object o, float v, int site) {
        inside(o, Float.floatToRawIntBits(v), site);
    }

    @Hidden
    public static void inside(Object o, double v, int site) {
        inside(o, Double.doubleToRawLongBits(v), site);
    }

    @Hidden
    public static void inside(Object o, Object v, int site) {
        InquestRecorder r = watching(o);
        if (r != null) field(o, v, r, site);
    }

    @Hidden
    public static void inside(Object a, int i, int v, int site) {
        InquestRecorder r = watching(a);
        if (r != null) element(a, i, v, r, site);
    }

    @Hidden
    public static void inside(Object a, int i, long v, int site) {
        InquestRecorder r = watching(a);
        if (r != null) element(a, i, v, r, site);
    }

    @Hidden
    public static void inside(Object a, int i, float v, int site) {
        inside(a, i, Float.floatToRawIntBits(v), site);
    }

    @Hidden
    public static void inside(Object a, int i, double v, int site) {
        inside(a, i, Double.doubleToRawLongBits(v), site);
    }

    @Hidden
    public static void inside(Object a, int i, Object v, int site) {
        InquestRecorder r = watching(a);
        if (r != null) element(a, i, v, r, site);
    }

    @Hidden
    public static void copied(Object from, int at, Object to, int start, int length, int site) {
        InquestRecorder r = watching(to);
        if (r == null) return;
        // A copy is what the source held before: what was not seen of that must be recorded first.
        if (from != to && !InquestIdentity.isNamed(InquestIdentity.mark(from))) InquestContent.showFirst(from, r);
        at(Tag.COPY, site, r);
        InquestValues.ref(from, r);
        value(at, r);
        InquestValues.ref(to, r);
        value(start, r);
        value(length, r);
        InquestContent.showSeen(r);
    }

    // ---- writes inside java.util.concurrent, where threads meet without an ordering point of the program's ----

    @Hidden
    public static void shared(Object o, int v, int site) {
        swapped(o, site);
    }

    @Hidden
    public static void shared(Object o, long v, int site) {
        swapped(o, site);
    }

    @Hidden
    public static void shared(Object o, float v, int site) {
        swapped(o, site);
    }

    @Hidden
    public static void shared(Object o, double v, int site) {
        swapped(o, site);
    }

    @Hidden
    public static void shared(Object o, Object v, int site) {
        swapped(o, site);
    }

    @Hidden
    public static void shared(Object a, int i, int v, int site) {
        swapped(a, i, site);
    }

    @Hidden
    public static void shared(Object a, int i, long v, int site) {
        swapped(a, i, site);
    }

    @Hidden
    public static void shared(Object a, int i, float v, int site) {
        inside(a, i, v, site);
    }

    @Hidden
    public static void shared(Object a, int i, double v, int site) {
        inside(a, i, v, site);
    }

    @Hidden
    public static void shared(Object a, int i, Object v, int site) {
        swapped(a, i, site);
    }

    /** A field of `o` was written by its offset. */
    @Hidden
    public static void swapped(Object o, long offset, int site) {
        InquestRecorder r = o == null ? null : watching(o);
        if (r != null) InquestContent.swapped(o, offset, r, site);
    }

    /** A field of `o` was written by a handle. */
    @Hidden
    public static void swapped(Object o, int site) {
        InquestRecorder r = o == null ? null : watching(o);
        if (r != null) InquestContent.swapped(o, -1, r, site);
    }

    /** So was an element of an array. */
    @Hidden
    public static void swapped(Object a, int i, int site) {
        InquestRecorder r = a == null ? null : watching(a);
        if (r != null) InquestContent.swappedElement(a, i, r, site);
    }

    // ---- detail full ----

    /** A library call returned: its result, and what it holds if it is new to us; arrays may have changed. */
    @Hidden
    public static void result(Object o, InquestRecorder r) {
        InquestValues.ref(o, r);
        if (r.seenCount > 0) InquestContent.showSeen(r);
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
    }

    /** An array was given to a library call that may have written to it. */
    @DontInline
    @Hidden
    public static void given(Object array, InquestRecorder r) {
        if (array == null || InquestAgent.WEAVE_ONLY || !InquestAgent.CONTENT_WANTED) return;
        try {
            if (array.getClass().isArray()) InquestContent.elements(array, r);
            InquestContent.showSeen(r);
        } catch (Throwable outOfMemoryOrStack) {
            // The elements stay as they were known.
        }
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
    }

    /** A library call came back that may have changed what this object of a library holds, out of sight. */
    @DontInline
    @Hidden
    public static void again(Object o, InquestRecorder r) {
        if (o == null || InquestAgent.WEAVE_ONLY || !InquestAgent.CONTENT_WANTED) return;
        try {
            InquestContent.again(o, r);
            InquestContent.showSeen(r);
        } catch (Throwable outOfMemoryOrStack) {
            // It stays as it was known.
        }
        if (r.pos > r.limit) InquestChunk.changeChunk(r);
    }

    /** The program made an array. */
    @Hidden
    public static void made(Object array, InquestRecorder r) {
        r.fresh = true;
        InquestValues.ref(array, r);
        r.fresh = false;
    }

    @ForceInline
    @Hidden
    public static int same(Object a, Object b) {
        return a == b ? 1 : 0;
    }

    // ---- hash codes that the program asks for, see InquestIdentity ----

    @ForceInline
    @Hidden
    public static int identity(int hash, Object o) {
        return InquestIdentity.identity(hash, o);
    }

    @ForceInline
    @Hidden
    public static int hash(int hash, Object o) {
        return InquestIdentity.hash(hash, o);
    }

    /** In place of a reference to `hashCode`. */
    @Hidden
    public static int hashOf(Object o) {
        return InquestIdentity.hash(o.hashCode(), o);
    }

    /** In place of a reference to `System.identityHashCode`. */
    @Hidden
    public static int identityOf(Object o) {
        return InquestIdentity.identity(System.identityHashCode(o), o);
    }

    /** What a method gave that was called by reflection. The VM's names of methods are the constants that they are. */
    @Hidden
    public static Object reflected(Object result, java.lang.reflect.Method method, Object o, Object[] arguments) {
        String name = method.getName();
        if (name == "hashCode") {
            if (o != null && result instanceof Integer code && method.getParameterCount() == 0) return hash(code, o);
        } else if (name == "identityHashCode" && method.getDeclaringClass() == System.class) {
            if (result instanceof Integer code && arguments.length == 1) return identity(code, arguments[0]);
        }
        return result;
    }

    // ---- keeping out of the program's sight ----

    /** A class loader of the program is asked for this class by the VM only because of us. */
    @Hidden
    public static boolean isRecorder(String name) {
        return "java.lang.InquestRecorder".equals(name);
    }

    @Hidden
    public static Class<?> recorder() {
        return InquestRecorder.class;
    }
}
