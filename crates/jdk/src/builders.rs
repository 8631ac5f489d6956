//! String builders. The recorder does not look into `java.lang`, so what a call does to a builder is known by its name.

use crate::matching::is_one_of;

/// Has the fields of both builders.
pub const ABSTRACT: &str = "java/lang/AbstractStringBuilder";

/// The classes that programs make builders of.
pub const BUILDERS: [&str; 2] = ["java/lang/StringBuilder", "java/lang/StringBuffer"];

/// Methods of builders that change nothing.
pub const LOOKS: [&str; 9] = [
    "toString",
    "length",
    "charAt",
    "indexOf",
    "lastIndexOf",
    "substring",
    "subSequence",
    "isEmpty",
    "capacity",
];

/// Classes that never change a builder that they are given.
pub const READERS: [&str; 8] = [
    "java/lang/String",
    "java/io/PrintStream",
    "java/io/PrintWriter",
    "java/util/Objects",
    "java/util/ArrayList",
    "java/util/List",
    "java/util/Map",
    "java/util/HashMap",
];

/// Is an object of this class a builder?
pub fn is_builder(class: impl AsRef<[u8]>) -> bool {
    is_one_of(class.as_ref(), &BUILDERS)
}

/// Is a method of this class one of a builder's?
pub fn is_of_builder(owner: impl AsRef<[u8]>) -> bool {
    owner.as_ref() == ABSTRACT.as_bytes() || is_builder(owner)
}

/// Does a method of a builder leave it as it is?
pub fn only_looks(method: impl AsRef<[u8]>) -> bool {
    is_one_of(method.as_ref(), &LOOKS)
}

/// Does a class leave builders as they are that its methods are given?
pub fn leaves_builders(owner: impl AsRef<[u8]>) -> bool {
    is_one_of(owner.as_ref(), &READERS)
}
