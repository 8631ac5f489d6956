//! Classes that are asked for by name in more than one place, because the language or the machine knows them too.

pub const CLASS: &str = "java/lang/Class";
pub const ERROR: &str = "java/lang/Error";
pub const ENUM: &str = "java/lang/Enum";
pub const OBJECT: &str = "java/lang/Object";
pub const RECORD: &str = "java/lang/Record";
pub const STRING: &str = "java/lang/String";
pub const THROWABLE: &str = "java/lang/Throwable";

pub const ASSERTION_ERROR: &str = "java/lang/AssertionError";
pub const PRINT_STREAM: &str = "java/io/PrintStream";

/// Links lambdas and method references.
pub const LAMBDA_METAFACTORY: &str = "java/lang/invoke/LambdaMetafactory";
/// Links the concatenation of strings.
pub const STRING_CONCAT_FACTORY: &str = "java/lang/invoke/StringConcatFactory";
/// Links `equals`, `hashCode` and `toString` of records.
pub const OBJECT_METHODS: &str = "java/lang/runtime/ObjectMethods";

/// Does a name that is linked join strings, and not make a lambda?
pub fn joins_strings(name: impl AsRef<[u8]>) -> bool {
    name.as_ref().starts_with(b"makeConcat")
}

/// All names above.
pub const ALL: [&str; 12] = [
    CLASS,
    ERROR,
    ENUM,
    OBJECT,
    RECORD,
    STRING,
    THROWABLE,
    ASSERTION_ERROR,
    PRINT_STREAM,
    LAMBDA_METAFACTORY,
    STRING_CONCAT_FACTORY,
    OBJECT_METHODS,
];
