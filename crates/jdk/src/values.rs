//! Classes of values: what never changes, and what is compared by its contents.

use crate::boxes;
use crate::matching::{begins, is_one_of};
use crate::names::STRING;

/// Nothing can be done to objects of these classes. Boxes are such, too.
pub const UNCHANGEABLE: [&str; 22] = [
    "java/lang/String",
    "java/lang/Class",
    "java/math/BigInteger",
    "java/math/BigDecimal",
    "java/math/MathContext",
    "java/lang/reflect/Method",
    "java/lang/reflect/Field",
    "java/lang/reflect/Constructor",
    "java/nio/charset/Charset",
    "java/util/Currency",
    "java/util/regex/Pattern",
    "sun/nio/fs/UnixPath",
    // What a `Locale` is made of.
    "sun/util/locale/BaseLocale",
    "sun/util/locale/LocaleExtensions",
    "java/util/Optional",
    "java/util/OptionalInt",
    "java/util/OptionalLong",
    "java/util/OptionalDouble",
    "java/util/UUID",
    "java/util/Locale",
    "java/net/URI",
    "java/io/File",
];

/// Nor to those whose names begin like this.
pub const UNCHANGEABLE_BEGINS: [&str; 2] = ["java/time/", "java/util/ImmutableCollections$"];

/// Classes of values, and of functions on them, besides boxes: their methods read and change nothing that lasts.
pub const FUNCTIONS: [&str; 8] = [
    "java/lang/String",
    "java/lang/Number",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Object",
    "java/lang/Enum",
    "java/lang/Class",
    "java/lang/CharSequence",
];

/// Does an object of this class stay what it is?
pub fn is_unchangeable(class: impl AsRef<[u8]>) -> bool {
    let class = class.as_ref();
    boxes::letter_of(class).is_some()
        || is_one_of(class, &UNCHANGEABLE)
        || begins(class, &UNCHANGEABLE_BEGINS)
}

/// Do methods of this class work on values alone?
pub fn works_on_values(class: impl AsRef<[u8]>) -> bool {
    let class = class.as_ref();
    boxes::letter_of(class).is_some() || is_one_of(class, &FUNCTIONS)
}

/// Is it a box or a string? Its hash code follows from its content.
pub fn is_plain(class: impl AsRef<[u8]>) -> bool {
    let class = class.as_ref();
    class == STRING.as_bytes() || boxes::letter_of(class).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_change() {
        for class in ["java/lang/Integer", "java/time/LocalDate", "java/util/ImmutableCollections$ListN"] {
            assert!(is_unchangeable(class), "{class}");
        }
        for class in ["java/util/ArrayList", "java/lang/StringBuilder", "demo/Point"] {
            assert!(!is_unchangeable(class), "{class}");
        }
        assert!(works_on_values("java/lang/Math") && !works_on_values("java/lang/Thread"));
        assert!(is_plain("java/lang/Long") && !is_plain("java/lang/Math"));
    }
}
