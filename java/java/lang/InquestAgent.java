package java.lang;

import java.lang.InquestCodes.Setting;
import jdk.internal.misc.Unsafe;

/**
 * The border between the recorder and the agent, which is native code: the settings and the native methods that the
 * agent has for the recorder, and the methods that the agent calls. All of them are here, so that the agent knows one
 * class and the recorder's other classes know nothing of it.
 */
final class InquestAgent {
    /** The VM finds the first native method by its name; that one registers the others, so it comes before all. */
    private static final boolean LINKED = setting(Setting.LINK) != 0;

    /** Address of the counter of ordering points. */
    static final long SEQ = setting(Setting.SEQ);
    /** Address of the table of class kinds, see {@link InquestKinds}. */
    static final long KLASSES = setting(Setting.KLASSES);
    /** Address of the counters of names and strings. */
    static final long COUNTERS = setting(Setting.COUNTERS);
    static final int MAX_STRING = (int) setting(Setting.MAX_STRING);
    static final int MAX_ARRAY = (int) setting(Setting.MAX_ARRAY);
    /** Whether the content of collections and arrays is recorded: at every detail but `calls`. */
    static final boolean CONTENT_WANTED = setting(Setting.CONTENT_WANTED) != 0;
    /** Bytes of a chunk. */
    static final int CHUNK = (int) setting(Setting.CHUNK);
    /** Address of a chunk that nobody reads. */
    static final long SINK = setting(Setting.SINK);
    /** Chunks after which a stream ends with the next outermost call. */
    static final int SPLIT = (int) setting(Setting.SPLIT);
    /** Instrumented code runs but nothing is recorded: for checking that every class links. */
    static final boolean WEAVE_ONLY = setting(Setting.WEAVE_ONLY) != 0;

    private InquestAgent() {}

    // ---- natives ----

    private static native long setting(int which);

    /** Publishes the chunk at `base` (0 = none) and gives the address of a new one; 0 when recording has stopped. */
    static native long chunk(long base, int length, int stream, int seq, boolean last);

    /** Publishes the stream's last chunk. */
    static native void finish(long base, int length, int stream, int seq);

    static native int stream(Thread thread, long tid, String name, int flags);

    /** The numbers from `first` up to `end`, of a kind (`InquestCodes.Numbered`), are defined in the stream from here on. */
    static native void numbers(int stream, int kind, int first, int end);

    /** An outermost call of the stream, of this method if that is known, ended by an exception of this type. */
    static native void failed(int stream, int method, int type);

    static native int type(String name, int loader, int superType, int flags);

    static native void text(int id, byte[] value, int length, int flags, int chars);

    /** Writes the fields of a class down and gives them as `name:K`, K their kind; `^` goes to the superclass. */
    static native String fields(Class<?> type, int id);

    /** What makes a child JVM load the agent, see `InquestCodes.Child`; or null. */
    static native String child(int kind);

    static native void note(int code, String text);

    /** The eight bytes at an address, also where memory may be gone: then 0. */
    static native long peek(long address);

    /** The current thread's native stack, see `InquestCodes.Stack`. */
    static native long stack(int which);

    /** The VM's hash code of an object; if it had none, it is `code`, and bit 32 is set. */
    static native long hashAs(Object o, int code);

    /** Whose a class is, of a class loader that has this number: 0 = a library's, 1 = the program's, 2 = and all of its methods are recorded. */
    static native int whose(String name, int loader);

    /** Whether a class or a superclass other than Object declares `hashCode`. */
    static native boolean declaresHash(Class<?> type);

    // ---- called by the agent ----

    /**
     * While it starts, for each of the recorder's classes. Initialising a class draws an identity hash code: it is done
     * where the agent makes up for it. 1 if it went well.
     */
    static int initialise(Class<?> ours) {
        Unsafe.getUnsafe().ensureClassInitialized(ours);
        return 1;
    }

    /** While it starts: whether objects can be told apart in this VM. */
    static int tellsApart() {
        return InquestIdentity.works() ? 1 : 0;
    }

    /** While it starts: loads a class of the JDK without initialising it. */
    static void load(String name) {
        try {
            Class.forName(name, false, null);
        } catch (Throwable notThere) {
            // Then it is woven if it is ever loaded.
        }
    }

    /** When a class is loaded: the number of its class loader. */
    static int loader(ClassLoader loader) {
        return InquestTypes.loader(loader);
    }

    /** When a thread ends, on that thread. */
    static void ended() {
        InquestThreads.ended();
    }
}
