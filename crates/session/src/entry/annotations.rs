//! Which methods are tests: read from the annotations in the class files of the recording, because frameworks find
//! tests by nothing else.

use base::MethodId;
use classfile::{Attribute, ClassFile, ConstantPool, Member, access};
use jdk::testing;
use past::{Class, Method, Program};

use super::Framework;

/// What is known of a method that a test framework calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Testing {
    pub framework: Framework,
    /// A test, and not what prepares one.
    pub is_test: bool,
    /// It gives tests that are run later.
    pub is_factory: bool,
    /// It is code that such a test runs.
    pub is_dynamic: bool,
    /// The exceptions of which it should throw one, with slashes; none if it should throw nothing.
    pub expected: Vec<String>,
    /// A rule of its class says which exception it should throw; which one is only known when it runs.
    pub expects_by_rule: bool,
}

/// None if no framework calls the method as a test, or to prepare one.
pub fn testing(program: &Program, method: MethodId) -> Option<Testing> {
    let (class, _) = program.method(method)?;
    testing_in(program, method, has_tests(class))
}

/// Does a class name annotations of tests anywhere?
pub fn has_tests(class: &Class) -> bool {
    is_annotated(class, &[testing::JUNIT4_ANNOTATIONS, testing::TESTNG_ANNOTATIONS])
}

/// As `testing`, of a method of whose class it is known whether it has annotations of tests.
pub fn testing_in(program: &Program, method: MethodId, has_tests: bool) -> Option<Testing> {
    let (class, model) = program.method(method)?;
    if has_tests
        && let Ok(file) = ClassFile::parse(&class.bytes)
        && let Some(testing) = by_annotation(&file, model)
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

/// Does a method carry an annotation that `wanted` wants, by its descriptor? All of those begin with one of `begins`.
pub fn carries(class: &Class, method: &Method, begins: &[&str], wanted: impl Fn(&str) -> bool) -> bool {
    if !is_annotated(class, begins) {
        return false;
    }
    let Ok(file) = ClassFile::parse(&class.bytes) else { return false };
    let own = |member: &&Member<'_>| {
        member.name == method.name.as_bytes() && member.descriptor == method.descriptor.as_bytes()
    };
    let attribute = file.methods.iter().find(own).and_then(|member| member.attribute(VISIBLE));
    let all = attribute.and_then(|attribute| read(attribute, &file)).unwrap_or_default();
    all.iter().any(|one| wanted(&one.name))
}

/// Does a class name an annotation anywhere that begins like this? Most do not, and are not read.
fn is_annotated(class: &Class, begins: &[&str]) -> bool {
    begins.iter().any(|annotations| memchr::memmem::find(&class.bytes, annotations.as_bytes()).is_some())
}

fn by_annotation(file: &ClassFile<'_>, model: &Method) -> Option<Testing> {
    let own = |member: &&Member<'_>| {
        member.name == model.name.as_bytes() && member.descriptor == model.descriptor.as_bytes()
    };
    let member = file.methods.iter().find(own)?;
    let annotations = |attribute: Option<&Attribute<'_>>| {
        attribute.map_or(Vec::new(), |attribute| read(attribute, file).unwrap_or_default())
    };
    let on_method = annotations(member.attribute(VISIBLE));
    if let Some(testing) = on_method.into_iter().find_map(|one| of_annotation(one, file)) {
        return Some(testing);
    }
    // What a factory's tests run are lambdas in it.
    if let Some(rest) = model.name.strip_prefix("lambda$")
        && let Some((around, _)) = rest.rsplit_once('$')
    {
        let mut factories = file.methods.iter().filter(|member| member.name == around.as_bytes());
        let is_factory = factories.any(|member| {
            let all = annotations(member.attribute(VISIBLE));
            all.into_iter().filter_map(|one| of_annotation(one, file)).any(|testing| testing.is_factory)
        });
        if is_factory {
            return Some(Testing { framework: Framework::JUnit5, is_dynamic: true, ..Testing::junit3() });
        }
    }
    let public = member.is(access::PUBLIC) && !member.is(access::STATIC) && !member.is(access::SYNTHETIC);
    let all_are_tests =
        || annotations(file.attribute(VISIBLE)).into_iter().find(|one| one.name == testing::TESTNG_TEST);
    match public && member.name != b"<init>" {
        true => of_annotation(all_are_tests()?, file),
        false => None,
    }
}

/// As JUnit 3 finds tests: by their name.
pub fn is_named_as_test(method: &Method) -> bool {
    method.name.starts_with("test") && method.descriptor == "()V" && !method.is_static()
}

impl Testing {
    pub fn junit3() -> Testing {
        Testing {
            framework: Framework::JUnit3,
            is_test: true,
            is_factory: false,
            is_dynamic: false,
            expected: Vec::new(),
            expects_by_rule: false,
        }
    }
}

/// Superclasses of one class, at most.
const MAX_SUPERS: usize = 100;
/// The attribute with the annotations that frameworks see.
const VISIBLE: &str = "RuntimeVisibleAnnotations";

struct Annotation {
    name: String,
    expected: Vec<String>,
}

fn of_annotation(annotation: Annotation, file: &ClassFile<'_>) -> Option<Testing> {
    let Annotation { name, expected } = annotation;
    let simple = name.rsplit('/').next()?.trim_end_matches(';');
    let framework = match &name {
        name if name.starts_with(testing::JUNIT5_ANNOTATIONS) => Framework::JUnit5,
        name if name.starts_with(testing::JUNIT4_ANNOTATIONS) => Framework::JUnit4,
        name if name.starts_with(testing::TESTNG_ANNOTATIONS) => Framework::TestNG,
        _ => return None,
    };
    if !testing::is_called(simple) {
        return None;
    }
    let rule = |field: &Member<'_>| field.descriptor == testing::EXPECTED_EXCEPTION.as_bytes();
    // JUnit 4 writes this class for "none".
    let expected = expected.into_iter().filter(|class| class != testing::NONE_EXPECTED).collect();
    Some(Testing {
        framework,
        is_test: testing::is_test(simple),
        is_factory: simple == testing::TEST_FACTORY,
        is_dynamic: false,
        expected,
        expects_by_rule: file.fields.iter().any(rule),
    })
}

fn read(attribute: &Attribute<'_>, file: &ClassFile<'_>) -> Option<Vec<Annotation>> {
    let mut reader = Reader { bytes: attribute.info, at: 0, pool: &file.pool };
    (0..reader.u2()?).map(|_| reader.annotation(0)).collect()
}

/// Annotations as class files have them. Of their values only the expected exceptions matter, the rest is passed over.
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

    /// The annotation's type, and the classes of exceptions that it expects.
    fn annotation(&mut self, depth: u32) -> Option<Annotation> {
        let name = self.text()?;
        let mut expected = Vec::new();
        for _ in 0..self.u2()? {
            let key = self.text()?;
            let value = self.value(depth)?;
            if testing::EXPECTED.contains(&key.as_str()) {
                expected = value;
            }
        }
        Some(Annotation { name, expected })
    }

    /// Passes over a value; gives back the classes in it.
    fn value(&mut self, depth: u32) -> Option<Vec<String>> {
        if depth > 16 {
            return None;
        }
        let mut classes = Vec::new();
        match self.u1()? {
            b'c' => {
                let descriptor = self.text()?;
                let class = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                classes.extend(class.map(str::to_owned));
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
                    classes.extend(self.value(depth + 1)?);
                }
            }
            _ => {
                self.u2()?;
            }
        }
        Some(classes)
    }
}
