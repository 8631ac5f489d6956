//! Which classes are program code: those from folders, from the main jar and from jars that the program's own build made,
//! those that the program itself makes, and what `--include` adds, less what `--exclude` takes away. What libraries make while the program runs (proxies,
//! mocks, pages) is theirs, also where it claims to come from a folder of the program.

use std::sync::OnceLock;

use crate::code_source::{CodeSource, JarNames};
use crate::options::AgentOptions;
use crate::sibling::Siblings;

#[derive(Debug)]
pub struct Scope {
    include: Vec<String>,
    exclude: Vec<String>,
    /// Main class with slashes, or the path of the main jar.
    main: String,
    /// Nothing is recorded, so nothing can come to harm.
    weave_only: bool,
    /// Where the main class was loaded from, once it was.
    main_source: OnceLock<String>,
    packed: JarNames,
    siblings: Siblings,
}

impl Scope {
    /// `main` is the main class with slashes, or the path of the main jar.
    pub fn new(options: &AgentOptions, main: String) -> Scope {
        Scope {
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            main,
            weave_only: options.weave_only,
            main_source: OnceLock::new(),
            packed: JarNames::default(),
            siblings: Siblings::default(),
        }
    }

    /// `source` is the URL of the class's code source, empty if it has none; `boot` says that the boot loader defines
    /// it. `made_by_program` is asked about a class that is not where it says it comes from: somebody made it
    /// while the program ran.
    pub fn contains(
        &self,
        name: &str,
        source: &str,
        boot: bool,
        made_by_program: impl FnOnce() -> bool,
    ) -> bool {
        if !boot && name == self.main {
            let _ = self.main_source.set(source.to_owned());
        }
        if self.exclude.iter().any(|p| is_prefix(p, name)) {
            return false;
        }
        if self.include.iter().any(|p| is_prefix(p, name)) {
            return self.weave_only || !jdk::owner::is_never_woven(name);
        }
        if boot || jdk::owner::is_generated(name) {
            return false;
        }
        match CodeSource::of(source) {
            CodeSource::Nowhere => made_by_program(),
            CodeSource::Folder(folder) => folder.join(format!("{name}.class")).exists() || made_by_program(),
            CodeSource::Elsewhere => true,
            // Who runs the program's tests is not the program, also where it comes from the main jar.
            CodeSource::Jar { .. } if jdk::testing::is_runner(name) => false,
            CodeSource::Jar { jar, within } => {
                let sibling = || self.siblings.contain(&jar, || self.packed.classes(&jar));
                (!within.is_empty() || self.is_main(source) || sibling())
                    && (self.packed.contain(&jar, &within, name) || made_by_program())
            }
            CodeSource::Library => self.is_main(source) && !jdk::owner::is_jdk_module(source),
        }
    }

    /// The main class with slashes, or the path of the main jar.
    pub fn main(&self) -> &str {
        &self.main
    }

    fn is_main(&self, source: &str) -> bool {
        self.main_source.get().is_some_and(|m| m == source)
            || (self.main.ends_with(".jar") && source.ends_with(self.main.rsplit('/').next().unwrap_or("\0")))
    }
}

/// Whether `prefix` names the class or a package above it.
fn is_prefix(prefix: &str, name: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with('/') || rest.starts_with('$') || prefix.ends_with('/')
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn scope(include: &[&str], exclude: &[&str], main: &str) -> Scope {
        let list = |l: &[&str]| l.iter().map(|s| format!("{s}\n")).collect::<String>();
        let text = format!("dir=/x\n{}{}", list(include), list(exclude));
        Scope::new(&AgentOptions::parse(&text).unwrap(), main.into())
    }

    const LIBRARY: fn() -> bool = || false;

    /// A folder with one class, `x/InFolder`, and a jar with another, `app/Main`; and their URLs.
    fn places() -> (tempfile::TempDir, String, String) {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("x")).unwrap();
        fs::write(place.path().join("x/InFolder.class"), b"").unwrap();
        let jar = place.path().join("app.jar");
        let mut out = rawzip::ZipArchiveWriter::new(fs::File::create(&jar).unwrap());
        for name in ["app/Main", "app/Other", "BOOT-INF/classes/shop/Basket", "org/junit/Own"] {
            let (mut entry, config) = out.new_file(format!("{name}.class")).start().unwrap();
            let writer = config.wrap(&mut entry);
            let (_, descriptor) = writer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        out.finish().unwrap();
        let folder = format!("file:{}/", place.path().display());
        (place, folder, format!("file:{}", jar.display()))
    }

    #[test]
    fn folders_and_the_main_jar_are_program_code() {
        let (_kept, folder, jar) = places();
        let s = scope(&[], &[], "app/Main");
        assert!(s.contains("app/Main", &jar, false, LIBRARY));
        assert!(s.contains("app/Other", &jar, false, LIBRARY));
        assert!(!s.contains("lib/Other", "file:/lib/lib.jar", false, || true));
        assert!(s.contains("x/InFolder", &folder, false, LIBRARY));
        assert!(!s.contains("java/util/ArrayList", "", true, LIBRARY));
        assert!(!s.contains("jdk/internal/reflect/GeneratedConstructorAccessor1", "", false, || true));
        let started = scope(&[], &[], jar.trim_start_matches("file:"));
        assert!(started.contains("app/Other", &jar, false, LIBRARY));
        assert!(!started.contains("a/B", "file:/opt/other.jar", false, LIBRARY));
    }

    #[test]
    fn a_class_that_is_not_where_it_claims_to_be_belongs_to_who_made_it() {
        let (_kept, folder, jar) = places();
        let s = scope(&[], &[], "app/Main");
        assert!(s.contains("app/Main", &jar, false, LIBRARY));
        for (name, source) in
            [("x/InFolder$MockitoMock$1", folder), ("app/Main$$Enhancer", jar), ("a/B", String::new())]
        {
            assert!(!s.contains(name, &source, false, LIBRARY), "{name}");
            assert!(s.contains(name, &source, false, || true), "{name}");
        }
    }

    #[test]
    fn a_linked_image_has_the_program_beside_the_jdk() {
        let s = scope(&[], &[], "shop/Main");
        assert!(s.contains("shop/Main", "jrt:/shop.core", false, LIBRARY));
        assert!(s.contains("shop/Basket", "jrt:/shop.core", false, LIBRARY));
        assert!(!s.contains("lib/Other", "jrt:/lib.other", false, LIBRARY));
        let tool = scope(&[], &[], "com/sun/tools/javac/Main");
        assert!(!tool.contains("com/sun/tools/javac/Main", "jrt:/jdk.compiler", false, LIBRARY));
    }

    #[test]
    fn a_jar_of_jars_has_the_program_and_libraries() {
        let (_kept, _, jar) = places();
        let s = scope(&[], &[], jar.trim_start_matches("file:"));
        for within in [
            format!("jar:{jar}!/BOOT-INF/classes!/"),
            format!("jar:nested:{}/!BOOT-INF/classes/!/", &jar[5..]),
        ] {
            assert!(s.contains("shop/Basket", &within, false, LIBRARY), "{within}");
            assert!(!s.contains("shop/Basket$$Proxy", &within, false, LIBRARY), "{within}");
        }
        let library = format!("jar:{jar}!/BOOT-INF/lib/spring.jar!/");
        assert!(!s.contains("org/springframework/X", &library, false, || true));
    }

    #[test]
    fn who_runs_the_tests_is_not_what_is_tested() {
        let (_kept, folder, own) = places();
        let s = scope(&[], &[], "org/junit/platform/console/ConsoleLauncher");
        let jar = "file:/lib/junit-platform-console-standalone.jar";
        assert!(!s.contains("org/junit/platform/console/ConsoleLauncher", jar, false, LIBRARY));
        assert!(!s.contains("org/junit/jupiter/engine/JupiterTestEngine", jar, false, LIBRARY));
        let maven = "file:/lib/plexus-classworlds.jar";
        assert!(!s.contains("org/codehaus/plexus/classworlds/launcher/Launcher", maven, false, LIBRARY));
        assert!(s.contains("x/InFolder", &folder, false, LIBRARY));
        assert!(!s.contains("org/junit/Own", &own, false, LIBRARY));
        let asked = scope(&["include=org.junit"], &[], "org/junit/runner/JUnitCore");
        assert!(asked.contains("org/junit/runner/JUnitCore", jar, false, LIBRARY));
    }

    #[test]
    fn include_and_exclude_move_the_line() {
        let (_kept, folder, _) = places();
        let s = scope(&["include=org.lib"], &["exclude=x"], "app/Main");
        assert!(s.contains("org/lib/Deep/Down", "file:/lib.jar", false, LIBRARY));
        assert!(!s.contains("org/library/X", "file:/lib.jar", false, LIBRARY));
        assert!(!s.contains("x/InFolder", &folder, false, LIBRARY));
        let all = scope(&["include=java"], &[], "app/Main");
        assert!(!all.contains("java/lang/String", "", true, LIBRARY));
        assert!(all.contains("java/text/Format", "", true, LIBRARY));
    }
}
