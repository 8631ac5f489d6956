//! Rules that say what is secret, one a line. By name (a part of it, in upper or lower case), by the exact field, class,
//! method or argument, by text.

use std::collections::BTreeSet;

use thiserror::Error;

use super::pattern::Pattern;

#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line} of the rules, `{text}`: {why}")]
pub struct RuleError {
    pub line: usize,
    pub text: String,
    pub why: String,
}

/// How sure it is that a value is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meant {
    /// Something is called so: its texts are meant, and what is no text is not.
    ByName,
    /// It is named in full: all of it is meant.
    Exactly,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    names: BTreeSet<String>,
    /// With dots.
    classes: BTreeSet<String>,
    /// Class (with dots) and name.
    fields: BTreeSet<(String, String)>,
    methods: BTreeSet<(String, String)>,
    /// Class, method, name or number from 1 on.
    arguments: BTreeSet<(String, String, String)>,
    pub(crate) texts: BTreeSet<String>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) keep: BTreeSet<String>,
    /// What is a name in the code is no secret.
    pub(crate) keep_names: bool,
}

/// Parts of names that tell what they are the name of.
const NAMES: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "privatekey",
    "credential",
    "accesskey",
];

/// Keys that are known by how they look.
const PATTERNS: [&str; 10] = [
    "Bearer (????????*)",
    "Basic (????????*)",
    "eyJ????????*.eyJ*.*",
    "AKIA????????????????",
    "ASIA????????????????",
    "ghp_????????????????????*",
    "github_pat_????????????????????*",
    "glpat-????????????????*",
    "xoxb-????????*",
    "sk-????????????????*",
];

impl Rules {
    /// Passwords, tokens, keys.
    pub fn usual() -> Rules {
        let mut rules = Rules::default();
        rules.add_usual();
        rules
    }

    fn add_usual(&mut self) {
        self.names.extend(NAMES.map(str::to_owned));
        self.patterns.extend(PATTERNS.iter().filter_map(|text| Pattern::parse(text)));
    }

    /// Takes the rules of a file in; `#` begins a comment.
    pub fn add(&mut self, text: &str) -> Result<(), RuleError> {
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.add_line(line).map_err(|why| RuleError { line: at + 1, text: line.to_owned(), why })?;
            }
        }
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let (kind, what) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let what = what.trim();
        if what.is_empty() && kind != "default" {
            return Err(format!("say what, as in `{kind} …`; rules begin with {KINDS}"));
        }
        let member = || {
            let parts = what.rsplit_once('.').filter(|(class, name)| !class.is_empty() && !name.is_empty());
            let (class, name) = parts.ok_or(format!("{kind}s are written as Class.name"))?;
            Ok::<_, String>((class.replace('/', "."), name.to_owned()))
        };
        match kind {
            "default" => self.add_usual(),
            "name" => {
                let name = plain(what);
                if name.len() < 3 {
                    return Err("a part of a name has three letters or more".to_owned());
                }
                self.names.insert(name);
            }
            "class" => {
                self.classes.insert(what.replace('/', "."));
            }
            "field" => {
                self.fields.insert(member()?);
            }
            "method" => {
                self.methods.insert(member()?);
            }
            "argument" => {
                let (method, name) = member()?;
                let class = method.rsplit_once('.').ok_or("arguments are written as Class.method.name")?;
                self.arguments.insert((class.0.to_owned(), class.1.to_owned(), name));
            }
            "text" if what.chars().count() < super::secrets::SHORTEST => {
                return Err(format!("a text has {} characters or more", super::secrets::SHORTEST));
            }
            "text" => {
                self.texts.insert(what.to_owned());
            }
            "pattern" => {
                let pattern = Pattern::parse(what);
                self.patterns.push(pattern.ok_or("it fits everything, or its brackets are not one pair")?);
            }
            "keep" if what == "names" => self.keep_names = true,
            "keep" => {
                self.keep.insert(what.to_owned());
            }
            _ => return Err(format!("rules begin with {KINDS}")),
        }
        Ok(())
    }

    /// Does a name tell that something is secret?
    pub fn name(&self, name: &str) -> bool {
        let name = plain(name);
        self.names.iter().any(|part| name.contains(part.as_str()))
    }

    pub fn field(&self, class: &str, name: &str) -> Option<Meant> {
        let exact = |(of, called): &(String, String)| called == name && is_class(of, class);
        match () {
            () if self.fields.iter().any(exact) || self.class(class) => Some(Meant::Exactly),
            () => self.name(name).then_some(Meant::ByName),
        }
    }

    pub fn has_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    pub fn class(&self, class: &str) -> bool {
        self.classes.iter().any(|of| is_class(of, class))
    }

    /// Is what a method gives secret?
    pub fn result(&self, class: &str, name: &str) -> Option<Meant> {
        let exact = |(of, called): &(String, String)| called == name && is_class(of, class);
        match self.methods.iter().any(exact) {
            true => Some(Meant::Exactly),
            false => self.name(name).then_some(Meant::ByName),
        }
    }

    /// Is an argument secret? `number` counts from 1.
    pub fn argument(&self, class: &str, method: &str, number: usize, name: Option<&str>) -> Option<Meant> {
        let called = |it: &str| name == Some(it) || it.parse() == Ok(number);
        let exact =
            |(of, by, it): &(String, String, String)| by == method && called(it) && is_class(of, class);
        match self.arguments.iter().any(exact) {
            true => Some(Meant::Exactly),
            false => (name.is_some_and(|name| self.name(name)) || self.name(method)).then_some(Meant::ByName),
        }
    }

    /// What a text says of itself: `password=…`, and what patterns find.
    pub fn within<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        for pattern in &self.patterns {
            pattern.find(text, &mut found);
        }
        for (at, _) in text.match_indices(['=', ':']) {
            if let Some(value) = self.assigned(text, at) {
                found.push(value);
            }
        }
        found
    }

    /// The value behind a `=` or `:`, if what is before it is the name of a secret.
    fn assigned<'t>(&self, text: &'t str, at: usize) -> Option<&'t str> {
        let before = text[..at].trim_end_matches([' ', '"', '\'']);
        let start = before.rfind(|c: char| !c.is_alphanumeric() && !"_-.".contains(c));
        let start = start.map_or(0, |start| start + before[start..].chars().next().map_or(1, char::len_utf8));
        if !self.name(&before[start..]) {
            return None;
        }
        let value = text[at + 1..].trim_start_matches([' ', '"', '\'']);
        let end = value.find(|c| !super::pattern::is_of_word(c)).unwrap_or(value.len());
        (end > 0).then(|| &value[..end])
    }
}

const KINDS: &str = "default, name, class, field, method, argument, text, pattern or keep";

/// Letters and digits only: `API_KEY`, `apiKey` and `api-key` are one.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Is a class (with slashes) the one that was named, with its package or without?
fn is_class(named: &str, class: &str) -> bool {
    let class = class.replace('/', ".");
    class == *named || class.strip_suffix(named).is_some_and(|before| before.ends_with(['.', '$']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Rules {
        let mut rules = Rules::default();
        rules.add(text).unwrap();
        rules
    }

    #[test]
    fn rules_mean_what_they_name() {
        let rules = rules(
            "# ours\nname pin\nclass acme.Vault\nfield User.code\nmethod Keys.next\nargument Login.check.2\nargument Login.open.how",
        );
        assert_eq!(rules.field("x/A", "masterPin"), Some(Meant::ByName));
        assert_eq!(rules.field("com/acme/Vault", "x"), Some(Meant::Exactly));
        assert_eq!(rules.field("com/notacme/Vault", "x"), None);
        assert_eq!(rules.field("com/acme/User", "code"), Some(Meant::Exactly));
        assert_eq!(rules.field("com/acme/SuperUser", "code"), None);
        assert_eq!(rules.result("Keys", "next"), Some(Meant::Exactly));
        assert_eq!(rules.argument("a/Login", "check", 2, None), Some(Meant::Exactly));
        assert_eq!(rules.argument("a/Login", "check", 1, Some("user")), None);
        assert_eq!(rules.argument("a/Login", "open", 1, Some("how")), Some(Meant::Exactly));
        assert_eq!(rules.argument("a/Login", "setPin", 1, None), Some(Meant::ByName));
    }

    #[test]
    fn the_usual_rules_know_passwords_tokens_and_keys() {
        let rules = Rules::usual();
        for name in
            ["password", "DB_PASSWORD", "apiKey", "api-key", "clientSecret", "PRIVATE_KEY", "userToken"]
        {
            assert!(rules.name(name), "{name}");
        }
        for name in ["user", "key", "passed", "tokyo", "pass"] {
            assert!(!rules.name(name), "{name}");
        }
        let text =
            "GET /?api_key=k3y-1&x=2 password: \"hun;ter2\" -Ddb.password=abc Bearer abcdefgh user=joe";
        assert_eq!(rules.within(text), ["abcdefgh", "k3y-1", "hun", "abc"]);
    }

    #[test]
    fn a_rule_that_means_nothing_is_told() {
        for text in ["field x", "name", "name ab", "text abc", "pattern *", "colour red", "argument a.b"] {
            let error = Rules::default().add(&format!("\n{text}")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (2, text), "{error}");
        }
    }
}
