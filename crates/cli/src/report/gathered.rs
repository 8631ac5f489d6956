//! What a report says, gathered from the recordings of a run.

use std::sync::Arc;

use anyhow::{Result, bail};
use past::Past;
use session::{Changed, SymptomReason};
use wire::{FailureRow, SymptomRow};
use words::{Failure, FilePlace, Likely, RunReport, symptom_line, symptom_text};

use super::repository::Repository;
use crate::args::ReportArgs;
use crate::ask::changed::changed;
use crate::opened;
use crate::progress::ProgressLine;
use crate::symptoms::{Listed, Run};

pub struct Gathered {
    pub report: RunReport,
    /// The same for programs.
    pub rows: Vec<FailureRow>,
}

pub fn gathered(typed: &ReportArgs) -> Result<Gathered> {
    let settings = opened::settings(&typed.recording);
    let changed = typed.changed.as_deref().map(changed).transpose()?;
    let run = Run::open_failed(&typed.recording.dir, &settings)?;
    let all = run.all;
    if run.jvms.iter().all(|(_, past)| past.methods().next().is_none()) {
        bail!(
            "nothing of a program was recorded in {}, so nothing is known of what failed: --include names packages of \
             yours that are in jars, --help of `inquest record` says more",
            typed.recording.dir.display()
        );
    }
    let listed = run.listed(None);
    let names: Vec<Option<String>> = (0..run.jvms.len()).map(|at| run.jvm(at)).collect();
    let jvms: Vec<Arc<Past>> = run.jvms.into_iter().map(|(_, past)| Arc::new(past)).collect();
    let repository = Repository::here();
    let mut progress = ProgressLine::waiting();
    let (mut failures, mut rows) = (Vec::new(), Vec::new());
    for (at, one) in listed.iter().enumerate() {
        progress.draw(|_| format!("looking for likely places: symptom {} of {}", at + 1, listed.len()));
        let past = &jvms[one.jvm];
        let detailed = at < typed.places;
        let (failure, places) = failure(past, one, &repository, changed.as_ref(), detailed);
        let jvm = names[one.jvm].clone();
        let row = SymptomRow { jvm: jvm.clone(), ..SymptomRow::of(past, Some(one.number), &one.symptom) };
        let path = failure.place.as_ref().map(|place| place.path.clone());
        rows.push(FailureRow { symptom: row, path, places });
        failures.push(Failure { jvm, ..failure });
    }
    progress.clear();
    let remarks = if failures.is_empty() { ended_badly(&jvms) } else { Vec::new() };
    let report = RunReport {
        command: jvms.first().map(|past| past.manifest().command.clone()).unwrap_or_default(),
        jvms: all,
        failures,
        remarks,
        recording: shell_word(&typed.recording.dir.display().to_string()),
        artifact: typed.artifact.clone(),
        links: repository.links,
    };
    Ok(Gathered { report, rows })
}

fn failure(
    past: &Arc<Past>,
    listed: &Listed,
    repository: &Repository,
    changed: Option<&Changed>,
    detailed: bool,
) -> (Failure, Vec<wire::LikelyPlace>) {
    let symptom = &listed.symptom;
    let (shown_by, text) = (symptom_line(past, symptom), symptom_text(symptom));
    let mut failure = Failure::of(symptom, listed.number, shown_by, text);
    let class = past.method_of(symptom.call).and_then(|method| past.program().method(method));
    failure.class = class.map(|(class, _)| class.name.replace('/', "."));
    // What never ended has no line; then its method stands for it.
    let line = symptom.place.clone().or_else(|| match symptom.why {
        SymptomReason::WholeRun => None,
        _ => past.method_place(symptom.call),
    });
    failure.place = line.and_then(|line| repository.place(past, line.site.method, line.line));
    if !detailed {
        failure.unknown =
            Some("Places are looked for with the first failures only; --places N takes more.".to_owned());
        return (failure, Vec::new());
    }
    let found = match session::likely(past, symptom, changed) {
        Ok(found) => found,
        Err(error) => {
            failure.unknown = Some(format!("Where the fault is likeliest could not be worked out: {error}."));
            return (failure, Vec::new());
        }
    };
    past.make_room();
    let place = |likely: &session::LikelyPlace| -> Option<FilePlace> {
        repository.place(past, past.method_of(likely.call?)?, likely.line)
    };
    failure.likely = found.iter().filter_map(|likely| Likely::of(likely, place(likely))).collect();
    if failure.likely.is_empty() {
        failure.unknown = Some("Nothing that ran tells where the fault is likeliest.".to_owned());
    }
    (failure, found.into_iter().map(wire::LikelyPlace::from).collect())
}

/// JVMs that ended with an exit code that says that something failed, where nothing recorded shows what.
fn ended_badly(jvms: &[Arc<Past>]) -> Vec<String> {
    let bad = jvms.iter().filter_map(|past| {
        let manifest = past.manifest();
        let code = manifest.exit.filter(|code| *code != 0)?;
        let command = manifest.command.join(" ");
        Some(format!("`{command}` ended with exit code {code}, and nothing that was recorded says why"))
    });
    bad.collect()
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@%:".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_folder_of_any_name_is_one_word() {
        assert_eq!(shell_word("target/rec-1"), "target/rec-1");
        assert_eq!(shell_word("my rec's"), r"'my rec'\''s'");
    }
}
