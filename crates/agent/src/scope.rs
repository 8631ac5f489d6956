//! Which classes are program code: those from folders and from the main jar, those that the program itself defines,
//! and what `--include` adds, less what `--exclude` takes away.

use std::sync::OnceLock;

use crate::options::Options;

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
}

/// Never recorded: the recorder uses them, or the VM depends on their exact shape.
const NEVER: [&str; 6] =
    ["java/lang/", "jdk/internal/", "sun/misc/Unsafe", "sun/reflect/", "java/util/", "sun/nio/"];

/// What the VM or a proxy generator makes while the program runs: it has no source, but nobody wrote it.
const GENERATED: [&str; 3] = ["jdk/proxy", "com/sun/proxy/", "jdk/internal/"];
/// Who builds the program and runs its tests is not the program, also where it comes from the main jar.
const RUNNERS: [&str; 11] = [
    "org/junit/",
    "junit/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/hamcrest/",
    "org/testng/",
    "org/apache/maven/",
    "org/codehaus/plexus/",
    "org/apache/tools/ant/",
    "org/gradle/",
    "worker/org/gradle/",
];

impl Scope {
    /// `command` is the property `sun.java.command`: main class or jar, then the arguments.
    pub fn new(options: &Options, command: &str) -> Scope {
        let main = command.split(' ').next().unwrap_or("");
        let main = if main.ends_with(".jar") { main.to_owned() } else { main.replace('.', "/") };
        Scope {
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            main,
            weave_only: options.weave_only,
            main_source: OnceLock::new(),
        }
    }

    /// `source` is the URL of the class's code source, empty if it has none; `boot` says that the boot or platform
    /// loader defines it.
    pub fn contains(&self, name: &str, source: &str, boot: bool) -> bool {
        if !boot && name == self.main {
            let _ = self.main_source.set(source.to_owned());
        }
        if self.exclude.iter().any(|p| is_prefix(p, name)) {
            return false;
        }
        if self.include.iter().any(|p| is_prefix(p, name)) {
            return self.weave_only || !NEVER.iter().any(|p| name.starts_with(p));
        }
        if boot || GENERATED.iter().any(|p| name.starts_with(p)) {
            return false;
        }
        let is_packed = !source.is_empty() && !source.ends_with('/');
        if is_packed && RUNNERS.iter().any(|p| name.starts_with(p)) {
            return false;
        }
        source.is_empty() || source.ends_with('/') || self.is_main(source)
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
    use super::*;

    fn scope(include: &[&str], exclude: &[&str], command: &str) -> Scope {
        let list = |l: &[&str]| l.iter().map(|s| format!("{s}\n")).collect::<String>();
        let text = format!("dir=/x\n{}{}", list(include), list(exclude));
        Scope::new(&Options::parse(&text).unwrap(), command)
    }

    #[test]
    fn folders_and_the_main_jar_are_program_code() {
        let s = scope(&[], &[], "app.Main arg");
        assert!(s.contains("app/Main", "file:/lib/app.jar", false));
        assert!(s.contains("app/Other", "file:/lib/app.jar", false));
        assert!(!s.contains("lib/Other", "file:/lib/lib.jar", false));
        assert!(s.contains("x/InFolder", "file:/classes/", false));
        assert!(!s.contains("java/util/ArrayList", "", true));
        assert!(!s.contains("jdk/internal/reflect/GeneratedConstructorAccessor1", "", false));
        let jar = scope(&[], &[], "/opt/app.jar x");
        assert!(jar.contains("a/B", "file:/opt/app.jar", false));
        assert!(!jar.contains("a/B", "file:/opt/other.jar", false));
    }

    #[test]
    fn who_runs_the_tests_is_not_what_is_tested() {
        let s = scope(&[], &[], "org.junit.platform.console.ConsoleLauncher -cp x");
        let jar = "file:/lib/junit-platform-console-standalone.jar";
        assert!(!s.contains("org/junit/platform/console/ConsoleLauncher", jar, false));
        assert!(!s.contains("org/junit/jupiter/engine/JupiterTestEngine", jar, false));
        let maven = "file:/lib/plexus-classworlds.jar";
        assert!(!s.contains("org/codehaus/plexus/classworlds/launcher/Launcher", maven, false));
        assert!(s.contains("shop/BasketTest", "file:/classes/", false));
        assert!(s.contains("org/junit/Own", "file:/classes/", false), "somebody works on JUnit itself");
        let asked = scope(&["include=org.junit"], &[], "org.junit.runner.JUnitCore X");
        assert!(asked.contains("org/junit/runner/JUnitCore", jar, false));
    }

    #[test]
    fn include_and_exclude_move_the_line() {
        let s = scope(&["include=org.lib"], &["exclude=app.gen"], "app.Main");
        assert!(s.contains("org/lib/Deep/Down", "file:/lib.jar", false));
        assert!(!s.contains("org/library/X", "file:/lib.jar", false));
        assert!(!s.contains("app/gen/X", "file:/classes/", false));
        let all = scope(&["include=java"], &[], "app.Main");
        assert!(!all.contains("java/lang/String", "", true));
        assert!(all.contains("java/text/Format", "", true));
    }
}
