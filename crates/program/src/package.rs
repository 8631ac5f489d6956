//! The package that a source file declares, for Java and the languages that are compiled like it. Read by skipping
//! what may stand before the declaration; no more of the language is understood.

/// The package with dots; empty if the file declares none.
pub(crate) fn package_of(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    if rest.starts_with("#!") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let mut package: Vec<String> = Vec::new();
    loop {
        rest = skip(rest);
        let Some(after) = rest.strip_prefix("package").filter(|after| after.starts_with(char::is_whitespace))
        else {
            break;
        };
        let end = after.find([';', '\n', '{', '/']).unwrap_or(after.len());
        // Scala allows several declarations, each within the one before it, and objects in place of packages.
        let name: String = after[..end].chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
        if after.trim_start().starts_with("object ") {
            break;
        }
        package.push(name);
        rest = after[end..].trim_start_matches([';', '{']);
    }
    package.join(".")
}

/// Skips spaces, comments and annotations.
fn skip(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if let Some(annotation) = rest.strip_prefix('@').filter(|rest| !rest.starts_with("interface"))
        {
            let name = annotation.trim_start_matches(|c: char| c.is_alphanumeric() || "._:$".contains(c));
            rest = if name.starts_with('(') { past_arguments(name) } else { name };
        } else {
            return rest;
        }
    }
}

/// Skips what is in parentheses, strings in it included.
fn past_arguments(text: &str) -> &str {
    let (mut depth, mut in_string, mut escaped) = (0u32, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &text[at + 1..];
                }
            }
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_found_behind_whatever_may_stand_before_it() {
        for (text, package) in [
            ("package a.b;\nclass C {}", "a.b"),
            ("\u{feff}// package x;\n/* package y; */ package a . b ;", "a.b"),
            ("@Deprecated(since = \")\")\npackage a;", "a"),
            ("@file:JvmName(\"Tools\")\n\npackage a.b\n\nfun main() {}", "a.b"),
            ("#!/usr/bin/env kotlin\npackage `in`.b // x\n", "in.b"),
            ("package a\npackage b\nclass C", "a.b"),
            ("package a.b {\nclass C }", "a.b"),
            ("package a\npackage object b {}", "a"),
            ("import a.b;\nclass C { String s = \"package x;\"; }", ""),
            ("class C {}", ""),
            ("packages.run()", ""),
            ("/* never ends", ""),
            ("@Broken(", ""),
            ("", ""),
        ] {
            assert_eq!(package_of(text), package, "{text}");
        }
    }
}
