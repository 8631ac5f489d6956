//! What methods of the JDK write into something that lasts, and what they take from outside: streams, writers, builders,
//! buffers, files, clocks, chance, the environment. The recorder sees such a call with its arguments and its result;
//! this says what it did with them.
//!
//! A row is about a class and all below it. Who asks goes from the class of the receiver upwards, and takes the first
//! row that fits: so a class says only what it does otherwise than the one above.

mod rows;
mod silent;
mod sinks;

pub use rows::ROWS;
pub use silent::{SILENT, SILENT_METHODS, is_silent};
pub use sinks::{
    FILTERS, FORMS, FORWARDS, Form, HELD, Hand, Made, NAMED_FILES, ONLY_LOOKS, OPENS, PASS_ON, REFUSALS,
    SINK_TYPES, VERBS, WRITES_AT_ONCE, allocates, calls_back, form, hand, is_refusal, made, opens, passes_on,
    verb,
};

/// What is written at the end of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// What `String.valueOf` makes of the argument; nothing if there is none.
    Text,
    /// The same and the end of a line.
    Line,
    /// Characters of the first argument from one index to another; `null` is the word.
    TextFromTo,
    /// Characters of the first argument, by offset and length.
    TextOfLength,
    /// The lower half of a number, as a character.
    Char,
    CodePoint,
    /// The first argument as often as the second says: a text, or a character by its number.
    Repeated,
    /// By a format and arguments, after a locale or not.
    Formatted,
    /// The lowest eight bits of a number.
    Byte,
    Bytes,
    BytesOfLength,
    /// As many bytes of a number, the highest first.
    Number(u8),
    /// Two bytes for each character of a string.
    Chars,
    /// The lower byte of each character of a string.
    LowBytes,
    /// A length and then a string in modified UTF-8.
    Utf,
    /// The argument, in a form that only the class knows.
    Value,
}

/// What happens to what was written before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// From here on it holds what it is given.
    Make,
    /// The second argument comes in at the first.
    Insert,
    /// As `Insert`, a part of it: by offset and length of an array, or by both ends of a text.
    InsertPart,
    Delete,
    DeleteAt,
    /// The third argument takes the place of what lies between the first two.
    Replace,
    SetLength,
    SetAt,
    Reverse,
    Clear,
}

/// Where something comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Receiver,
    Clock,
    Chance,
    Environment,
    /// The file that the first argument names.
    File,
    /// The file that the receiver names.
    OwnFile,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// What the call gave back.
    Result,
    /// One character or byte as a number, or -1.
    Code,
    /// As many elements of the first argument as the call gave back, by offset where that is the second.
    Into,
    /// All of the first argument, or by offset and length.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Writes at the end of its receiver.
    Writes(Unit),
    /// Writes something into this argument (the first is 0) that the call does not show.
    WritesInto(u8),
    /// Writes to `System.err`, what is not shown.
    WritesErr,
    /// Changes what its receiver holds.
    Edits(Edit),
    /// Writes the second argument into the file that the first one names.
    WritesFile(Unit),
    /// Does something else to the file that the first argument names, or its receiver.
    ChangesFile(&'static str),
    /// Sets something of the whole program; the words say what.
    Sets(&'static str),
    Takes(Source, Taken),
    /// Hands out what its receiver is made of: whoever has that may change it.
    Exposes,
    /// Nothing that lasts, as far as anybody can see.
    Looks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub class: &'static str,
    pub name: &'static str,
    /// Descriptors of the parameters, one after the other; `*` for any.
    pub parameters: &'static str,
    pub does: Does,
}

/// What a method of this very class does; whoever asks goes on with the class above.
pub fn of_class(class: &str, name: &str, descriptor: &str) -> Option<Does> {
    let parameters = descriptor.strip_prefix('(').and_then(|rest| rest.split(')').next()).unwrap_or("");
    let fits = |row: &&Row| {
        row.class == class && (row.name == name || begins(row.name, name)) && {
            row.parameters == "*" || row.parameters == parameters
        }
    };
    ROWS.iter().find(fits).map(|row| row.does)
}

/// `next*` is every name that begins like that.
fn begins(row: &str, name: &str) -> bool {
    row.strip_suffix('*').is_some_and(|start| name.starts_with(start))
}

/// Does a call put out what it is given, and give back nothing that the caller would go by?
pub fn is_output(owner: &str, name: &str) -> bool {
    let is_sink = owner.starts_with("java/io/")
        && ["Writer", "OutputStream", "PrintStream"].iter().any(|end| owner.ends_with(end));
    let starts = ["print", "write", "append", "format", "newLine", "flush", "close"];
    is_sink && starts.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_known_by_its_class_name_and_parameters() {
        let writes = |unit| Some(Does::Writes(unit));
        for (class, name, descriptor, expected) in [
            ("java/io/Writer", "write", "(I)V", writes(Unit::Char)),
            ("java/io/OutputStream", "write", "(I)V", writes(Unit::Byte)),
            ("java/io/PrintStream", "println", "()V", writes(Unit::Line)),
            ("java/io/PrintStream", "print", "(F)V", writes(Unit::Text)),
            ("java/io/PrintStream", "toString", "()Ljava/lang/String;", None),
            ("java/lang/AbstractStringBuilder", "insert", "(I[CII)X", Some(Does::Edits(Edit::InsertPart))),
            ("java/util/Scanner", "nextInt", "()I", Some(Does::Takes(Source::Receiver, Taken::Result))),
            ("java/util/Scanner", "close", "()V", Some(Does::Looks)),
            ("java/lang/System", "nanoTime", "()J", Some(Does::Takes(Source::Clock, Taken::Result))),
            ("demo/Writer", "write", "(I)V", None),
        ] {
            assert_eq!(of_class(class, name, descriptor), expected, "{class}.{name}{descriptor}");
        }
        assert!(is_output("java/io/Writer", "write") && is_output("java/io/PrintStream", "println"));
        assert!(!is_output("java/nio/channels/WritableByteChannel", "write"));
        assert!(!is_output("java/io/StringWriter", "toString"));
    }

    #[test]
    fn no_row_is_hidden_by_one_before_it() {
        for (at, row) in ROWS.iter().enumerate() {
            let hidden = ROWS[..at].iter().any(|before| {
                before.class == row.class
                    && (before.name == row.name || begins(before.name, row.name))
                    && (before.parameters == "*" || before.parameters == row.parameters)
            });
            assert!(!hidden, "{row:?}");
        }
    }
}
