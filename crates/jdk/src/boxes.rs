//! Boxes: the classes of primitives, by the letter that a descriptor has for them.

pub const BOXES: [(u8, &str); 8] = [
    (b'Z', "java/lang/Boolean"),
    (b'B', "java/lang/Byte"),
    (b'C', "java/lang/Character"),
    (b'S', "java/lang/Short"),
    (b'I', "java/lang/Integer"),
    (b'J', "java/lang/Long"),
    (b'F', "java/lang/Float"),
    (b'D', "java/lang/Double"),
];

/// The box of a primitive.
pub fn class_of(letter: u8) -> Option<&'static str> {
    BOXES.iter().find(|(own, _)| *own == letter).map(|(_, class)| *class)
}

/// The primitive in a box.
pub fn letter_of(class: impl AsRef<[u8]>) -> Option<u8> {
    BOXES.iter().find(|(_, own)| own.as_bytes() == class.as_ref()).map(|(letter, _)| *letter)
}

/// The name of a box in Java's sources.
pub fn simple_name(letter: u8) -> Option<&'static str> {
    class_of(letter)?.rsplit('/').next()
}

/// Does a method put a primitive into a box?
pub fn boxes(owner: &str, name: &str, descriptor: &str) -> bool {
    let given = descriptor.as_bytes();
    name == "valueOf" && letter_of(owner).is_some_and(|letter| given.get(1..3) == Some(&[letter, b')']))
}

/// Does a method take the primitive out of its box?
pub fn unboxes(owner: &str, name: &str, descriptor: &str) -> bool {
    name.ends_with("Value")
        && letter_of(owner).is_some_and(|letter| descriptor.as_bytes() == [b'(', b')', letter])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_made_of_its_own_primitive_and_gives_it_back() {
        let cases = [
            ("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", true),
            ("java/lang/Integer", "valueOf", "(Ljava/lang/String;)Ljava/lang/Integer;", false),
            ("java/lang/Integer", "intValue", "()I", true),
            ("java/lang/Double", "intValue", "()I", false),
            ("java/lang/Integer", "parseInt", "(Ljava/lang/String;)I", false),
            ("java/lang/String", "valueOf", "(I)Ljava/lang/String;", false),
        ];
        for (class, name, descriptor, expected) in cases {
            let passes = boxes(class, name, descriptor) || unboxes(class, name, descriptor);
            assert_eq!(passes, expected, "{class}.{name}{descriptor}");
        }
    }
}
