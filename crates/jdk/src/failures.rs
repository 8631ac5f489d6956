//! Exceptions that the machine and the JDK throw when something cannot be done, and what their messages say.

/// What could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Null,
    Index,
    Arithmetic,
    NegativeSize,
    Cast,
}

pub const FAILURES: [(&str, Failure); 5] = [
    ("java/lang/NullPointerException", Failure::Null),
    ("java/lang/IndexOutOfBoundsException", Failure::Index),
    ("java/lang/ArithmeticException", Failure::Arithmetic),
    ("java/lang/NegativeArraySizeException", Failure::NegativeSize),
    ("java/lang/ClassCastException", Failure::Cast),
];

/// What an exception of this class, and these above it, says.
pub fn failure(classes: &[String]) -> Option<Failure> {
    FAILURES.iter().find(|(class, _)| classes.iter().any(|own| own == class)).map(|(_, failure)| *failure)
}

/// What the JDK throws for an index of a text, whatever kind of text that is.
const OF_TEXT: &str = "java/lang/StringIndexOutOfBoundsException";

/// Classes whose elements are characters.
pub const TEXTS: [&str; 5] = [
    "java/lang/String",
    "java/lang/StringBuilder",
    "java/lang/StringBuffer",
    "java/lang/CharSequence",
    "java/nio/CharBuffer",
];

/// Does an exception of this class, and these above it, say that a text has no such character?
pub fn is_of_text(classes: &[String]) -> bool {
    classes.iter().any(|class| class == OF_TEXT)
}

/// The index and the length that a message names: `Index 5 out of bounds for length 3`, `begin 3, end 9, length 5`,
/// `String index out of range: 7`.
pub fn index_and_length(message: &str) -> (Option<i64>, Option<i64>) {
    let number = |text: &str| {
        let end = text.char_indices().find(|&(at, one)| !(one.is_ascii_digit() || at == 0 && one == '-'));
        text[..end.map_or(text.len(), |(at, _)| at)].parse().ok()
    };
    let index = message.char_indices().find_map(|(at, _)| number(&message[at..]));
    let length = ["length ", "Size: "].iter().find_map(|word| message.split_once(word));
    let length = length.and_then(|(_, rest)| number(rest));
    // Of a stretch it is the end that is too large, unless that fits.
    let end = message.strip_prefix("begin ").and_then(|rest| number(rest.split_once(", end ")?.1));
    (end.filter(|end| length.is_some_and(|length| *end > length)).or(index), length)
}

/// The class that a value was of which was taken for another: `class A cannot be cast to class B (…)`.
pub fn class_of_cast(message: &str) -> Option<&str> {
    let (class, _) = message.strip_prefix("class ")?.split_once(" cannot be cast to ")?;
    Some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_jdk_say_which_index_of_how_many() {
        for (message, expected) in [
            ("Index 5 out of bounds for length 3", (Some(5), Some(3))),
            ("Index -1 out of bounds for length 3", (Some(-1), Some(3))),
            ("begin 3, end 9, length 5", (Some(9), Some(5))),
            ("begin 0, end 1, length 0", (Some(1), Some(0))),
            ("begin -1, end 2, length 5", (Some(-1), Some(5))),
            ("begin 4, end 2, length 5", (Some(4), Some(5))),
            ("index 7, length 3", (Some(7), Some(3))),
            ("Index: 7, Size: 3", (Some(7), Some(3))),
            ("String index out of range: 7", (Some(7), None)),
            ("Array index out of range: -2", (Some(-2), None)),
            ("nothing of the kind", (None, None)),
            ("", (None, None)),
        ] {
            assert_eq!(index_and_length(message), expected, "{message}");
        }
        let cast =
            "class java.lang.String cannot be cast to class java.lang.Integer (java.lang.String and …)";
        assert_eq!(class_of_cast(cast), Some("java.lang.String"));
    }
}
