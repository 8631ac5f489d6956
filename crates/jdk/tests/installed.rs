//! The tables against the JDKs that are installed: every class that a row names is there, and so is every field and
//! method. A row for a later JDK says so; a row that no JDK confirms is a mistake.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use classfile::ClassFile;
use jdk::collections::{COLLECTIONS, Recipe};
use jdk::scalars::{FromText, SCALARS};

/// What a class declares.
struct Declared {
    above: Option<String>,
    fields: HashSet<String>,
    methods: HashSet<(String, String)>,
}

/// The classes of one JDK, as far as its tables can be about them.
struct Jdk {
    version: u8,
    classes: HashMap<String, Declared>,
}

impl Jdk {
    /// None if it is not installed.
    fn read(version: u8) -> Option<Jdk> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // They are named by where they are in the image: `/modules/java.base/java/util/List.class`.
        let named = |(path, bytes): (String, Vec<u8>)| {
            let (_, name) = path.strip_prefix("/modules/")?.split_once('/')?;
            Some((name.strip_suffix(".class")?.to_owned(), bytes))
        };
        let classes = testkit::jdk_classes(&version.to_string()).into_iter().filter_map(named);
        let classes = classes.filter(|(name, _)| {
            ["java/", "sun/misc/", "sun/nio/fs/", "sun/reflect/", "sun/util/locale/", "jdk/internal/"]
                .iter()
                .any(|begin| name.starts_with(begin))
        });
        let classes: HashMap<String, Declared> = classes
            .map(|(name, bytes)| {
                let file = ClassFile::parse(&bytes).unwrap();
                let declared = Declared {
                    above: file.super_name().unwrap().map(text),
                    fields: file.fields.iter().map(|field| text(field.name)).collect(),
                    methods: file.methods.iter().map(|one| (text(one.name), text(one.descriptor))).collect(),
                };
                (name, declared)
            })
            .collect();
        (!classes.is_empty()).then_some(Jdk { version, classes })
    }

    fn has(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// The class and those above it.
    fn chain<'j>(&'j self, class: &str) -> impl Iterator<Item = &'j Declared> {
        let mut next = self.classes.get(class);
        std::iter::from_fn(move || {
            let here = next?;
            next = here.above.as_ref().and_then(|above| self.classes.get(above));
            Some(here)
        })
    }

    fn has_field(&self, class: &str, field: &str) -> bool {
        self.chain(class).any(|declared| declared.fields.contains(field))
    }

    fn has_method(&self, class: &str, method: &str) -> bool {
        self.chain(class).any(|declared| declared.methods.iter().any(|(name, _)| name == method))
    }

    /// Does any class whose name begins so have this?
    fn any(&self, begin: &str, test: impl Fn(&Declared) -> bool) -> bool {
        self.classes.iter().any(|(name, declared)| name.starts_with(begin) && test(declared))
    }
}

/// Read once: each has some thousand classes.
fn installed_jdks() -> &'static [Jdk] {
    static JDKS: LazyLock<Vec<Jdk>> = LazyLock::new(|| [17, 25].into_iter().filter_map(Jdk::read).collect());
    assert!(!JDKS.is_empty(), "no JDK to test with");
    &JDKS
}

#[test]
fn layouts_name_classes_and_fields_that_are_there() {
    for jdk in installed_jdks() {
        for row in &COLLECTIONS {
            if row.since > jdk.version {
                assert!(!jdk.has(row.class), "{} is in JDK {} already", row.class, jdk.version);
                continue;
            }
            assert!(jdk.has(row.class), "{} is not in JDK {}", row.class, jdk.version);
            let Some(layout) = row.layout else { continue };
            let mut read = layout.inner();
            read.push((row.class, layout.fields()));
            for (class, fields) in read {
                assert!(jdk.has(class), "{class} is not in JDK {}", jdk.version);
                for field in fields {
                    assert!(jdk.has_field(class, field), "{class}.{field} is not in JDK {}", jdk.version);
                }
            }
        }
        for row in &SCALARS {
            for field in row.form.fields() {
                let there = jdk.has_field(row.class, field);
                assert!(there, "{}.{field} is not in JDK {}", row.class, jdk.version);
            }
            if let Some(FromText::Method(method)) = row.from_text {
                assert!(jdk.has_method(row.class, method), "{}.{method}", row.class);
            }
        }
    }
}

#[test]
fn a_class_without_a_layout_has_one_above_it() {
    for jdk in installed_jdks() {
        for row in COLLECTIONS.iter().filter(|row| row.layout.is_none()) {
            let mut above = jdk.classes[row.class].above.as_deref();
            while let Some(class) = above.filter(|class| jdk::collections::layout(class).is_none()) {
                above = jdk.classes[class].above.as_deref();
            }
            assert!(above.is_some(), "nothing above {} has a layout", row.class);
        }
    }
}

#[test]
fn recipes_are_what_java_has() {
    for jdk in installed_jdks() {
        for row in COLLECTIONS.iter().filter(|row| row.since <= jdk.version) {
            let Some(recipe) = row.recipe else { continue };
            let util = |name: &str| format!("java/util/{name}");
            let (class, method) = match recipe {
                Recipe::Copy(class) | Recipe::Filled(class) | Recipe::Put(class) => (util(class), "<init>"),
                Recipe::Of(class) | Recipe::Optional(class) => (util(class), "of"),
                Recipe::AsList => (util("Arrays"), "asList"),
                Recipe::Empty(method) | Recipe::Singleton(method) | Recipe::Wrapper(method) => {
                    (util("Collections"), method)
                }
            };
            assert!(jdk.has_method(&class, method), "{class}.{method} is not in JDK {}", jdk.version);
        }
    }
}

#[test]
fn classes_and_methods_in_the_tables_are_there() {
    for jdk in installed_jdks() {
        let classes = jdk::names::ALL
            .iter()
            .chain(&jdk::builders::BUILDERS)
            .chain(&jdk::builders::READERS)
            .chain([&jdk::builders::ABSTRACT, &jdk::unseen::VAR_HANDLE, &jdk::unseen::METHOD_HANDLE])
            .chain(&jdk::unseen::UNSAFE)
            .chain(&jdk::threads::ORDERING_CLASSES)
            .chain(&jdk::values::UNCHANGEABLE)
            .chain(&jdk::values::FUNCTIONS)
            .chain(&jdk::identity::HANDS_ON)
            .chain([&jdk::identity::REFLECTION, &jdk::identity::STARTS_PROCESSES])
            .chain(&jdk::calls::PRINTERS)
            .chain(&jdk::calls::OBSERVED)
            .chain(jdk::calls::DETERMINED.iter().filter(|name| !name.ends_with('/')))
            .chain(&jdk::machine::THROWS)
            .chain(
                [jdk::machine::CREATING, jdk::machine::CASTING, jdk::machine::STORING].into_iter().flatten(),
            )
            .chain(jdk::machine::RELEASING)
            .chain(&jdk::machine::NOT_TOLD_APART)
            .chain(&jdk::machine::ABOVE_ARRAYS)
            .chain(&jdk::collections::WITHOUT_EQUALS)
            .chain(jdk::boxes::BOXES.iter().map(|(_, class)| class))
            .chain(jdk::arrays::READERS.iter().map(|(class, _)| class));
        for class in classes {
            assert!(jdk.has(class), "{class} is not in JDK {}", jdk.version);
        }
        let bulk = jdk::arrays::BULK.iter().map(|&(class, method, _)| (class, method));
        let looks = jdk::builders::LOOKS.iter().map(|&method| ("java/lang/StringBuilder", method));
        for (class, method) in bulk.chain(looks).chain(jdk::caches::BOOKKEEPING) {
            // `isEmpty` comes from an interface.
            let there = jdk.has_method(class, method) || jdk.has_method("java/lang/CharSequence", method);
            assert!(there, "{class}.{method} is not in JDK {}", jdk.version);
        }
        for (class, method, descriptor) in jdk::machine::START.into_iter().chain(jdk::machine::FIRST_THREAD) {
            let declared = &jdk.classes[class].methods;
            let there = declared.contains(&(method.to_owned(), descriptor.to_owned()));
            assert!(there, "{class}.{method}{descriptor} is not in JDK {}", jdk.version);
        }
    }
}

#[test]
fn parts_of_java_util_and_beginnings_of_names_lead_somewhere() {
    for jdk in installed_jdks() {
        let parts = jdk::util_parts::PARTS.iter().map(|part| part.name);
        let begins = jdk::values::UNCHANGEABLE_BEGINS
            .into_iter()
            .chain(jdk::unseen::PLAIN_CONCURRENT)
            .chain(jdk::identity::HASHED_BY_CONTENTS)
            .chain(jdk::threads::ORDERING);
        for begin in parts.chain(begins) {
            assert!(jdk.any(begin, |_| true), "no class of JDK {} begins with {begin}", jdk.version);
        }
    }
}

/// Fields and natives come and go with the versions: one JDK has to have each.
#[test]
fn caches_and_natives_are_in_some_jdk() {
    let jdks = installed_jdks();
    // With one of the two alone, what the other has would be missed.
    if jdks.len() < 2 {
        println!("skipped: it takes JDK 17 and 25");
        return;
    }
    for (begin, fields) in jdk::caches::CACHES {
        for field in fields {
            let there = jdks.iter().any(|jdk| jdk.any(begin, |declared| declared.fields.contains(*field)));
            assert!(there, "no class {begin}… has a field {field}");
        }
    }
    for (class, field) in jdk::caches::NO_CACHE {
        assert!(jdks.iter().all(|jdk| jdk.has_field(class, field)), "{class}.{field}");
    }
    for (class, method, _) in jdk::machine::NATIVES {
        // That of OpenJ9 is in no OpenJDK.
        let there = jdks.iter().any(|jdk| jdk.has_method(class, method));
        assert!(there || method == "startImpl", "{class}.{method}");
    }
    // The views of maps that JDK 21 made reversible.
    let reversible = "java/util/LinkedHashMap$LinkedKeySet";
    assert!(jdks.iter().any(|jdk| jdk.has_field(reversible, "reversed")));
}

/// Views of maps are named alike: one that is not in the table would be shown as an object.
#[test]
fn every_view_of_a_map_that_keeps_its_map_has_a_row() {
    const VIEWS: [&str; 10] = [
        "KeySet",
        "LinkedKeySet",
        "KeySetView",
        "Values",
        "LinkedValues",
        "ValuesView",
        "ValueCollection",
        "EntrySet",
        "LinkedEntrySet",
        "EntrySetView",
    ];
    for jdk in installed_jdks() {
        for class in jdk.classes.keys().filter(|class| class.starts_with("java/util/") && class.contains('$'))
        {
            let is_view = class.rsplit('$').next().is_some_and(|inner| VIEWS.contains(&inner));
            let there = jdk::collections::layout(class).is_some();
            assert!(!is_view || there, "{class} of JDK {} has no row", jdk.version);
        }
    }
}
