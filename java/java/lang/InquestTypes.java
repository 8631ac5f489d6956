package java.lang;

import java.lang.InquestCodes.TypeFlag;
import jdk.internal.misc.Unsafe;

/** The numbers of classes and of class loaders, and where a class of java.util has its fields. */
final class InquestTypes {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final Type[] TYPES = new Type[1 << 12];
    private static ClassLoader[] loaders = new ClassLoader[16];
    private static int loaderCount = 1;
    /** Enum constants of libraries that were seen: type and ordinal. */
    private static long[] constants = new long[256];
    private static int constantCount;

    static final class Type {
        final Class<?> type;
        final int id;
        /** Where the fields of a class of java.util are, and their kinds; null for other classes. */
        final long[] offsets;
        final String kinds;
        private final Type next;

        private Type(Class<?> type, int id, long[] offsets, String kinds, Type next) {
            this.type = type;
            this.id = id;
            this.offsets = offsets;
            this.kinds = kinds;
            this.next = next;
        }
    }

    private InquestTypes() {}

    static int number(Class<?> c) {
        return of(c).id;
    }

    /** What is known of a class; at its first sight it is written down. */
    static Type of(Class<?> c) {
        String name = c.getName();
        int slot = name.hashCode() & TYPES.length - 1;
        for (Type t = TYPES[slot]; t != null; t = t.next) {
            if (t.type == c) return t;
        }
        Class<?> up = c.getSuperclass();
        int superType = up == null ? -1 : number(up);
        int flags = (c.isInterface() ? TypeFlag.INTERFACE : 0) | (c.isArray() ? TypeFlag.ARRAY : 0)
                | (c.isEnum() ? TypeFlag.ENUM : 0) | (c.isHidden() ? TypeFlag.HIDDEN : 0);
        synchronized (TYPES) {
            for (Type t = TYPES[slot]; t != null; t = t.next) {
                if (t.type == c) return t;
            }
            int id = InquestAgent.type(name, loader(c.getClassLoader0()), superType, flags);
            long[] offsets = null;
            String kinds = "";
            if (InquestAgent.CONTENT_WANTED && name.startsWith("java.util.") && !name.startsWith("java.util.concurrent.")
                    && c.getClassLoader0() == null) {
                // "name:kind" of each instance field, the class's own and its superclasses'.
                String fields = InquestAgent.fields(c, id);
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

    /** Whether this constant of an enum has not been asked about before. */
    static boolean isFirstSight(int type, int ordinal) {
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
}
