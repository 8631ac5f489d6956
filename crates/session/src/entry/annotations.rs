//! Which methods are tests: read from the annotations in the class files of the recording, because frameworks find
//! tests by nothing else.

use base::MethodId;
use classfile::{Attribute, ClassFile, ConstantPool, Member};
use jdk::testing;
use past::{Method, Program};

use super::Framework;

/// What is known of a method that a test framework calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Testing {
    pub framework: Framework,
    /// A test, and not what prepares one.
    pub is_test: bool,
    /// The exception that it should throw, with slashes.
    pub expected: Option<String>,
    /// A rule of its class says which exception it should throw; which one is only known when it runs.
    pub expects_by_rule: bool,
}

/// None if no framework calls the method as a test, or to prepare one.
pub fn testing(program: &Program, method: MethodId) -> Option<Testing> {
    let (class, model) = program.method(method)?;
    let file = ClassFile::parse(&class.bytes).ok()?;
    let own = |member: &&Member<'_>| {
        member.name == model.name.as_bytes() && member.descriptor == model.descriptor.as_bytes()
    };
    let member = file.methods.iter().find(own)?;
    if let Some(attribute) = member.attribute("RuntimeVisibleAnnotations")
        && let Some(testing) = annotated(attribute, &file)
    {
        return Some(testing);
    }
    let mut above = class;
    for _ in 0..if is_named_as_test(model) { MAX_SUPERS } else { 0 } {
        let super_name = program.model(above)?.super_name.as_deref()?;
        if super_name == testing::JUNIT3_TEST_CASE {
            return Some(Testing::junit3());
        }
        above = program.class_named(super_name, above.loader)?;
    }
    None
}

/// As JUnit 3 finds tests: by their name.
pub fn is_named_as_test(method: &Method) -> bool {
    method.name.starts_with("test") && method.descriptor == "()V" && !method.is_static()
}

impl Testing {
    pub fn junit3() -> Testing {
        Testing { framework: Framework::JUnit3, is_test: true, expected: None, expects_by_rule: false }
    }
}

/// Superclasses of one class, at most.
const MAX_SUPERS: usize = 100;

fn annotated(attribute: &Attribute<'_>, file: &ClassFile<'_>) -> Option<Testing> {
    let mut reader = Reader { bytes: attribute.info, at: 0, pool: &file.pool };
    for _ in 0..reader.u2()? {
        let (name, expected) = reader.annotation(0)?;
        let simple = name.rsplit('/').next()?.trim_end_matches(';');
        let framework = match &name {
            name if name.starts_with(testing::JUNIT5_ANNOTATIONS) => Framework::JUnit5,
            name if name.starts_with(testing::JUNIT4_ANNOTATIONS) => Framework::JUnit4,
            _ => continue,
        };
        if !testing::is_called(simple) {
            continue;
        }
        let rule = |field: &Member<'_>| field.descriptor == testing::EXPECTED_EXCEPTION.as_bytes();
        // JUnit 4 writes this class for "none".
        let expected = expected.filter(|class| class != testing::NONE_EXPECTED);
        let is_test = testing::is_test(simple);
        let expects_by_rule = file.fields.iter().any(rule);
        return Some(Testing { framework, is_test, expected, expects_by_rule });
    }
    None
}

/// Annotations as class files have them. Of their values only that of `expected` matters, the rest is passed over.
struct Reader<'f, 'a> {
    bytes: &'a [u8],
    at: usize,
    pool: &'f ConstantPool<'a>,
}

impl Reader<'_, '_> {
    fn u1(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn u2(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.u1()?, self.u1()?]))
    }

    fn text(&mut self) -> Option<String> {
        let index = self.u2()?;
        Some(String::from_utf8_lossy(self.pool.utf8(index).ok()?).into_owned())
    }

    /// The annotation's type, and the class that its `expected` names.
    fn annotation(&mut self, depth: u32) -> Option<(String, Option<String>)> {
        let name = self.text()?;
        let mut expected = None;
        for _ in 0..self.u2()? {
            let key = self.text()?;
            let value = self.value(depth)?;
            if key == "expected" {
                expected = value;
            }
        }
        Some((name, expected))
    }

    /// Passes over a value; gives it back if it is a class.
    fn value(&mut self, depth: u32) -> Option<Option<String>> {
        if depth > 16 {
            return None;
        }
        match self.u1()? {
            b'c' => {
                let descriptor = self.text()?;
                let class = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                return Some(class.map(str::to_owned));
            }
            b'e' => {
                self.u2()?;
                self.u2()?;
            }
            b'@' => {
                self.annotation(depth + 1)?;
            }
            b'[' => {
                for _ in 0..self.u2()? {
                    self.value(depth + 1)?;
                }
            }
            _ => {
                self.u2()?;
            }
        }
        Some(None)
    }
}
