package java.lang;

import java.lang.InquestCodes.Stack;
import java.lang.InquestCodes.ThreadFlag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Which recorder is whose: a thread's is made at its first probe and is let go when the thread ends. Threads are found by
 * their ids, in a table that one load looks into ({@link #TABLE}); where two threads share a place there, in a second
 * one that has them all.
 */
final class InquestThreads {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Where a thread has its id. */
    static final long TID = U.objectFieldOffset(Thread.class, "tid");

    static final int TABLE_MASK = 4095;
    /** Of a thread that is not recorded; in the table, it stands where nobody does. */
    private static final InquestRecorder NONE = new InquestRecorder(-1, false);
    static final InquestRecorder[] TABLE = new InquestRecorder[TABLE_MASK + 1];
    private static final InquestRecorder[] ALL = new InquestRecorder[1 << 14];

    static {
        for (int i = 0; i <= TABLE_MASK; i++) TABLE[i] = NONE;
    }

    private InquestThreads() {}

    /** The recorder of the current thread, which is not at its place in the table. */
    @DontInline
    @Hidden
    static InquestRecorder find(Thread thread, long tid) {
        if (InquestAgent.WEAVE_ONLY) return NONE;
        try {
            return make(thread, tid);
        } catch (Throwable outOfMemoryOrStack) {
            return NONE;
        }
    }

    /** The current thread's recorder, if it has one. */
    static InquestRecorder current() {
        long tid = U.getLong(Thread.currentThread(), TID);
        InquestRecorder r = TABLE[(int) tid & TABLE_MASK];
        return r.tid == tid ? r : known(tid);
    }

    /** The current thread ends. */
    static void ended() {
        InquestRecorder r = known(U.getLong(Thread.currentThread(), TID));
        if (r != null) close(r);
    }

    private static InquestRecorder make(Thread thread, long tid) {
        InquestRecorder r = known(tid);
        if (r == null) {
            r = new InquestRecorder(tid, thread.getClass() != Thread.class && isVirtual(thread));
            open(thread, r);
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

    private static void open(Thread thread, InquestRecorder r) {
        int flags = (r.virtual || thread.isDaemon() ? ThreadFlag.DAEMON : 0) | (r.virtual ? ThreadFlag.VIRTUAL : 0);
        String name = thread.getName();
        r.stream = InquestAgent.stream(thread, r.tid, name == null ? "" : name, flags);
        if (!r.virtual && InquestIdentity.MOVED_TO_STACK) {
            r.stack = InquestAgent.stack(Stack.START);
            r.stackSize = InquestAgent.stack(Stack.SIZE);
        }
        r.links = 0;
        InquestChunk.first(r);
        InquestNames.begin(r);
    }

    /** The thread's stream was ended between two outermost calls, and another one begins: its next stream. */
    static void reopen(InquestRecorder r) {
        r.between = false;
        r.failures = 0;
        try {
            open(Thread.currentThread(), r);
        } catch (Throwable outOfMemoryOrStack) {
            r.stream = 0;
        }
    }

    static void close(InquestRecorder r) {
        InquestChunk.last(r);
        synchronized (ALL) {
            int slot = bucket(r.tid);
            InquestRecorder before = null;
            for (InquestRecorder at = ALL[slot]; at != null; before = at, at = at.next) {
                if (at == r) {
                    if (before == null) ALL[slot] = r.next;
                    else before.next = r.next;
                    break;
                }
            }
        }
        int slot = (int) r.tid & TABLE_MASK;
        if (TABLE[slot] == r) TABLE[slot] = NONE;
    }
}
