//! Java's names for types, as a test in some package may write them, and what it may not touch.

use std::collections::BTreeSet;

use classfile::{ClassFile, access};
use past::{Class, Past};

use super::WhyNot;

pub(super) struct Names<'p> {
    pub past: &'p Past,
    /// Of the test, with slashes.
    pub package: String,
    pub imports: BTreeSet<String>,
}

impl<'p> Names<'p> {
    pub fn new(past: &'p Past, package: &str) -> Names<'p> {
        Names { past, package: package.to_owned(), imports: BTreeSet::new() }
    }

    /// The class of the program with this name (with slashes).
    pub fn class(&self, name: &str) -> Option<&'p Class> {
        let found = self.past.program().classes().iter().find(|class| class.name == name);
        found.filter(|_| !is_library(name))
    }

    /// A class of the JDK by its simple name, imported; by its whole name if the program has another of that name.
    pub fn jdk(&mut self, dotted: &str) -> String {
        let simple = dotted.rsplit('.').next().unwrap_or(dotted);
        let package = if self.package.is_empty() { String::new() } else { format!("{}/", self.package) };
        if self.class(&format!("{package}{simple}")).is_some() {
            return dotted.to_owned();
        }
        if !dotted.starts_with("java.lang.") || dotted.matches('.').count() > 2 {
            self.imports.insert(dotted.to_owned());
        }
        simple.to_owned()
    }

    /// A class as the test writes it.
    pub fn of_class(&mut self, name: &str) -> Result<String, WhyNot> {
        let Some(class) = self.class(name) else {
            return match is_library(name) && !name.contains('$') {
                true => Ok(self.jdk(&name.replace('/', "."))),
                false if is_library(name) => Ok(name.replace(['/', '$'], ".")),
                false => Err(WhyNot(format!("the class {} is not in the recording", name.replace('/', ".")))),
            };
        };
        let file = ClassFile::parse(&class.bytes).ok();
        let unreadable = || WhyNot(format!("the class file of {} cannot be read", name.replace('/', ".")));
        let file = file.ok_or_else(unreadable)?;
        let near = package_of(name) == self.package;
        let shown = name.replace(['/', '$'], ".");
        match nesting(&file, name) {
            Nesting::Nameless => {
                Err(WhyNot(format!("{} is a class within a method: a test cannot name it", simple(name))))
            }
            Nesting::In { flags, .. } if flags & access::PRIVATE != 0 => {
                Err(WhyNot(format!("the class {shown} is private")))
            }
            Nesting::In { flags, .. } if flags & access::PUBLIC == 0 && !near => {
                Err(WhyNot(format!("the class {shown} is not visible in another package")))
            }
            Nesting::In { outer, simple, .. } => Ok(format!("{}.{simple}", self.of_class(&outer)?)),
            Nesting::Top if near => Ok(simple(name).to_owned()),
            Nesting::Top if package_of(name).is_empty() => {
                Err(WhyNot(format!("{shown} is in the unnamed package, which no other can see")))
            }
            Nesting::Top if file.access & access::PUBLIC == 0 => {
                Err(WhyNot(format!("the class {shown} is not visible in another package")))
            }
            Nesting::Top => Ok(shown),
        }
    }

    /// Does an object of the class need one around it?
    pub fn is_inner(&self, name: &str) -> bool {
        let Some(class) = self.class(name) else { return false };
        let Ok(file) = ClassFile::parse(&class.bytes) else { return true };
        match nesting(&file, name) {
            Nesting::Top => false,
            Nesting::Nameless => true,
            Nesting::In { flags, .. } => flags & access::STATIC == 0,
        }
    }

    /// The type of a descriptor.
    pub fn of(&mut self, descriptor: &str) -> Result<String, WhyNot> {
        Ok(match descriptor.as_bytes().first() {
            Some(b'Z') => "boolean".to_owned(),
            Some(b'B') => "byte".to_owned(),
            Some(b'C') => "char".to_owned(),
            Some(b'S') => "short".to_owned(),
            Some(b'I') => "int".to_owned(),
            Some(b'J') => "long".to_owned(),
            Some(b'F') => "float".to_owned(),
            Some(b'D') => "double".to_owned(),
            Some(b'[') => format!("{}[]", self.of(&descriptor[1..])?),
            Some(b'L') => self.of_class(descriptor[1..].trim_end_matches(';'))?,
            _ => return Err(WhyNot("a type is not known".to_owned())),
        })
    }

    /// May the test name a member that has these flags, declared in a class that it can name?
    pub fn may_use(&self, flags: u16, class: &str) -> bool {
        flags & access::PRIVATE == 0 && (flags & access::PUBLIC != 0 || package_of(class) == self.package)
    }
}

enum Nesting {
    Top,
    /// A member of another class.
    In {
        outer: String,
        simple: String,
        flags: u16,
    },
    /// Local or anonymous.
    Nameless,
}

fn nesting(file: &ClassFile<'_>, name: &str) -> Nesting {
    let Some(attribute) = file.attribute("InnerClasses") else { return Nesting::Top };
    for entry in attribute.info.get(2..).unwrap_or(&[]).chunks_exact(8) {
        let field = |at: usize| u16::from_be_bytes([entry[at], entry[at + 1]]);
        let class = |index: u16| file.pool.class_name(index).ok().map(text);
        if class(field(0)).as_deref() != Some(name) {
            continue;
        }
        let simple = file.pool.utf8(field(4)).ok().map(text);
        return match (class(field(2)), simple) {
            (Some(outer), Some(simple)) => Nesting::In { outer, simple, flags: field(6) },
            _ => Nesting::Nameless,
        };
    }
    Nesting::Top
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn package_of(class: &str) -> String {
    class.rsplit_once('/').map_or(String::new(), |(package, _)| package.to_owned())
}

fn simple(class: &str) -> &str {
    class.rsplit('/').next().unwrap_or(class)
}

pub(super) fn is_library(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|package| class.starts_with(package))
}
