//! The numbers by which the recorder's Java classes (`java/`) and the Rust side understand each other, in one table: the
//! constants here and the class `InquestCodes`, which the agent's build script compiles with the others, both
//! come from it. Tags, notes and flags are part of the format (docs/format.md); the rest is between the recorder and
//! the agent that runs beside it.

use std::fmt::Write;

/// Groups of numbers: a module here, a nested class in Java.
macro_rules! codes {
    ($($(#[$about:meta])* $module:ident, $class:ident: $type:ty { $($(#[$doc:meta])* $name:ident = $value:expr,)* })*) => {
        $(
            $(#[$about])*
            pub mod $module {
                $($(#[$doc])* pub const $name: $type = $value;)*
            }
        )*

        /// The groups by the names of their Java classes.
        const GROUPS: &[(&str, &[(&str, i64)])] = &[
            $((stringify!($class), &[$((stringify!($name), $module::$name as i64),)*]),)*
        ];
    };
}

codes! {
    /// Tags of the records of a thread stream.
    tag, Tag: u8 {
        END = 0x00,
        I32 = 0x01,
        I64 = 0x02,
        REF = 0x03,
        STR = 0x04,
        BOX = 0x05,
        BOX64 = 0x06,
        CLASS = 0x07,
        ENUM = 0x08,
        I8 = 0x09,
        NULL = 0x0a,
        I16 = 0x0b,
        ENTER = 0x10,
        EXIT = 0x11,
        UNWIND = 0x12,
        CATCH = 0x13,
        RETURN = 0x14,
        SEQ = 0x15,
        STOP = 0x16,
        EXIT_VALUE = 0x17,
        ENTER_SHORT = 0x18,
        UNLINKED = 0x19,
        LINKS = 0x1a,
        OBJECT = 0x20,
        ARRAY = 0x21,
        STRING = 0x22,
        ENUM_OBJECT = 0x23,
        EXCEPTION = 0x24,
        ENUM_NAME = 0x25,
        DOUBT = 0x26,
        FIELD = 0x30,
        STATIC = 0x31,
        ELEMENT = 0x32,
        COPY = 0x33,
        FIELDS = 0x34,
        CONTENT = 0x35,
        CONTENTS = 0x36,
        CALL = 0x40,
        NEW = 0x43,
        /// This and all above: an int from -1 on, by itself.
        TINY = 0x80,
    }

    /// Names of objects that are none.
    identity, Identity: u32 {
        /// Stands for an object whose identity is not known.
        UNKNOWN = base::ObjectId::UNIDENTIFIED,
    }

    /// Flags of a type.
    type_flag, TypeFlag: u8 {
        INTERFACE = 1,
        ARRAY = 2,
        ENUM = 4,
        HIDDEN = 8,
    }

    /// Flags of a thread.
    thread_flag, ThreadFlag: u8 {
        DAEMON = 1,
        VIRTUAL = 2,
    }

    /// Flags of a string's content.
    string_flag, StringFlag: u8 {
        UTF16 = 1,
        CUT = 2,
    }

    /// Codes of notes.
    note, Note: u8 {
        DEGRADED = 1,
        AGENT_ERROR = 2,
        STOPPED = 3,
        IDS_RAN_OUT = 4,
    }

    /// What the recorder asks the agent for while it is initialised; each gives a long.
    setting, Setting: i32 {
        /// Registers the native methods; 0 = failed.
        LINK = -1,
        /// Address of the counter of ordering points.
        SEQ = 0,
        /// Address of the table of class kinds.
        KLASSES = 1,
        /// Address of the counters.
        COUNTERS = 2,
        /// Characters of a string that are recorded.
        MAX_STRING = 3,
        /// Values of an array, or of what is seen at once, that are recorded.
        MAX_ARRAY = 4,
        /// Bytes of a chunk.
        CHUNK = 5,
        /// Address of a chunk that nobody reads.
        SINK = 6,
        /// Whether instrumented code only has to link.
        WEAVE_ONLY = 7,
        /// Whether the content of collections and arrays is recorded.
        CONTENT_WANTED = 8,
        /// Chunks after which a stream ends with the next outermost call.
        SPLIT = 9,
    }

    /// What is numbered: table record 8 says which stream defines which numbers.
    numbered, Numbered: u8 {
        PROGRAM = 0,
        LIBRARY = 1,
        STRINGS = 2,
        /// Constants of libraries' enums: a type, and an ordinal.
        ENUM_NAMES = 3,
    }

    /// What table record 9 says of a stream.
    mark, Mark: u8 {
        BEGINS = 0,
        ENDS = 1,
    }

    /// Where the counters are, of 8 bytes each.
    counter, Counter: usize {
        /// The next name of an object of the program.
        PROGRAM = 0,
        /// The next name of any other object.
        LIBRARY = 8,
        /// The next number of a string.
        STRINGS = 16,
        /// Objects that got no name.
        UNNAMED = 24,
    }

    /// How large things are that both sides use.
    size, Size: usize {
        /// Entries of the table of class kinds, of 8 bytes each. A power of two.
        KLASSES = 65_536,
    }

    /// What the recorder wants for a child process.
    child, Child: i32 {
        /// The arguments that make a JVM load the agent, one a line.
        ARGUMENTS = 0,
        /// The same for the variable JAVA_TOOL_OPTIONS.
        ENVIRONMENT = 1,
        /// That, and it is also set in this process.
        INHERITED_ENVIRONMENT = 2,
    }

    /// What the recorder wants to know of the current thread's native stack.
    stack, Stack: i32 {
        START = 0,
        SIZE = 1,
    }
}

/// The Java class of this name in java.lang that has all the numbers. They are constants, so javac copies them to where
/// they are used, and the class is not there at run time.
pub fn java_class(name: &str) -> String {
    let mut java =
        format!("package java.lang;\n\n/** Made from crates/trace/src/codes.rs. */\nfinal class {name} {{\n");
    for (class, codes) in GROUPS {
        let list: Vec<String> = codes.iter().map(|(name, code)| format!("{name} = {code}")).collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            java,
            "    static final class {class} {{\n        static final int\n            {};\n    }}\n",
            list.join(",\n            ")
        );
    }
    java.push_str("}\n");
    java
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_names_of_a_group_have_the_same_number() {
        for (class, codes) in GROUPS {
            let numbers: BTreeSet<i64> = codes.iter().map(|(_, code)| *code).collect();
            assert_eq!(numbers.len(), codes.len(), "{class}");
        }
    }

    #[test]
    fn java_has_every_number_as_an_int() {
        let java = java_class("Codes");
        for (class, codes) in GROUPS {
            let (_, body) = java.split_once(&format!(" class {class} {{")).expect(class);
            let (body, _) = body.split_once('}').expect(class);
            for (name, code) in *codes {
                assert!(i32::try_from(*code).is_ok(), "{class}.{name}");
                assert!(body.contains(&format!(" {name} = {code}")), "{class}.{name}");
            }
        }
    }

    #[test]
    fn tags_are_those_of_the_format_page() {
        let page = include_str!("../../../docs/format.md");
        let (_, section) = page.split_once("## Thread streams").expect("a section");
        let rows = section.lines().take_while(|line| !line.starts_with("### "));
        let documented: BTreeSet<i64> = rows
            .filter_map(|row| i64::from_str_radix(row.strip_prefix("| ")?.split(' ').next()?, 16).ok())
            .collect();
        let (_, tags) = GROUPS.iter().find(|(class, _)| *class == "Tag").expect("a group");
        assert_eq!(documented, tags.iter().map(|(_, code)| *code).collect());
    }
}
