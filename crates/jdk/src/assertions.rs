//! Assertions of the frameworks that test programs: which of their arguments is what should be, and which what is.

use crate::matching::begins;

/// What an assertion that failed was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// Two arguments, by their numbers: what should be, and what is. `not`: they should differ.
    Compares { expected: usize, actual: usize, not: bool },
    /// One argument that should be something known.
    Is { actual: usize, expected: &'static str },
    /// A value, and what says whether it is right.
    Matches { actual: usize, matcher: usize },
    /// Code that should throw this class, and did not.
    Throws { expected: Option<usize> },
    /// What it is called on was made of the value: `assertThat(x).isEqualTo(y)`.
    Fluent,
    /// Code that is run by the assertion, which says how it failed.
    Runs,
    /// Nothing but that it was reached.
    Fails,
}

/// Whose assertions are calls on what was made of the value.
const FLUENT: [&str; 3] = ["org/assertj/", "com/google/common/truth/", "org/fest/assertions/"];
const TEXT: &str = "Ljava/lang/String;";
const CLASS: &str = "Ljava/lang/Class;";

/// Does a class belong to assertions that are calls on what was made of the value?
pub fn is_fluent(owner: &str) -> bool {
    begins(owner.as_bytes(), &FLUENT)
}

/// Is an argument of this type code that gives the value?
pub fn is_computed(descriptor: &str) -> bool {
    descriptor == "Ljava/util/function/BooleanSupplier;"
}

/// Methods of fluent assertions that say what the value should be equal to.
pub fn is_equality(name: &str) -> bool {
    matches!(name, "isEqualTo" | "isSameAs" | "isSameInstanceAs" | "isSameThingAs" | "hasToString")
}

/// Methods that make a matcher of a value that should be equal, or of another matcher.
pub fn is_plain_matcher(name: &str) -> bool {
    matches!(name, "is" | "equalTo" | "sameInstance" | "theInstance")
}

/// What an assertion of this name, with these parameters, compares. Who inherits assertions calls them by its own name:
/// then they are taken for JUnit's.
pub fn assertion(owner: &str, name: &str, parameters: &[&str]) -> Option<Assertion> {
    let is = |at: usize, descriptor: &str| parameters.get(at) == Some(&descriptor);
    let count = parameters.len();
    if is_fluent(owner) {
        return Some(match name {
            "assertThatThrownBy" | "assertThatCode" | "assertThatExceptionOfType" => {
                Assertion::Throws { expected: None }
            }
            "isThrownBy" => Assertion::Throws { expected: None },
            "fail" | "failBecauseExceptionWasNotThrown" => Assertion::Fails,
            _ => Assertion::Fluent,
        });
    }
    // TestNG has what is first and a message last; JUnit 3 and 4 a message first, JUnit 5 last.
    let actual_first = owner.starts_with("org/testng/") && !owner.ends_with("AssertJUnit");
    let message_last = actual_first || owner.starts_with(crate::testing::JUPITER);
    let message = |values: usize| usize::from(!message_last && count > values && is(0, TEXT));
    let two = |not: bool| {
        let first = message(2);
        let (expected, actual) = if actual_first { (first + 1, first) } else { (first, first + 1) };
        (count > first + 1).then_some(Assertion::Compares { expected, actual, not })
    };
    let one = |expected| Some(Assertion::Is { actual: message(1), expected });
    match name {
        "assertEquals"
        | "assertArrayEquals"
        | "assertSame"
        | "assertIterableEquals"
        | "assertLinesMatch"
        | "assertEqualsNoOrder"
        | "assertEqualsDeep" => two(false),
        "assertNotEquals" | "assertNotSame" => two(true),
        "assertTrue" => one("true"),
        "assertFalse" => one("false"),
        "assertNull" => one("null"),
        "assertNotNull" => one("not null"),
        "assertThat" if count == 2 && is(0, TEXT) && is(1, "Z") => {
            Some(Assertion::Is { actual: 1, expected: "true" })
        }
        "assertThat" if count >= 2 => Some(Assertion::Matches { actual: count - 2, matcher: count - 1 }),
        "assertInstanceOf" | "assertInstanceOfType" if is(0, CLASS) => {
            Some(Assertion::Compares { expected: 0, actual: 1, not: false })
        }
        "assertThrows" | "assertThrowsExactly" | "expectThrows" => {
            let expected = parameters.iter().position(|one| *one == CLASS);
            Some(Assertion::Throws { expected })
        }
        "assertAll" | "assertDoesNotThrow" | "assertTimeout" | "assertTimeoutPreemptively" => {
            Some(Assertion::Runs)
        }
        "fail" | "failNotEquals" | "failNotSame" | "failSame" => Some(Assertion::Fails),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_and_what_it_should_be_are_found_by_the_order_of_each_framework() {
        let compares = |expected, actual| Some(Assertion::Compares { expected, actual, not: false });
        let int = "I";
        for (owner, name, parameters, expected) in [
            ("junit/framework/Assert", "assertEquals", &[TEXT, int, int][..], compares(1, 2)),
            ("org/junit/Assert", "assertEquals", &["J", "J"], compares(0, 1)),
            ("org/junit/Assert", "assertEquals", &["D", "D", "D"], compares(0, 1)),
            ("org/junit/Assert", "assertEquals", &[TEXT, TEXT], compares(0, 1)),
            ("org/junit/jupiter/api/Assertions", "assertEquals", &[TEXT, TEXT, TEXT], compares(0, 1)),
            ("org/testng/Assert", "assertEquals", &[TEXT, TEXT, TEXT], compares(1, 0)),
            ("org/testng/AssertJUnit", "assertEquals", &[TEXT, int, int], compares(1, 2)),
            ("my/BasketTest", "assertEquals", &[TEXT, int, int], compares(1, 2)),
            (
                "org/junit/Assert",
                "assertTrue",
                &[TEXT, "Z"],
                Some(Assertion::Is { actual: 1, expected: "true" }),
            ),
            (
                "org/hamcrest/MatcherAssert",
                "assertThat",
                &[TEXT, "Ljava/lang/Object;", "Lorg/hamcrest/Matcher;"],
                Some(Assertion::Matches { actual: 1, matcher: 2 }),
            ),
            (
                "org/junit/Assert",
                "assertThrows",
                &[CLASS, "Lx;"],
                Some(Assertion::Throws { expected: Some(0) }),
            ),
            (
                "com/google/common/truth/Subject",
                "isEqualTo",
                &["Ljava/lang/Object;"],
                Some(Assertion::Fluent),
            ),
            ("org/junit/Assert", "somethingElse", &[int], None),
        ] {
            assert_eq!(assertion(owner, name, parameters), expected, "{owner}.{name}{parameters:?}");
        }
    }
}
