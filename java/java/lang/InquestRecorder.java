package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The part of the recorder that runs inside the debuggee: instrumented code calls its static methods, which append
 * records (docs/format.md) to the current thread's chunk of the shared pool.
 *
 * <p>It lives in java.lang, defined by the boot loader, so that every class sees it and so that it may use the
 * internals that make a probe cost a nanosecond. It must not use java.util (that is instrumented), must not draw
 * identity hash codes (the program would see other ones than without us), and must not let an exception out.
 */
public final class InquestRecorder {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Settings and addresses, see `Setting` in the agent.
    private static final boolean LINKED = setting(-1) != 0;
    private static final long SEQ = setting(0);
    private static final long KLASSES = setting(1);
    private static final long COUNTERS = setting(2);
    private static final int MAX_STRING = (int) setting(3);
    private static final int MAX_ARRAY = (int) setting(4);
    /** Whether the content of collections and arrays is recorded: at every detail but `calls`. */
    private static final boolean CONTENT_WANTED = setting(8) != 0;
    private static final int CHUNK = (int) setting(5);
    private static final long SINK = setting(6);
    /** Instrumented code runs but nothing is recorded: for checking that every class links. */
    private static final boolean WEAVE_ONLY = setting(7) != 0;

    /** Where the elements of a byte array begin. */
    private static final int BYTES = InquestIdentity.BYTES;

    /** Fast records between two checks of the limit take at most this much; the weaver sees to it. */
    private static final int SLACK = 2048 + 64;

    private static final int I32 = 0x01, I64 = 0x02, REF = 0x03, STR = 0x04, BOX = 0x05, BOX64 = 0x06, CLASS = 0x07,
            ENUM = 0x08, I8 = 0x09, NULL = 0x0A, ENTER = 0x10, EXIT = 0x11, UNWIND = 0x12, CATCH = 0x13, RETURN = 0x14, SEQUENCE = 0x15,
            STOP = 0x16, EXIT_VALUE = 0x17, ENTER_SHORT = 0x18, OBJECT = 0x20, ARRAY = 0x21, STRING = 0x22, ENUM_OBJECT = 0x23,
            EXCEPTION = 0x24, ENUM_NAME = 0x25, DOUBT = 0x26, FIELD = 0x30, STATIC = 0x31, ELEMENT = 0x32,
            COPY = 0x33, FIELDS = 0x34, CONTENT = 0x35, CONTENTS = 0x36, NEW = 0x43;

    // Kinds of classes, the low bits of a klass table entry; whether its `hashCode` is that of Object is found out when
    // it matters.
    private static final int PROGRAM = 1, LIBRARY = 2, TEXT = 3, BOXED = 4, MIRROR = 5, CONSTANT = 6, KIND = 7;
    private static final int HASHED_BY_IDENTITY = 8, HASHED_BY_ITSELF = 16;
    private static final int INFO_BITS = 8;
    private static final int KLASS_MASK = 0xFFFF;

    static final int UNKNOWN_IDENTITY = 0x7FFFFFFF;
    private static final int BLOCK = 1024;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    private static final long MESSAGE = U.objectFieldOffset(Throwable.class, "detailMessage");
    private static final int TABLE_MASK = 4095;
    private static final InquestRecorder NONE = new InquestRecorder(-1, false);
    private static final InquestRecorder[] TABLE = new InquestRecorder[TABLE_MASK + 1];
    private static final InquestRecorder[] ALL = new InquestRecorder[1 << 14];
    private static final Text[] TEXTS = new Text[1 << 14];
    private static final Type[] TYPES = new Type[1 << 12];
    private static ClassLoader[] loaders = new ClassLoader[16];
    private static int loaderCount = 1;

    static {
        for (int i = 0; i <= TABLE_MASK; i++) TABLE[i] = NONE;
        // Initialising a class draws an identity hash code: do it now, where the agent makes up for it.
        new Text("", 0);
        new Type(Object.class, 0, null, "", null);
    }

    // One recorder per thread.
    private long pos;
    private long limit;
    private int depth;
    private long base;
    private final long tid;
    private final boolean virtual;
    private int stream;
    private int chunks;
    private int nextProgram, endProgram, nextLibrary, endLibrary, nextText, endText;
    /** The thread's native stack, where the VM may keep the marks of objects that the thread has locked. */
    private long stack, stackSize;
    /** The last objects whose names were not in their marks, by the monitor's address or the hash code. */
    final InquestIdentity.Aside[] lately = new InquestIdentity.Aside[InquestIdentity.LATELY];
    private InquestRecorder next;

    private InquestRecorder(long tid, boolean virtual) {
        this.tid = tid;
        this.virtual = virtual;
        sink();
    }

    private static final class Text {
        final String text;
        final int id;

        Text(String text, int id) {
            this.text = text;
            this.id = id;
        }
    }

    private static final class Type {
        final Class<?> type;
        final int id;
        /** Where the fields of a class of java.util are, and their kinds; null for other classes. */
        final long[] offsets;
        final String kinds;
        final Type next;

        Type(Class<?> type, int id, long[] offsets, String kinds, Type next) {
            this.type = type;
            this.id = id;
            this.offsets = offsets;
            this.kinds = kinds;
            this.next = next;
        }
    }

    // ---- natives, in the agent ----

    static native long setting(int which);

    /** Publishes the chunk at `base` (0 = none) and gives the address of a new one; 0 when recording has stopped. */
    private static native long chunk(long base, int length, int stream, int seq, boolean last);

    /** Publishes the stream's last chunk. */
    private static native void finish(long base, int length, int stream, int seq);

    private static native int stream(Thread thread, long tid, String name, int flags);

    private static native int type(String name, int loader, int superType, int flags);

    private static native void text(int id, byte[] value, int length, int utf16, int chars);

    /** Writes the fields of a class down and gives them as `name:K`, K their kind; `^` goes to the superclass. */
    private static native String fields(Class<?> type, int id);

    /** What makes a child JVM load the agent, or null: 0 arguments, 1 environment, 2 also set in this process's. */
    private static native String child(int kind);

    private static native void note(int code, String text);

    /** The eight bytes at an address, also where memory may be gone: then 0. */
    static native long peek(long address);

    /** Where the current thread's native stack begins (0), and how large it is (1). */
    private static native long stack(int which);

    /** The VM's hash code of an object; if it had none, it is `code`, and bit 32 is set. */
    static native long hashAs(Object o, int code);

    /** Whether a class, of a class loader that has this number, is recorded as program code. */
    private static native boolean isProgram(String name, int loader);

    /** Whether a class or a superclass other than Object declares `hashCode`. */
    private static native boolean declaresHash(Class<?> type);

    // ---- finding the recorder of the current thread ----

    @ForceInline
    @Hidden
    public static InquestRecorder get() {
        Thread thread = Thread.currentThread();
        long tid = U.getLong(thread, TID);
        InquestRecorder r = TABLE[(int) tid & TABLE_MASK];
        return r.tid == tid ? r : find(thread, tid);
    }

    @DontInline
    @Hidden
    private static InquestRecorder find(Thread thread, long tid) {
        if (WEAVE_ONLY) return NONE;
        try {
            return make(thread, tid);
        } catch (Throwable outOfMemoryOrStack) {
            return NONE;
        }
    }

    private static InquestRecorder make(Thread thread, long tid) {
        InquestRecorder r = known(tid);
        if (r == null) {
            r = new InquestRecorder(tid, thread.getClass() != Thread.class && isVirtual(thread));
            r.open(thread);
            synchronized (ALL) {
                int slot = bucket(tid);
                r.next = ALL[slot];
                ALL[slot] = r;
            }
        }
        TABLE[(int) tid & TABLE_MASK] = r;
        return r;
    }

    private static int bucket(long tid) {
        return (int) (tid * 0x9E3779B97F4A7C15L >>> 50);
    }

    private static InquestRecorder known(long tid) {
        synchronized (ALL) {
            for (InquestRecorder r = ALL[bucket(tid)]; r != null; r = r.next) {
                if (r.tid == tid) return r;
            }
            return null;
        }
    }

    private static boolean isVirtual(Thread thread) {
        for (Class<?> c = thread.getClass(); c != Thread.class; c = c.getSuperclass()) {
            if (c.getName() == "java.lang.BaseVirtualThread" || c.getName().equals("java.lang.BaseVirtualThread")) return true;
        }
        return false;
    }

    private void open(Thread thread) {
        int flags = (virtual || thread.isDaemon() ? 1 : 0) | (virtual ? 2 : 0);
        String name = thread.getName();
        stream = stream(thread, tid, name == null ? "" : name, flags);
        if (!virtual && InquestIdentity.MOVED_TO_STACK) {
            stack = stack(0);
            stackSize = stack(1);
        }
        take(chunk(0, 0, stream, 0, false));
        limit = OUTSIDE;
    }

    private void take(long address) {
        if (address == 0) {
            stream = 0;
            sink();
        } else {
            base = address;
            pos = address;
            limit = address + CHUNK - SLACK;
            chunks++;
        }
    }

    private void sink() {
        base = SINK;
        pos = SINK;
        limit = SINK + CHUNK - SLACK;
    }

    /** Loads a class of the JDK without initialising it: called by the agent while it starts. */
    static void load(String name) {
        try {
            Class.forName(name, false, null);
        } catch (Throwable notThere) {
            // Then it is woven if it is ever loaded.
        }
    }

    /** The thread ends: called by the agent on that thread. */
    static void ended() {
        InquestRecorder r = known(U.getLong(Thread.currentThread(), TID));
        if (r != null) r.close();
    }

    private void close() {
        if (stream != 0) {
            finish(base, (int) (pos - base), stream, chunks - 1);
            stream = 0;
        }
        sink();
        synchronized (ALL) {
            int slot = bucket(tid);
            InquestRecorder before = null;
            for (InquestRecorder r = ALL[slot]; r != null; before = r, r = r.next) {
                if (r == this) {
                    if (before == null) ALL[slot] = next;
                    else before.next = next;
                    break;
                }
            }
        }
        int slot = (int) tid & TABLE_MASK;
        if (TABLE[slot] == this) TABLE[slot] = NONE;
    }

    // ---- space ----

    @ForceInline
    @Hidden
    public static void check(InquestRecorder r) {
        if (r.pos > r.limit) r.full();
    }

    /**
     * The chunk is full, or the thread enters or leaves its outermost call of program code. While it is outside of one,
     * the limit is below every position, so that `enter` comes here without a test of its own.
     */
    @DontInline
    @Hidden
    private void full() {
        if (depth == 0 && limit != OUTSIDE) {
            while (seenCount > 0) seen[--seenCount] = null;
            limit = OUTSIDE;
            if (virtual) close();
            return;
        }
        if (stream == 0) {
            sink();
        } else {
            limit = base + CHUNK - SLACK;
            if (pos > limit) take(chunk(base, (int) (pos - base), stream, chunks, false));
        }
        if (depth == 0) {
            long p = pos;
            U.putLong(p, (U.getAndAddLong(null, SEQ, 1) + 1) << 8 | SEQUENCE);
            pos = p + 8;
        }
    }

    private static final long OUTSIDE = Long.MIN_VALUE;

    /** Makes room for a record of `size` bytes outside of what the weaver reckoned with. */
    private long room(int size) {
        if (pos + size > limit) full();
        return pos;
    }

    // ---- calls ----

    @ForceInline
    @Hidden
    public static int enter(InquestRecorder r, int method) {
        if (r.pos > r.limit) r.full();
        int d = r.depth + 1;
        long p = r.pos;
        if (method >>> 16 == 0) {
            U.putLong(p, (long) method << 8 | ENTER_SHORT);
            r.pos = p + 3;
        } else {
            U.putLong(p, (method & 0xFFFFFFFFL) << 8 | ENTER);
            r.pos = p + 5;
        }
        r.depth = d;
        return d;
    }

    @ForceInline
    @Hidden
    public static void exit(InquestRecorder r, int d) {
        long p = r.pos;
        U.putByte(p, (byte) EXIT);
        r.pos = p + 1;
        r.depth = d - 1;
        if (p > r.limit || d == 1) r.full();
    }

    /** Detail calls and heap: the result follows. */
    @ForceInline
    @Hidden
    public static void exitValue(InquestRecorder r, int d) {
        long p = r.pos;
        U.putByte(p, (byte) EXIT_VALUE);
        r.pos = p + 1;
        r.depth = d - 1;
    }

    @DontInline
    @Hidden
    public static void unwind(Throwable t, InquestRecorder r, int d) {
        long p = r.room(16);
        U.putLong(p, (d & 0xFFFFFFFFL) << 8 | UNWIND);
        r.pos = p + 5;
        r.depth = d - 1;
        ref(t, r);
        if (d == 1) r.full();
    }

    @DontInline
    @Hidden
    public static void caught(Throwable t, InquestRecorder r, int d, int handler) {
        long p = r.room(16);
        U.putLong(p, (handler & 0xFFFFL) << 40 | (d & 0xFFFFFFFFL) << 8 | CATCH);
        r.pos = p + 7;
        r.depth = d;
        ref(t, r);
    }

    @ForceInline
    @Hidden
    public static void returned(InquestRecorder r) {
        long p = r.pos;
        U.putByte(p, (byte) RETURN);
        r.pos = p + 1;
    }

    @DontInline
    @Hidden
    public static void sequence(InquestRecorder r) {
        long p = r.room(8);
        long n = U.getAndAddLong(null, SEQ, 1) + 1;
        U.putLong(p, n << 8 | SEQUENCE);
        r.pos = p + 8;
    }

    // ---- values ----

    @ForceInline
    @Hidden
    public static void value(int v, InquestRecorder r) {
        long p = r.pos;
        // Most numbers are small: they take two bytes instead of five. The store is the same, only the rest of it is
        // overwritten by the next record.
        boolean small = (byte) v == v;
        U.putLong(p, (v & (small ? 0xFFL : 0xFFFFFFFFL)) << 8 | (small ? I8 : I32));
        r.pos = p + (small ? 2 : 5);
    }

    @ForceInline
    @Hidden
    public static void value(long v, InquestRecorder r) {
        long p = r.pos;
        U.putByte(p, (byte) I64);
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
        ref(o, r);
    }

    @DontInline
    @Hidden
    private static void ref(Object o, InquestRecorder r) {
        if (o == null) {
            long p = r.pos;
            U.putByte(p, (byte) NULL);
            r.pos = p + 1;
            return;
        }
        long mark = InquestIdentity.mark(o);
        if (!InquestIdentity.isNamed(mark) && r.ownsStack(mark)) mark = U.getLong(mark);
        if (InquestIdentity.isNamed(mark)) {
            long p = r.pos;
            U.putLong(p, (InquestIdentity.name(mark) & 0xFFFFFFFFL) << 8 | REF);
            r.pos = p + 5;
            return;
        }
        if (!WEAVE_ONLY && o instanceof String s) text(s, r);
        else r.slow(o);
    }

    /** Whether a mark is a pointer to the mark's place in this thread's stack. */
    @ForceInline
    boolean ownsStack(long mark) {
        return (mark & 3) == 0 && mark - stack >= 0 && mark - stack < stackSize;
    }

    @ForceInline
    private static int klassHash(long k) {
        return (int) (k ^ k >>> 3 ^ k >>> 17) & KLASS_MASK;
    }

    /** The program must not get an exception of ours, and the stream must not lack a value. */
    @DontInline
    @Hidden
    private void slow(Object o) {
        if (WEAVE_ONLY) return;
        try {
            classified(o);
        } catch (Throwable outOfMemoryOrStack) {
            put(REF, UNKNOWN_IDENTITY);
        }
    }

    private void classified(Object o) {
        int info = info(o);
        switch (info & KIND) {
            case PROGRAM -> put(REF, InquestIdentity.nameOf(o, true, this));
            case LIBRARY -> put(REF, InquestIdentity.nameOf(o, false, this));
            case TEXT -> text((String) o, this);
            case BOXED -> box(o);
            case MIRROR -> put(CLASS, typeOf((Class<?>) o));
            default -> constant((Enum<?>) o);
        }
    }

    private void put(int tag, int payload) {
        long p = room(5);
        U.putLong(p, (payload & 0xFFFFFFFFL) << 8 | tag);
        pos = p + 5;
    }

    private void box(Object o) {
        if (o instanceof Long v) box64('J', v);
        else if (o instanceof Double v) box64('D', Double.doubleToRawLongBits(v));
        else if (o instanceof Integer v) box32('I', v);
        else if (o instanceof Boolean v) box32('Z', v ? 1 : 0);
        else if (o instanceof Character v) box32('C', v);
        else if (o instanceof Byte v) box32('B', v);
        else if (o instanceof Short v) box32('S', v);
        else box32('F', Float.floatToRawIntBits((Float) o));
    }

    private void box32(int kind, int v) {
        long p = room(6);
        U.putLong(p, (v & 0xFFFFFFFFL) << 16 | (long) kind << 8 | BOX);
        pos = p + 6;
    }

    private void box64(int kind, long v) {
        long p = room(10);
        U.putByte(p, (byte) BOX64);
        U.putByte(p + 1, (byte) kind);
        U.putLong(p + 2, v);
        pos = p + 10;
    }

    private void constant(Enum<?> o) {
        int type = typeOf(o.getDeclaringClass());
        int ordinal = o.ordinal();
        if (firstSight(type, ordinal)) {
            int name = textId(o.name(), this);
            long p = room(11);
            U.putLong(p, (type & 0xFFFFFFFFL) << 8 | ENUM_NAME);
            U.putShort(p + 5, (short) ordinal);
            U.putInt(p + 7, name);
            pos = p + 11;
        }
        long p = room(7);
        U.putLong(p, (ordinal & 0xFFFFL) << 40 | (type & 0xFFFFFFFFL) << 8 | ENUM);
        pos = p + 7;
    }

    private static long[] constants = new long[256];
    private static int constantCount;

    private static boolean firstSight(int type, int ordinal) {
        long key = (long) type << 32 | ordinal;
        synchronized (TYPES) {
            for (int i = 0; i < constantCount; i++) {
                if (constants[i] == key) return false;
            }
            if (constantCount == constants.length) {
                long[] more = new long[2 * constantCount];
                System.arraycopy(constants, 0, more, 0, constantCount);
                constants = more;
            }
            constants[constantCount++] = key;
            return true;
        }
    }

    // ---- strings, by value ----

    @Hidden
    private static void text(String s, InquestRecorder r) {
        int id = textId(s, r);
        long p = r.pos;
        U.putLong(p, (id & 0xFFFFFFFFL) << 8 | STR);
        r.pos = p + 5;
    }

    private static int textId(String s, InquestRecorder r) {
        if (s.length() > 1024) return r.define(s);
        int h = s.hashCode();
        int slot = (h ^ h >>> 15) & TEXTS.length - 1;
        Text known = TEXTS[slot];
        if (known != null && (known.text == s || known.text.equals(s))) return known.id;
        int id = r.define(s);
        try {
            TEXTS[slot] = new Text(s, id);
        } catch (OutOfMemoryError notKept) {
            // The next sight defines it again.
        }
        return id;
    }

    private int define(String s) {
        if (nextText == endText) {
            nextText = (int) U.getAndAddLong(null, COUNTERS + 16, BLOCK);
            endText = nextText + BLOCK;
        }
        int id = nextText++;
        int chars = s.length();
        int utf16 = s.coder();
        int kept = Math.min(chars, MAX_STRING);
        int size = kept << utf16;
        int flags = utf16 | (kept < chars ? 2 : 0);
        if (size > 512) {
            text(id, s.value(), size, flags, chars);
            return id;
        }
        long p = room(12 + size);
        U.putByte(p, (byte) STRING);
        U.putInt(p + 1, id);
        U.putInt(p + 5, chars);
        U.putByte(p + 9, (byte) flags);
        U.putShort(p + 10, (short) size);
        U.copyMemory(s.value(), (long) BYTES, null, p + 12, size);
        pos = p + 12 + size;
        return id;
    }

    // ---- identity ----

    /** A name that no object has had. */
    int nextName(boolean ofProgram) {
        if (ofProgram) {
            if (nextProgram == endProgram) {
                nextProgram = block(COUNTERS);
                endProgram = nextProgram + BLOCK;
            }
            return nextProgram < 0 ? exhausted() : nextProgram++ | 0x80000000;
        }
        if (nextLibrary == endLibrary) {
            nextLibrary = block(COUNTERS + 8);
            endLibrary = nextLibrary + BLOCK;
        }
        return nextLibrary < 0 ? exhausted() : nextLibrary++;
    }

    /** A block of numbers; below 0 if there are none left. */
    private static int block(long counter) {
        long first = U.getAndAddLong(null, counter, BLOCK);
        if (first <= 0x7FFF0000L) return (int) first;
        U.getAndAddLong(null, counter, -BLOCK);
        return Integer.MIN_VALUE;
    }

    /** Another object may have the same name. */
    int doubtful(int id) {
        put(DOUBT, id);
        return id;
    }

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

    /** Whether objects can be told apart in this VM: called by the agent while it starts. */
    static int tellsApart() {
        return InquestIdentity.works() ? 1 : 0;
    }

    /** Whether the object's class leaves `hashCode` to Object. */
    static boolean isHashedByIdentity(Object o) {
        int info = info(o);
        if ((info & (HASHED_BY_IDENTITY | HASHED_BY_ITSELF)) == 0) {
            info |= declaresHash(o.getClass()) ? HASHED_BY_ITSELF : HASHED_BY_IDENTITY;
            keep(InquestIdentity.klass(o, InquestIdentity.mark(o)), info);
        }
        return (info & HASHED_BY_IDENTITY) != 0;
    }

    private static boolean warned;

    private static int exhausted() {
        if (!warned) {
            warned = true;
            note(4, "more than 2147483647 objects were named; later ones are recorded without identity");
        }
        U.getAndAddLong(null, COUNTERS + 24, 1);
        return UNKNOWN_IDENTITY;
    }

    /** The next array to be named was made by the program just now: all zeros. */
    private boolean fresh;

    /** The program made an array. */
    @Hidden
    public static void made(Object array, InquestRecorder r) {
        r.fresh = true;
        ref(array, r);
        r.fresh = false;
    }

    // An object that got a name and still has to be introduced: the stack may end before that is done.
    Object owed;
    int owedName;

    /** What an object is whose introduction was broken off. */
    void settle() {
        boolean isFresh = fresh;
        fresh = false;
        introduce();
        fresh = isFresh;
    }

    /** First sight: what the object in `owed` is. */
    void introduce() {
        Object o = owed;
        int id = owedName;
        Class<?> type = o.getClass();
        Type record = typeRecord(type);
        int t = record.id;
        if (type.isArray()) {
            long p = room(13);
            U.putByte(p, (byte) ARRAY);
            U.putInt(p + 1, id);
            U.putInt(p + 5, t);
            U.putInt(p + 9, length(o));
            pos = p + 13;
            owed = null;
            if (!fresh) remember(o);
        } else {
            if (o instanceof Enum<?> e) {
                int name = textId(e.name(), this);
                long p = room(15);
                U.putByte(p, (byte) ENUM_OBJECT);
                U.putInt(p + 1, id);
                U.putInt(p + 5, t);
                U.putShort(p + 9, (short) e.ordinal());
                U.putInt(p + 11, name);
                pos = p + 15;
                owed = null;
                return;
            }
            long p = room(9);
            U.putByte(p, (byte) OBJECT);
            U.putInt(p + 1, id);
            U.putInt(p + 5, t);
            pos = p + 9;
            owed = null;
            if (record.offsets != null) remember(o);
            if (o instanceof Throwable) {
                String message = (String) U.getReference(o, MESSAGE);
                if (message != null) {
                    int text = textId(message, this);
                    p = room(9);
                    U.putByte(p, (byte) EXCEPTION);
                    U.putInt(p + 1, id);
                    U.putInt(p + 5, text);
                    pos = p + 9;
                }
            }
        }
    }

    private static int length(Object array) {
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

    // ---- classes ----

    private static int info(Object o) {
        long k = InquestIdentity.klass(o, InquestIdentity.mark(o));
        long entry = U.getLong(KLASSES + ((long) klassHash(k) << 3));
        if (entry >>> INFO_BITS == k && (entry & KIND) != 0) return (int) entry & (1 << INFO_BITS) - 1;
        int info = classify(o, o.getClass());
        typeOf(o.getClass()); // keeps the class loaded, so that its number cannot come to mean another one
        keep(k, info);
        return info;
    }

    private static void keep(long k, int info) {
        U.putLong(KLASSES + ((long) klassHash(k) << 3), k << INFO_BITS | info);
    }

    private static int classify(Object o, Class<?> c) {
        if (c == String.class) return TEXT;
        if (c == Class.class) return MIRROR;
        if (c == Integer.class || c == Long.class || c == Boolean.class || c == Character.class || c == Double.class
                || c == Float.class || c == Byte.class || c == Short.class) return BOXED;
        if (c.isArray()) return LIBRARY;
        for (Class<?> k = c; k != null && k.getClassLoader0() != null; k = k.getSuperclass()) {
            if (isProgram(k.getName(), loader(k.getClassLoader0()))) return PROGRAM;
        }
        return o instanceof Enum ? CONSTANT : LIBRARY;
    }

    private static int typeOf(Class<?> c) {
        return typeRecord(c).id;
    }

    private static Type typeRecord(Class<?> c) {
        String name = c.getName();
        int slot = name.hashCode() & TYPES.length - 1;
        for (Type t = TYPES[slot]; t != null; t = t.next) {
            if (t.type == c) return t;
        }
        Class<?> up = c.getSuperclass();
        int superType = up == null ? -1 : typeOf(up);
        int flags = (c.isInterface() ? 1 : 0) | (c.isArray() ? 2 : 0) | (c.isEnum() ? 4 : 0) | (c.isHidden() ? 8 : 0);
        synchronized (TYPES) {
            for (Type t = TYPES[slot]; t != null; t = t.next) {
                if (t.type == c) return t;
            }
            int id = type(name, loader(c.getClassLoader0()), superType, flags);
            long[] offsets = null;
            String kinds = "";
            if (CONTENT_WANTED && name.startsWith("java.util.") && !name.startsWith("java.util.concurrent.") && c.getClassLoader0() == null) {
                // "name:kind" of each instance field, the class's own and its superclasses'.
                String fields = fields(c, id);
                int count = 0;
                for (int i = 0; i < fields.length(); i++) if (fields.charAt(i) == ':') count++;
                offsets = new long[count];
                StringBuilder letters = new StringBuilder();
                Class<?> holder = c;
                for (int i = 0, at = 0; i < count; i++) {
                    while (fields.charAt(at) == '^') {
                        holder = holder.getSuperclass();
                        at++;
                    }
                    int colon = fields.indexOf(':', at);
                    offsets[i] = U.objectFieldOffset(holder, fields.substring(at, colon));
                    letters.append(fields.charAt(colon + 1));
                    at = colon + 2;
                }
                kinds = letters.toString();
            }
            return TYPES[slot] = new Type(c, id, offsets, kinds, TYPES[slot]);
        }
    }

    /** Number of a class loader; also called by the agent when a class is loaded. */
    static int loader(ClassLoader loader) {
        if (loader == null) return 0;
        synchronized (TYPES) {
            for (int i = 1; i < loaderCount; i++) {
                if (loaders[i] == loader) return i;
            }
            if (loaderCount == loaders.length) {
                ClassLoader[] more = new ClassLoader[2 * loaderCount];
                System.arraycopy(loaders, 0, more, 0, loaderCount);
                loaders = more;
            }
            loaders[loaderCount] = loader;
            return loaderCount++;
        }
    }

    // ---- details calls and heap ----

    @ForceInline
    @Hidden
    public static void exited(InquestRecorder r, int d) {
        if (r.pos > r.limit || d == 1) r.full();
    }

    @ForceInline
    @Hidden
    private static void at(int tag, int site, InquestRecorder r) {
        if (r.pos > r.limit) r.full();
        long p = r.pos;
        U.putLong(p, (site & 0xFFFFFFFFL) << 8 | tag);
        r.pos = p + 5;
    }

    @Hidden
    public static void created(Object o, InquestRecorder r, int site) {
        at(NEW, site, r);
        ref(o, r);
        if (r.seenCount > 0) r.showSeen();
    }

    @Hidden
    public static void field(Object o, int v, InquestRecorder r, int site) {
        at(FIELD, site, r);
        ref(o, r);
        value(v, r);
    }

    @Hidden
    public static void field(Object o, long v, InquestRecorder r, int site) {
        at(FIELD, site, r);
        ref(o, r);
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
        at(FIELD, site, r);
        ref(o, r);
        ref(v, r);
        if (r.seenCount > 0) r.showSeen();
    }

    @Hidden
    public static void written(int v, InquestRecorder r, int site) {
        at(STATIC, site, r);
        value(v, r);
    }

    @Hidden
    public static void written(long v, InquestRecorder r, int site) {
        at(STATIC, site, r);
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
        at(STATIC, site, r);
        ref(v, r);
        if (r.seenCount > 0) r.showSeen();
    }

    @Hidden
    public static void element(Object a, int i, int v, InquestRecorder r, int site) {
        at(ELEMENT, site, r);
        ref(a, r);
        value(i, r);
        value(v, r);
    }

    @Hidden
    public static void element(Object a, int i, long v, InquestRecorder r, int site) {
        at(ELEMENT, site, r);
        ref(a, r);
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
        at(ELEMENT, site, r);
        ref(a, r);
        value(i, r);
        ref(v, r);
        if (r.seenCount > 0) r.showSeen();
    }

    @ForceInline
    @Hidden
    public static int same(Object a, Object b) {
        return a == b ? 1 : 0;
    }

    // ---- writes inside java.util, below a call of the program ----

    /** The recorder, if the write is to be recorded: the program has seen the object and called what writes it. */
    @ForceInline
    @Hidden
    private static InquestRecorder watching(Object o) {
        if (!CONTENT_WANTED) return null;
        long mark = InquestIdentity.mark(o);
        return InquestIdentity.isNamed(mark) ? below() : (mark & 7) == 1 ? null : belowLocked(o);
    }

    /** A locked object's name is not in its mark, unless the VM locks without moving the mark away. */
    @DontInline
    private static InquestRecorder belowLocked(Object o) {
        InquestRecorder r = below();
        if (r == null) return null;
        long k = InquestIdentity.klass(o, InquestIdentity.mark(o));
        // Objects of a class that was never seen have no names.
        if (U.getLong(KLASSES + ((long) klassHash(k) << 3)) >>> INFO_BITS != k) return null;
        return InquestIdentity.known(o, 0, r) != 0 ? r : null;
    }

    @DontInline
    private static InquestRecorder below() {
        InquestRecorder r = current();
        return r != null && r.depth > 0 ? r : null;
    }

    /** The current thread's recorder, if it has one. */
    static InquestRecorder current() {
        long tid = U.getLong(Thread.currentThread(), TID);
        InquestRecorder r = TABLE[(int) tid & TABLE_MASK];
        return r.tid == tid ? r : known(tid);
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
        at(COPY, site, r);
        ref(from, r);
        value(at, r);
        ref(to, r);
        value(start, r);
        value(length, r);
        r.showSeen();
    }

    // ---- what an object holds when it is first seen ----

    // Objects that were named outside of the program's own code, whose content is still to be recorded.
    private Object[] seen = new Object[16];
    private int seenCount;
    private boolean showing;

    /** The object was not made by the program just now: what is in it must be recorded once. */
    private void remember(Object o) {
        if (!CONTENT_WANTED) return;
        if (seenCount == seen.length) {
            if (seenCount >= 1 << 16) return;
            Object[] more = new Object[2 * seenCount];
            System.arraycopy(seen, 0, more, 0, seenCount);
            seen = more;
        }
        seen[seenCount++] = o;
    }

    /** Records the content of the objects that were seen for the first time, and of what they hold. */
    @DontInline
    @Hidden
    private void showSeen() {
        if (seenCount == 0 || showing) return;
        showing = true;
        int budget = MAX_ARRAY;
        try {
            while (seenCount > 0) {
                Object o = seen[--seenCount];
                seen[seenCount] = null;
                if (budget > 0) budget -= show(o);
            }
        } catch (Throwable outOfMemoryOrStack) {
            while (seenCount > 0) seen[--seenCount] = null;
        }
        showing = false;
    }

    private int show(Object o) {
        if (o.getClass().isArray()) return contents(o);
        Type type = typeRecord(o.getClass());
        if (type.offsets == null) return 0;
        int count = type.offsets.length;
        if (count == 0) return 0;
        long p = room(6);
        U.putLong(p, (long) count << 40 | (nameOf(o) & 0xFFFFFFFFL) << 8 | FIELDS);
        pos = p + 6;
        for (int i = 0; i < count; i++) {
            long at = type.offsets[i];
            if (pos > limit) full();
            switch (type.kinds.charAt(i)) {
                case 'Z' -> value(U.getBoolean(o, at) ? 1 : 0, this);
                case 'B' -> value((int) U.getByte(o, at), this);
                case 'C' -> value((int) U.getChar(o, at), this);
                case 'S' -> value((int) U.getShort(o, at), this);
                case 'I', 'F' -> value(U.getInt(o, at), this);
                case 'J', 'D' -> value(U.getLong(o, at), this);
                default -> ref(U.getReference(o, at), this);
            }
        }
        return count;
    }

    private int nameOf(Object o) {
        return InquestIdentity.nameOf(o, (info(o) & KIND) == PROGRAM, this);
    }

    /** The elements of an array as they are now, up to the limit. */
    private int contents(Object array) {
        int length = length(array);
        int shown = Math.min(length, MAX_ARRAY);
        int id = InquestIdentity.nameOf(array, false, this);
        if (array instanceof Object[] a) {
            int from = 0;
            do {
                int count = Math.min(shown - from, 64);
                long p = room(15 + 5 * count);
                U.putByte(p, (byte) CONTENTS);
                U.putInt(p + 1, id);
                U.putInt(p + 5, length);
                U.putInt(p + 9, from);
                U.putShort(p + 13, (short) count);
                pos = p + 15;
                for (int i = 0; i < count; i++) {
                    if (pos > limit) full();
                    ref(a[from + i], this);
                }
                from += count;
            } while (from < shown);
            return shown;
        }
        char kind = array.getClass().getName().charAt(1);
        int shift = kind == 'B' || kind == 'Z' ? 0 : kind == 'C' || kind == 'S' ? 1 : kind == 'I' || kind == 'F' ? 2 : 3;
        // Longs and doubles begin at a multiple of eight.
        long base = shift == 3 ? BYTES + 7 & ~7 : BYTES;
        int from = 0;
        do {
            int count = Math.min(shown - from, 1024 >> shift);
            long p = room(16 + (count << shift));
            U.putByte(p, (byte) CONTENT);
            U.putInt(p + 1, id);
            U.putInt(p + 5, length);
            U.putInt(p + 9, from);
            U.putShort(p + 13, (short) count);
            U.putByte(p + 15, (byte) kind);
            U.copyMemory(array, base + ((long) from << shift), null, p + 16, (long) count << shift);
            pos = p + 16 + (count << shift);
            from += count;
        } while (from < shown);
        return shown;
    }

    /** A library call returned: its result, and what it holds if it is new to us; arrays may have changed. */
    @Hidden
    public static void result(Object o, InquestRecorder r) {
        ref(o, r);
        if (r.seenCount > 0) r.showSeen();
        if (r.pos > r.limit) r.full();
    }

    /** An array was given to a library call that may have written to it. */
    @DontInline
    @Hidden
    public static void given(Object array, InquestRecorder r) {
        if (array == null || WEAVE_ONLY || !CONTENT_WANTED) return;
        try {
            if (array.getClass().isArray()) r.contents(array);
            r.showSeen();
        } catch (Throwable outOfMemoryOrStack) {
            // The elements stay as they were known.
        }
        if (r.pos > r.limit) r.full();
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

    /** The command of a process that the program starts: if it is a JVM, it is told to load the agent. */
    @Hidden
    public static String[] command(String[] command) {
        try {
            String program = command[0];
            if (!(program.equals("java") || program.endsWith("/bin/java"))) return command;
            String options = child(0);
            if (options == null) return command;
            int line = options.indexOf('\n');
            String[] longer = new String[command.length + 2];
            longer[0] = program;
            longer[1] = options.substring(0, line);
            longer[2] = options.substring(line + 1);
            System.arraycopy(command, 1, longer, 3, command.length - 1);
            return longer;
        } catch (Throwable notRecorded) {
            return command;
        }
    }

    /** The environment of a process that the program starts: a script may start a JVM in turn. */
    @Hidden
    public static java.util.Map<String, String> environment(
            String[] command, java.util.Map<String, String> environment) {
        try {
            if (command.length > 2 && command[2].contains("inquest-agent")) return environment;
            // Without a map the child inherits the environment of this process.
            String options = child(environment == null ? 2 : 1);
            if (options != null && environment != null) {
                String own = environment.get("JAVA_TOOL_OPTIONS");
                environment.put("JAVA_TOOL_OPTIONS", own == null ? options : own + " " + options);
            }
        } catch (Throwable notRecorded) {
            // The child runs all the same.
        }
        return environment;
    }
}
