//! What was changed since it last worked, from a diff: lines of files as they are now, and the methods that these are of.

use std::collections::HashSet;

use base::MethodId;
use past::Past;
use tree::CodeGroup;

/// Changed lines by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    files: Vec<ChangedFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ChangedFile {
    /// With slashes, as the diff has it.
    path: String,
    /// Ascending. Where something was taken out: the lines around.
    lines: Vec<u32>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChangedError {
    #[error("line {line} of the diff cannot be read: `{text}`")]
    Line { line: usize, text: String },
    #[error("there is no change in it: a diff has lines that begin with `+++` and `@@`")]
    Nothing,
}

impl Changed {
    /// From a diff as `git diff` and `diff -u` write it.
    pub fn parse(diff: &str) -> Result<Changed, ChangedError> {
        let mut changed = Changed::default();
        let (mut file, mut at): (Option<ChangedFile>, Option<(u32, u32, u32)>) = (None, None);
        for (number, text) in diff.lines().enumerate() {
            // Lines that are left of the old and of the new file, and the number of the next new one.
            if let Some((old, new, next)) = &mut at
                && (*old > 0 || *new > 0)
            {
                let file = file.as_mut();
                match text.as_bytes().first() {
                    Some(b'+') => {
                        file.into_iter().for_each(|file| file.lines.push(*next));
                        (*new, *next) = (new.saturating_sub(1), *next + 1);
                    }
                    Some(b'-') => {
                        let around = [next.saturating_sub(1), *next];
                        file.into_iter().for_each(|file| file.lines.extend(around));
                        *old = old.saturating_sub(1);
                    }
                    Some(b'\\') => {}
                    _ => (*old, *new, *next) = (old.saturating_sub(1), new.saturating_sub(1), *next + 1),
                }
                continue;
            }
            if let Some(path) = text.strip_prefix("+++ ") {
                changed.files.extend(file.take());
                let path = path.split('\t').next().unwrap_or(path).trim().trim_matches('"');
                let path = path.strip_prefix("b/").unwrap_or(path);
                file = Some(ChangedFile { path: path.replace('\\', "/"), lines: Vec::new() });
            } else if let Some(hunk) = text.strip_prefix("@@ ") {
                let wrong = || ChangedError::Line { line: number + 1, text: text.to_owned() };
                at = Some(counts(hunk).ok_or_else(wrong)?);
            }
        }
        changed.files.extend(file);
        for file in &mut changed.files {
            file.lines.sort_unstable();
            file.lines.dedup();
        }
        changed.files.retain(|file| !file.lines.is_empty());
        match changed.files.is_empty() {
            true => Err(ChangedError::Nothing),
            false => Ok(changed),
        }
    }

    /// The methods with changed lines.
    pub(crate) fn touched(&self, past: &Past, methods: &[(CodeGroup, MethodId)]) -> HashSet<CodeGroup> {
        let touched = |&&(_, id): &&(CodeGroup, MethodId)| {
            let Some((class, model)) = past.program().method(id) else { return false };
            let Some(name) = past.source_file(id) else { return false };
            let lines = model.lines().iter().map(|&(_, line)| u32::from(line));
            let Some((first, last)) = lines.clone().min().zip(lines.max()) else { return false };
            let path = match class.name.rsplit_once('/') {
                Some((package, _)) => format!("{package}/{name}"),
                None => name.to_owned(),
            };
            // A method's head is right above its first statement.
            self.in_file(&path).any(|line| (first.saturating_sub(1)..=last).contains(&line))
        };
        methods.iter().filter(touched).map(|&(group, _)| group).collect()
    }

    fn in_file(&self, path: &str) -> impl Iterator<Item = u32> {
        let is = move |file: &&ChangedFile| {
            file.path.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.files.iter().filter(is).flat_map(|file| file.lines.iter().copied())
    }
}

/// Of `-12,3 +14 @@ …`: how many old and new lines there are, and the number of the first new one.
fn counts(hunk: &str) -> Option<(u32, u32, u32)> {
    let mut words = hunk.split(' ');
    let mut range = |sign: char| -> Option<(u32, u32)> {
        let word = words.next()?.strip_prefix(sign)?;
        match word.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((word.parse().ok()?, 1)),
        }
    };
    let ((_, old), (start, new)) = (range('-')?, range('+')?);
    // Where nothing is new, the number is that of the line before.
    Some((old, new, if new == 0 { start + 1 } else { start }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(changed: &Changed, path: &str) -> Vec<u32> {
        changed.in_file(path).collect()
    }

    #[test]
    fn added_lines_and_those_around_what_was_taken_out_are_changed() {
        let diff = "diff --git a/src/shop/Basket.java b/src/shop/Basket.java\n\
                    --- a/src/shop/Basket.java\n\
                    +++ b/src/shop/Basket.java\n\
                    @@ -10,3 +10,4 @@ class Basket {\n same\n-old\n+new\n+another\n same\n\
                    @@ -30 +31,0 @@\n-gone\n\
                    --- a/Other.java\n+++ b/Other.java\t2026-01-01\n@@ -0,0 +1 @@\n+--- not a file\n";
        let changed = Changed::parse(diff).unwrap();
        assert_eq!(lines(&changed, "shop/Basket.java"), [10, 11, 12, 31, 32]);
        assert_eq!(lines(&changed, "Other.java"), [1]);
        assert_eq!(lines(&changed, "op/Basket.java"), Vec::<u32>::new());
    }

    #[test]
    fn what_is_no_diff_is_refused_with_the_line() {
        assert_eq!(Changed::parse("shopping list\n"), Err(ChangedError::Nothing));
        let error = Changed::parse("+++ b/A.java\n@@ what @@\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2 of the diff cannot be read: `@@ what @@`");
    }
}
