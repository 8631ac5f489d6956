package java.lang;

import java.lang.InquestCodes.TypeFlag;
import jdk.internal.misc.Unsafe;

/** The numbers of classes and of class loaders, and where objects of libraries have what they hold. */
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
        private final Type next;
        /** Null as long as no object of the class was seen: only then its fields are known for sure. */
        private Layout layout;

        private Type(Class<?> type, int id, Type next) {
            this.type = type;
            this.id = id;
            this.next = next;
        }

        /** Which fields of an object say what it holds; null if none do, or if the program's code tells. */
        Layout layout() {
            Layout known = layout;
            if (known == null) {
                synchronized (TYPES) {
                    if (layout == null) layout = look(type, id);
                    known = layout;
                }
            }
            return known == NOTHING ? null : known;
        }
    }

    /** Fields of a class and of those above it: where they are, and their kinds. */
    static final class Layout {
        final long[] offsets;
        final String kinds;

        private Layout(long[] offsets, String kinds) {
            this.offsets = offsets;
            this.kinds = kinds;
        }

        boolean has(long offset) {
            for (long own : offsets) {
                if (own == offset) return true;
            }
            return false;
        }
    }

    private static final Layout NOTHING = new Layout(new long[0], "");

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
            return TYPES[slot] = new Type(c, id, TYPES[slot]);
        }
    }

    private static Layout look(Class<?> c, int id) {
        if (!InquestAgent.CONTENT_WANTED || c.isArray()) return NOTHING;
        // "name:kind" of each field, the class's own and its superclasses'.
        String fields = InquestAgent.fields(c, id);
        if (fields == null || fields.isEmpty()) return NOTHING;
        int count = 0;
        for (int i = 0; i < fields.length(); i++) if (fields.charAt(i) == ':') count++;
        long[] offsets = new long[count];
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
        return new Layout(offsets, letters.toString());
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
