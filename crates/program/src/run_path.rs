//! The class path of a recorded run: as the JVM had it, or for recordings that do not say, as its command line has it.

use std::fs;
use std::path::{Path, PathBuf};

/// What a recording says about how its run was started; empty where it does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    pub command: &'a [String],
    /// The working folder.
    pub folder: &'a str,
    /// As the JVM had them, entries separated by colons.
    pub class_path: &'a str,
    pub module_path: &'a str,
}

/// Folders and jars, in their order. Relative ones are below the run's folder; if that is not known, below the current
/// one.
pub fn class_path_of(start: Start<'_>) -> Vec<PathBuf> {
    let (classes, modules) = match (start.class_path, start.module_path) {
        ("", "") => of_command(start.command),
        said => said,
    };
    let folder = Path::new(start.folder);
    let entries = |list: &'_ str| -> Vec<PathBuf> {
        list.split(':').filter(|entry| !entry.is_empty()).map(|entry| folder.join(entry)).collect()
    };
    let classes = entries(classes).into_iter().flat_map(|entry| match entry.file_name() {
        Some(name) if name == "*" => jars_in(&entry.with_file_name("")),
        _ => vec![entry],
    });
    // A module path names jars, folders with classes, and folders with jars.
    let modules = entries(modules).into_iter().flat_map(|entry| {
        let inside = jars_in(&entry);
        [entry].into_iter().chain(inside)
    });
    classes.chain(modules).collect()
}

/// Class path and module path on a command line. What comes after the main class is the program's own.
fn of_command(command: &[String]) -> (&str, &str) {
    let (mut classes, mut modules) = (".", "");
    let mut words = command.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => (option, Some(value)),
            _ => (word, None),
        };
        match option {
            "-cp" | "-classpath" | "--class-path" => classes = value.or_else(|| words.next()).unwrap_or(""),
            "-p" | "--module-path" => modules = value.or_else(|| words.next()).unwrap_or(""),
            // The jar is the class path, whatever was said before; it may name further ones itself.
            "-jar" => return (words.next().unwrap_or(""), modules),
            "-m" | "--module" => break,
            "--add-modules"
            | "--add-opens"
            | "--add-exports"
            | "--add-reads"
            | "--limit-modules"
            | "--patch-module"
            | "--upgrade-module-path"
            | "--enable-native-access"
            | "--source" => {
                if value.is_none() {
                    words.next();
                }
            }
            option if option.starts_with('-') || option.starts_with('@') => {}
            _ => break,
        }
    }
    (classes, modules)
}

/// In the order of their names: the JVM's own order is that of the file system, and no program may rely on it.
fn jars_in(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
    let mut jars: Vec<PathBuf> = files.filter(is_jar).collect();
    jars.sort();
    jars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_understood_as_java_does() {
        for (command, classes, modules) in [
            ("java Main", ".", ""),
            ("java -cp a:b.jar Main -cp x", "a:b.jar", ""),
            ("java -Xmx1g -classpath a -cp b Main", "b", ""),
            ("java --class-path=a --module-path m -m mod/Main", "a", "m"),
            ("java --add-opens java.base/java.lang=ALL-UNNAMED -cp a Main", "a", ""),
            ("java --add-opens=java.base/java.lang=ALL-UNNAMED -cp a Main", "a", ""),
            ("java -cp a -jar x.jar -cp y", "x.jar", ""),
            ("java -jar", "", ""),
            ("java -cp", "", ""),
            ("", ".", ""),
        ] {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            assert_eq!(of_command(&words), (classes, modules), "{command}");
        }
    }

    #[test]
    fn entries_are_below_the_runs_folder_and_a_star_stands_for_jars() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("lib")).unwrap();
        for file in ["lib/b.jar", "lib/a.jar", "lib/c.txt"] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let folder = root.path().display().to_string();
        let command = ["java", "-cp", "ignored", "Main"].map(str::to_owned);
        let class_path = "classes:lib/*::/abs/x.jar";
        let start = Start { command: &command, folder: &folder, class_path, module_path: "" };
        let expected =
            ["classes", "lib/a.jar", "lib/b.jar", "/abs/x.jar"].map(|entry| root.path().join(entry));
        assert_eq!(class_path_of(start), expected);
        assert_eq!(class_path_of(Start { class_path: "", ..start }), [root.path().join("ignored")]);
    }
}
