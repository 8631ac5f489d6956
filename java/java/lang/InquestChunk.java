package java.lang;

import java.lang.InquestCodes.Tag;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Where a thread writes: its chunk of the shared pool, exchanged for a new one when it is full. A thread of which nothing
 * is recorded (any more) writes into the sink, so that no probe has to ask.
 */
final class InquestChunk {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Fast records between two checks of the limit take at most this much; the weaver sees to it. */
    private static final int SLACK = 2048 + 64;

    /** The limit while a thread is outside of program code. */
    private static final long OUTSIDE = Long.MIN_VALUE;

    /** Failed calls of one stream that are said. */
    private static final int MAX_FAILURES = 256;

    private InquestChunk() {}

    /** A stream begins. */
    static void first(InquestRecorder r) {
        useChunk(InquestAgent.chunk(0, 0, r.stream, 0, false), r);
        r.limit = OUTSIDE;
    }

    /** It ends. */
    static void last(InquestRecorder r) {
        if (r.stream != 0) {
            InquestAgent.finish(r.base, (int) (r.pos - r.base), r.stream, r.chunks - 1);
            r.stream = 0;
        }
        sink(r);
    }

    /**
     * The chunk is full, or the thread enters or leaves its outermost call of program code. While it is outside of one,
     * the limit is below every position, so that `enter` comes here without a test of its own.
     */
    @DontInline
    @Hidden
    static void changeChunk(InquestRecorder r) {
        if (r.depth == 0 && r.limit != OUTSIDE) {
            while (r.seenCount > 0) r.seen[--r.seenCount] = null;
            r.limit = OUTSIDE;
            if (r.virtual) InquestThreads.close(r);
            else if (r.chunks >= InquestAgent.SPLIT) split(r);
            return;
        }
        if (r.between) InquestThreads.reopen(r);
        if (r.stream == 0) {
            sink(r);
        } else {
            r.limit = r.base + InquestAgent.CHUNK - SLACK;
            if (r.pos > r.limit) useChunk(InquestAgent.chunk(r.base, (int) (r.pos - r.base), r.stream, r.chunks, false), r);
        }
        if (r.depth == 0) {
            order(r);
            r.links = 0;
            r.entered = r.pos;
            r.enteredChunk = r.chunks;
        }
    }

    /**
     * The stream has become long: it ends here, between two outermost calls, so that each of the thread's streams can be
     * read by itself. The next one begins when the thread enters program code again, if it does.
     */
    private static void split(InquestRecorder r) {
        if (r.stream == 0) return;
        last(r);
        r.chunks = 0;
        r.limit = OUTSIDE;
        r.between = true;
    }

    /**
     * The outermost call ended by an exception. The tables say so, so that a reader knows what failed without reading
     * everything; not of a thread in which nearly every call fails.
     */
    static void failed(Throwable t, InquestRecorder r) {
        if (r.stream != 0 && r.failures++ < MAX_FAILURES) {
            int method = -1;
            if (r.enteredChunk == r.chunks) {
                int tag = U.getByte(r.entered);
                if (tag == Tag.ENTER_SHORT) method = U.getShort(r.entered + 1) & 0xFFFF;
                else if (tag == Tag.ENTER) method = U.getInt(r.entered + 1);
            }
            try {
                InquestAgent.failed(r.stream, method, InquestTypes.number(t.getClass()));
            } catch (Throwable outOfMemoryOrStack) {
                // It is found when everything is read.
            }
        }
        changeChunk(r);
    }

    /** An ordering point, where there is room for it. */
    @Hidden
    static void order(InquestRecorder r) {
        long p = r.pos;
        U.putLong(p, (U.getAndAddLong(null, InquestAgent.SEQ, 1) + 1) << 8 | Tag.SEQ);
        r.pos = p + 8;
    }

    /** Makes room for a record of `size` bytes outside of what the weaver reckoned with, and says where. */
    static long room(int size, InquestRecorder r) {
        if (r.pos + size > r.limit) changeChunk(r);
        return r.pos;
    }

    private static void useChunk(long address, InquestRecorder r) {
        if (address == 0) {
            r.stream = 0;
            sink(r);
        } else {
            r.base = address;
            r.pos = address;
            r.limit = address + InquestAgent.CHUNK - SLACK;
            r.chunks++;
        }
    }

    static void sink(InquestRecorder r) {
        r.base = InquestAgent.SINK;
        r.pos = InquestAgent.SINK;
        r.limit = InquestAgent.SINK + InquestAgent.CHUNK - SLACK;
    }
}
