//! What a `java` command line runs. Only as much of the launcher's grammar as is needed to find the main class or
//! jar; what is not understood is `Unknown`, and the run goes on.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Main {
    Class(String),
    Jar(PathBuf),
    /// `java Foo.java`
    Source(PathBuf),
    Unknown,
}

/// Options whose value is the next argument.
const WITH_VALUE: [&str; 19] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-reads",
    "--add-exports",
    "--add-opens",
    "--patch-module",
    "--enable-native-access",
    "--illegal-native-access",
    "--sun-misc-unsafe-memory-access",
    "--source",
    "--finalization",
    "-d",
    "--describe-module",
];

/// Finds what comes after the options of `java`.
pub fn main_of(arguments: &[OsString]) -> Main {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let Some(text) = argument.to_str() else { return Main::Unknown };
        let is_option = text.starts_with('-');
        match text {
            "-jar" => return arguments.next().map_or(Main::Unknown, |jar| Main::Jar(jar.into())),
            "-m" | "--module" => return class(arguments.next()),
            _ if WITH_VALUE.contains(&text) => {
                arguments.next();
            }
            _ if text.starts_with("--module=") => return Main::Class(text["--module=".len()..].to_owned()),
            // An argument file may hold anything, the main class too.
            _ if text.starts_with('@') => return Main::Unknown,
            _ if is_option => {}
            _ if text.ends_with(".java") => return Main::Source(argument.into()),
            _ => return class(Some(argument)),
        }
    }
    Main::Unknown
}

fn class(argument: Option<&OsString>) -> Main {
    argument.and_then(|name| name.to_str()).map_or(Main::Unknown, |name| Main::Class(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_program_is_found_behind_the_options() {
        let class = |name: &str| Main::Class(name.to_owned());
        for (line, expected) in [
            ("Main", class("Main")),
            ("-cp a:b -Xmx1g com.acme.Main -jar x.jar", class("com.acme.Main")),
            ("--class-path=a Main", class("Main")),
            ("-ea -jar lib/app.jar Main", Main::Jar("lib/app.jar".into())),
            ("-p mods -m acme/com.acme.Main", class("acme/com.acme.Main")),
            ("--module=acme/com.acme.Main", class("acme/com.acme.Main")),
            ("--add-opens java.base/java.lang=ALL-UNNAMED Main", class("Main")),
            ("Hello.java 1 2", Main::Source("Hello.java".into())),
            ("@options Main", Main::Unknown),
            ("-version", Main::Unknown),
            ("-jar", Main::Unknown),
            ("", Main::Unknown),
        ] {
            let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            assert_eq!(main_of(&arguments), expected, "{line}");
        }
    }
}
