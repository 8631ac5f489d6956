package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What kind of class an object is of, which decides how a reference to it is written. Kinds are kept in a table outside of
 * the heap, by the number that the VM has for the class: one load from the object and one from the table, no call.
 */
final class InquestKinds {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Kinds, the low bits of an entry; above them, whether the class's `hashCode` is that of Object, which is found out
    // when it matters.
    static final int PROGRAM = 1, LIBRARY = 2, TEXT = 3, BOXED = 4, MIRROR = 5, CONSTANT = 6;
    private static final int KIND = 7;
    private static final int HASHED_BY_IDENTITY = 8, HASHED_BY_ITSELF = 16;
    private static final int DIRECT = 32;
    private static final int INFO_BITS = 8;

    private InquestKinds() {}

    static int of(Object o) {
        return info(o) & KIND;
    }

    /**
     * Whether a call on the object that enters a method of the program does so directly: its class is the program's, as are all
     * above it up to one above which there are libraries only.
     */
    static boolean isDirect(Object o) {
        return (info(o) & DIRECT) != 0;
    }

    /** Whether the object's class leaves `hashCode` to Object. */
    static boolean isHashedByIdentity(Object o) {
        int info = info(o);
        if ((info & (HASHED_BY_IDENTITY | HASHED_BY_ITSELF)) == 0) {
            info |= InquestAgent.declaresHash(o.getClass()) ? HASHED_BY_ITSELF : HASHED_BY_IDENTITY;
            keep(InquestIdentity.klass(o, InquestIdentity.mark(o)), info);
        }
        return (info & HASHED_BY_IDENTITY) != 0;
    }

    /** Whether the table has the object's class: objects of a class that was never seen have no names. */
    static boolean isSeen(Object o) {
        long k = InquestIdentity.klass(o, InquestIdentity.mark(o));
        return U.getLong(entry(k)) >>> INFO_BITS == k;
    }

    private static int info(Object o) {
        long k = InquestIdentity.klass(o, InquestIdentity.mark(o));
        long entry = U.getLong(entry(k));
        if (entry >>> INFO_BITS == k && (entry & KIND) != 0) return (int) entry & (1 << INFO_BITS) - 1;
        int info = classify(o, o.getClass());
        InquestTypes.number(o.getClass()); // keeps the class loaded, so that its number cannot come to mean another one
        keep(k, info);
        return info;
    }

    private static void keep(long k, int info) {
        U.putLong(entry(k), k << INFO_BITS | info);
    }

    /** Address of the entry of a class. */
    @ForceInline
    private static long entry(long k) {
        int slot = (int) (k ^ k >>> 3 ^ k >>> 17) & InquestCodes.Size.KLASSES - 1;
        return InquestAgent.KLASSES + ((long) slot << 3);
    }

    private static int classify(Object o, Class<?> c) {
        if (c == String.class) return TEXT;
        if (c == Class.class) return MIRROR;
        if (c == Integer.class || c == Long.class || c == Boolean.class || c == Character.class || c == Double.class
                || c == Float.class || c == Byte.class || c == Short.class) return BOXED;
        if (c.isArray()) return LIBRARY;
        boolean program = false, direct = true, above = false;
        for (Class<?> k = c; k != null && k.getClassLoader0() != null; k = k.getSuperclass()) {
            int whose = InquestAgent.whose(k.getName(), InquestTypes.loader(k.getClassLoader0()));
            program |= whose != 0;
            direct &= whose == 2 ? !above : whose == 0 && program;
            above |= whose == 0;
        }
        return program ? direct ? PROGRAM | DIRECT : PROGRAM : o instanceof Enum ? CONSTANT : LIBRARY;
    }
}
