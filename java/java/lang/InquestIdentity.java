package java.lang;

import java.lang.InquestCodes.Counter;
import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Which object is which. An object's name is a number of ours that stands where the VM keeps the identity hash code, in
 * the first word of the object's header (the mark), with a bit beside it that says so. It moves with the object, costs
 * one load, and nothing that a program can ask about (fields, sizes, offsets) changes by it.
 *
 * <p>Three things follow. Hash codes that the program asks for are translated back ({@link #shown}). An object that has
 * a hash code of the VM's already keeps it, and is found by that code in a table of weak references. And while an
 * object is locked, its mark may be elsewhere: then we read it there if this thread holds the lock, and otherwise
 * ask the VM for the hash code, with its generator prepared so that it gives the object the name that we want.
 */
final class InquestIdentity {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Where the elements of a byte array begin. Unsafe has it as a constant, of another type in each JDK. */
    static final int BYTES = arrayBase();

    // Where the VM keeps an object's class follows from that: in the mark (compact headers), or behind it, as 4 bytes
    // (compressed class pointers) or as 8.
    private static final boolean COMPACT = BYTES == 12;
    private static final boolean WIDE = BYTES > 16;
    /** Not final: at a constant offset, C2 takes the load for one of its own and calls the native method instead. */
    private static long klassAt = 8;

    private static final Object PROBE = new Object();
    /** Where the hash code stands in the mark; 0 = unknown layout. */
    private static final int SHIFT = hashShift();
    private static final int NUMBER = 0x7FFFFFFF;
    /** Set in the mark of an object that carries a name of ours. No pointer that may stand in its place has bit 62. */
    private static final long OURS = COMPACT ? 1L << SHIFT - 1 : 1L << 62;
    /** Set, too, if the object's class is of the program: bit 31 of a name. */
    private static final long OF_PROGRAM = COMPACT ? 1L << SHIFT - 2 : 1L << SHIFT + 31;
    /** Set, too, if calls on the object are direct, see {@link InquestKinds#isDirect}. */
    private static final long DIRECT = COMPACT ? 1L << SHIFT - 3 : 1L << SHIFT + 32;
    /** Whether the mark of a locked object stays in its place: as long as nobody waits for it, and always. */
    private static final boolean LIGHT, NEVER_MOVED;
    /** Whether it moves to the stack of the thread that locks the object, as long as nobody waits for it. */
    static final boolean MOVED_TO_STACK;
    /** Whether names stay where we put them. */
    private static final boolean WORKS;

    /** How many objects each thread remembers whose names are not in their marks. */
    static final int LATELY = 16;

    static {
        boolean light = false, never = false, works = false;
        if (SHIFT != 0) {
            int hash = System.identityHashCode(PROBE);
            long mark = U.getLong(PROBE, 0L);
            works = U.compareAndSetLong(PROBE, 0L, mark, mark | OURS | OF_PROGRAM)
                    && System.identityHashCode(PROBE) == hash;
            synchronized (PROBE) {
                mark = U.getLong(PROBE, 0L);
                light = (mark & 3) == 0 && isNamed(mark);
                works &= light || isProbe(InquestAgent.peek(mark & ~3L), hash);
                pause(PROBE);
                mark = U.getLong(PROBE, 0L);
                never = light && isNamed(mark);
                works &= never || isProbe(InquestAgent.peek(mark & ~3L), hash);
                works &= System.identityHashCode(PROBE) == hash;
            }
        }
        LIGHT = light;
        MOVED_TO_STACK = !light;
        NEVER_MOVED = never;
        WORKS = works;
    }

    private static boolean isProbe(long mark, int hash) {
        return isNamed(mark) && code(mark) == hash && name(mark) < 0;
    }

    static boolean works() {
        return WORKS;
    }

    /** A wait moves the mark away, where anything does. */
    private static void pause(Object locked) {
        try {
            locked.wait(1);
        } catch (InterruptedException stillSet) {
            Thread.currentThread().interrupt();
        }
    }

    private static int arrayBase() {
        byte[] sample = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        for (int at = 8; at <= 24; at += 4) {
            if (U.getLong(sample, (long) at) == 0x0807060504030201L) return at;
        }
        return 0;
    }

    private static int hashShift() {
        int hash = System.identityHashCode(PROBE);
        long mark = U.getLong(PROBE, 0L);
        if (BYTES == 0 || (mark & 7) != 1) return 0;
        return ((int) (mark >>> 8) & 0x7FFFFFFF) == hash ? 8 : ((int) (mark >>> 11) & 0x7FFFFFFF) == hash ? 11 : 0;
    }

    // ---- reading ----

    @ForceInline
    static long mark(Object o) {
        return U.getLong(o, 0L);
    }

    /** The object's class as the VM knows it: a number that is unique as long as the class is loaded. */
    @ForceInline
    static long klass(Object o, long mark) {
        return COMPACT ? mark >>> 42 : WIDE ? U.getLong(o, klassAt) : U.getInt(o, klassAt) & 0xFFFFFFFFL;
    }

    @ForceInline
    static boolean isNamed(long mark) {
        return (mark & OURS) != 0;
    }

    /** The name in a mark that has one. */
    @ForceInline
    static int name(long mark) {
        return COMPACT
                ? (int) (mark >>> SHIFT) & NUMBER | (int) (mark << 33 - SHIFT) & 0x80000000
                : (int) (mark >>> SHIFT);
    }

    /** The name of an object on which calls are direct, if that can be told at a glance; otherwise 0. */
    @ForceInline
    static int nameIfDirect(Object o, InquestRecorder r) {
        long mark = U.getLong(o, 0L);
        if (!isNamed(mark) && MOVED_TO_STACK) {
            if (!isInStackOf(mark, r)) return 0;
            mark = U.getLong(mark);
        }
        return (mark & (OURS | DIRECT)) == (OURS | DIRECT) ? name(mark) : 0;
    }

    private static int code(long mark) {
        return (int) (mark >>> SHIFT) & NUMBER;
    }

    /** Whether a mark is a pointer to the mark's place in the stack of this recorder's thread. */
    @ForceInline
    static boolean isInStackOf(long mark, InquestRecorder r) {
        return (mark & 3) == 0 && mark - r.stack >= 0 && mark - r.stack < r.stackSize;
    }

    /** Whether this mark is the object's own, and no pointer to where that is. */
    private static boolean inPlace(long mark) {
        return (mark & 7) == 1 || LIGHT && (mark & 3) == 0 || NEVER_MOVED;
    }

    /**
     * The object's mark, also if it was moved because the object is locked; 0 if it cannot be had. `hash` is the VM's code
     * of the object, or 0 if it is not known whether it has one.
     */
    private static long wherever(Object o, int hash, InquestRecorder r) {
        for (int i = 0; i < 1000; i++) {
            long mark = U.getLong(o, 0L);
            if (inPlace(mark)) return mark;
            if ((mark & 1) != 0) return 0; // biased towards a thread
            boolean isHeld = r != null && isInStackOf(mark, r) || Thread.holdsLock(o);
            // Nobody moves it while this thread holds the lock. Otherwise the place may be another object's meanwhile, but
            // what has the code that the VM says is this one's.
            long there = mark == 0 ? 0 : isHeld ? U.getLong(mark & ~3L) : InquestAgent.peek(mark & ~3L);
            if ((there & 7) == 1 && (isHeld || fits(code(there), hash, o) && U.getLong(o, 0L) == mark)) return there;
            Thread.onSpinWait();
        }
        return 0;
    }

    private static boolean fits(int code, int hash, Object o) {
        return code == (code == 0 || hash != 0 ? hash : System.identityHashCode(o));
    }

    /** The name of an object that has one; 0 if it has none yet. */
    static int known(Object o, int hash, InquestRecorder r) {
        long at = U.getLong(o, 0L);
        // A monitor stays for long after it was needed, and looking into it costs a system call.
        boolean isMonitor = r != null && !inPlace(at) && (at & 3) == 2;
        int slot = (int) (at >>> 8) & LATELY - 1;
        if (isMonitor && r.lately[slot] != null && r.lately[slot].refersTo(o)) return r.lately[slot].name;
        long mark = wherever(o, hash, r);
        int name = isNamed(mark) ? name(mark) : code(mark) == 0 ? 0 : aside(o, code(mark));
        if (isMonitor && name != 0) {
            try {
                r.lately[slot] = new Aside(o, code(mark), name, null);
            } catch (OutOfMemoryError notRemembered) {
                // The next sight looks again.
            }
        }
        return name;
    }

    // ---- naming ----

    /**
     * The object's name; it gets one if it has none, and is then introduced to the reader. A number is used up before it
     * is given: the stack may end at any call, and no two objects may get the same.
     */
    static int nameOf(Object o, boolean ofProgram, InquestRecorder r) {
        if (r.owed != null) InquestNames.settle(r);
        for (int i = 0; i < 16; i++) {
            long mark = U.getLong(o, 0L);
            if (!inPlace(mark)) {
                int name = known(o, 0, r);
                if (name != 0) return name;
                mark = wherever(o, 0, r);
            }
            if (isNamed(mark)) return name(mark);
            if (code(mark) != 0) return coded(o, code(mark), ofProgram, r);
            int name = InquestNames.next(ofProgram, r);
            if (name == InquestCodes.Identity.UNKNOWN) return name;
            if (mark == U.getLong(o, 0L)
                    ? U.compareAndSetLong(o, 0L, mark, mark | bits(name) | (ofProgram && InquestKinds.isDirect(o) ? DIRECT : 0))
                    : nameByVm(o, name)) {
                r.owedName = name;
                r.owed = o;
                InquestNames.introduce(r);
                return name;
            }
        }
        // Near the end of the stack the VM cannot be asked; or the lock could not be looked behind.
        int code = System.identityHashCode(o), name = coded(o, code, ofProgram, r);
        return mayBeName(code) ? InquestNames.doubtful(name, r) : name;
    }

    /** Whether an object could carry this number as a name. */
    @ForceInline
    private static boolean mayBeName(int code) {
        return code > 0 && (code < U.getInt(InquestAgent.COUNTERS + Counter.PROGRAM)
                || code < U.getInt(InquestAgent.COUNTERS + Counter.LIBRARY));
    }

    private static long bits(int name) {
        return OURS | (name < 0 ? OF_PROGRAM : 0) | (long) (name & NUMBER) << SHIFT;
    }

    /** The VM writes a hash code wherever the mark is: it is made to take our number for the next one. */
    @DontInline
    private static boolean nameByVm(Object o, int name) {
        synchronized (PROBE) {
            long got = InquestAgent.hashAs(o, name & NUMBER);
            if (got >>> 32 == 0) return false;
            put(o, (int) got, name);
            return true;
        }
    }

    // ---- objects that have a hash code of the VM's, or one of ours that the VM gave them ----

    /** An entry for an object whose mark does not tell its name. */
    static final class Aside extends WeakReference<Object> {
        final int code;
        final int name;
        Aside next;

        Aside(Object o, int code, int name, Aside next) {
            super(o);
            this.code = code;
            this.name = name;
            this.next = next;
        }
    }

    private static Aside[] asides = new Aside[64];
    private static int asideCount;

    private static int aside(Object o, int code) {
        Aside found = find(o, code);
        return found == null ? 0 : found.name;
    }

    private static Aside find(Object o, int code) {
        synchronized (PROBE) {
            for (Aside a = asides[code & asides.length - 1]; a != null; a = a.next) {
                if (a.code == code && a.refersTo(o)) return a;
            }
            return null;
        }
    }

    /** To be called with the table locked. */
    private static void put(Object o, int code, int name) {
        if (asideCount >= asides.length) rebuild();
        int slot = code & asides.length - 1;
        asides[slot] = new Aside(o, code, name, asides[slot]);
        asideCount++;
    }

    /** Leaves out the entries of objects that are gone; the table grows if most are still there. */
    private static void rebuild() {
        Aside[] old = asides;
        int live = 0;
        for (Aside first : old) {
            for (Aside a = first; a != null; a = a.next) {
                if (!a.refersTo(null)) live++;
            }
        }
        Aside[] more = new Aside[live * 2 > old.length ? old.length * 2 : old.length];
        for (Aside first : old) {
            for (Aside a = first, next; a != null; a = next) {
                next = a.next;
                if (a.refersTo(null)) continue;
                int slot = a.code & more.length - 1;
                a.next = more[slot];
                more[slot] = a;
            }
        }
        asides = more;
        asideCount = live;
    }

    /** The name of an object whose mark has this code, which is not known to be a name. */
    @DontInline
    private static int coded(Object o, int code, boolean ofProgram, InquestRecorder r) {
        int slot = code & LATELY - 1, name;
        Aside lately = r.lately[slot];
        if (lately != null && lately.refersTo(o)) return lately.name;
        synchronized (PROBE) {
            Aside known = find(o, code);
            if (known != null) {
                long mark = U.getLong(o, 0L);
                // The VM gave it our number while it was locked; from now on its mark tells.
                if ((known.name & NUMBER) == code && inPlace(mark) && code(mark) == code) {
                    U.compareAndSetLong(o, 0L, mark, mark | bits(known.name));
                }
                r.lately[slot] = known;
                return known.name;
            }
            do {
                name = InquestNames.next(ofProgram, r);
                if (name == InquestCodes.Identity.UNKNOWN) return name;
                // Where name and code are the same, we put the code there: see `shown`.
            } while ((name & NUMBER) == code);
            put(o, code, name);
            r.owedName = name;
            r.owed = o;
        }
        InquestNames.introduce(r);
        return name;
    }

    // ---- the hash codes that the program sees ----

    /** Hash codes by name, in memory outside of the heap: pairs of 4 bytes, name and code. Never freed, as readers take no lock. */
    private static final class Shown {
        final long at;
        final int mask;

        Shown(long at, int mask) {
            this.at = at;
            this.mask = mask;
        }

        int find(int name) {
            for (int slot = name; ; slot++) {
                long pair = U.getLongVolatile(null, at + ((long) (slot & mask) << 3));
                if (pair == 0) return 0;
                if ((int) (pair >>> 32) == name) return (int) pair;
            }
        }

        void add(int name, int code) {
            int slot = name & mask;
            while (U.getLong(at + ((long) slot << 3)) != 0) slot = slot + 1 & mask;
            U.putLongVolatile(null, at + ((long) slot << 3), (long) name << 32 | code);
        }
    }

    private static volatile Shown codes = empty(1024);
    private static int codeCount;

    private static Shown empty(int size) {
        long at = U.allocateMemory((long) size << 3);
        U.setMemory(at, (long) size << 3, (byte) 0);
        return new Shown(at, size - 1);
    }

    /**
     * The identity hash code that the program should see: `hash` is what the VM gives, and may be a name of ours. The
     * first time, the next code of the VM's sequence is drawn, just as the VM would have drawn it now.
     */
    @ForceInline
    static int identity(int hash, Object o) {
        return mayBeName(hash) ? shown(hash, o, true) : hash;
    }

    /** The same for the result of a method `hashCode`, which may be the class's own. */
    @ForceInline
    static int hash(int hash, Object o) {
        return mayBeName(hash) ? shown(hash, o, false) : hash;
    }

    @DontInline
    @Hidden
    private static int shown(int hash, Object o, boolean isIdentity) {
        try {
            if (!isIdentity && !InquestKinds.isHashedByIdentity(o)) return hash;
            int name = known(o, hash, InquestThreads.current());
            if ((name & NUMBER) != hash) return hash;
            int code = codes.find(name);
            return code != 0 ? code : draw(name);
        } catch (OutOfMemoryError unknown) {
            return hash;
        }
    }

    private static int draw(int name) {
        synchronized (PROBE) {
            Shown table = codes;
            int code = table.find(name);
            if (code != 0) return code;
            if (codeCount * 2 > table.mask) table = grow(table);
            if (codeCount == table.mask) return name & NUMBER;
            try {
                code = System.identityHashCode(new Object());
            } catch (OutOfMemoryError noObject) {
                code = name * 0x9E3779B1 >>> 1 | 1;
            }
            table.add(name, code);
            codeCount++;
            return code;
        }
    }

    private static Shown grow(Shown old) {
        Shown more;
        try {
            more = empty(2 * (old.mask + 1));
        } catch (OutOfMemoryError keepIt) {
            return old;
        }
        for (int i = 0; i <= old.mask; i++) {
            long pair = U.getLong(old.at + ((long) i << 3));
            if (pair != 0) more.add((int) (pair >>> 32), (int) pair);
        }
        return codes = more;
    }
}
