//! Questions by belief, from outside: what is believed is told with each question, what was changed is looked at first, and a
//! verdict says how sure it is.

use std::path::Path;

use serde_json::Value;

use crate::debuggee::{Program, Recorded, inquest, jdk17, run};
use crate::traps::{Project, junit, record, standalone};

/// The calls that are wrong in `BottomUpMergeSort`.
const WRONG: [&str; 3] =
    ["BottomUpMergeSort.main#1", "BottomUpMergeSort.sort#1", "BottomUpMergeSort.merge#3"];

fn recorded() -> Recorded {
    Program::new("examples", &["BottomUpMergeSort"]).record(&jdk17(), &[]).1
}

fn ask(recording: &Path, options: &[&str], answers: &[&str]) -> Vec<Value> {
    let file = recording.with_extension("answers");
    std::fs::write(&file, answers.join("\n") + "\n").unwrap();
    let words = ["ask", "--fresh", "--json", "--strategy", "belief", "--answers"];
    let ran = run(inquest(&words).arg(&file).args(options).arg(recording), None);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// All questions until the verdict, and the verdict. Calls are judged truthfully; what is no plain call nobody knows.
fn dialogue(recording: &Path, options: &[&str]) -> (Vec<Value>, Value) {
    judged(recording, &WRONG, options)
}

/// The same for a program in which these calls are wrong.
fn judged(recording: &Path, wrong: &[&str], options: &[&str]) -> (Vec<Value>, Value) {
    let (mut answers, mut asked) = (Vec::new(), Vec::new());
    loop {
        let mut lines = ask(recording, options, &answers);
        let verdict = lines.pop().expect("a verdict");
        if verdict["verdict"] == "buggy" {
            return (asked, verdict);
        }
        let open = lines.pop().expect("a question");
        let call = open["question"]["call"].as_str().unwrap_or_default();
        answers.push(match open["question"]["kind"].as_str() {
            Some("call") if wrong.contains(&call) => "n",
            Some("call") => "y",
            _ => "d",
        });
        asked.push(open);
        assert!(answers.len() < 30, "{asked:?}");
    }
}

#[test]
fn the_guilty_method_is_found_and_the_verdict_says_how_sure_it_is() {
    let recorded = recorded();
    let (asked, verdict) = dialogue(&recorded.path(), &[]);
    assert_eq!(verdict["method"], "BottomUpMergeSort.merge", "{verdict}");
    assert!(asked.len() <= 4, "{asked:?}");
    match verdict["certain"].as_bool() {
        Some(true) => assert_eq!(verdict["probability"], Value::Null),
        _ => assert!(verdict["probability"].as_f64().unwrap() >= 0.9, "{verdict}"),
    }
    let (more, verdict) = dialogue(&recorded.path(), &["--certain"]);
    assert_eq!((&verdict["method"], &verdict["certain"]), (&"BottomUpMergeSort.merge".into(), &true.into()));
    assert!(more.len() >= asked.len(), "to be certain takes no fewer questions");
}

#[test]
fn likeliest_places_come_with_every_question_and_w_says_what_answers_would_mean() {
    let recorded = recorded();
    let (asked, _) = dialogue(&recorded.path(), &["--certain"]);
    for open in &asked {
        let places = open["places"].as_array().expect("places");
        let chances: Vec<f64> = places.iter().map(|place| place["probability"].as_f64().unwrap()).collect();
        assert!(!chances.is_empty() && chances.len() <= 5, "{open}");
        assert!(chances.is_sorted_by(|one, other| one >= other), "{chances:?}");
        assert!(chances.iter().sum::<f64>() <= 1.0 + 1e-9, "{chances:?}");
    }
    let why = ask(&recorded.path(), &[], &["w"]);
    let note = why.iter().find_map(|line| line["note"].as_str()).expect("a reason");
    for words in ["says the most about which code is wrong", "Likeliest now", "BottomUpMergeSort."] {
        assert!(note.contains(words), "{words:?} is not in {note}");
    }
}

#[test]
fn the_search_begins_at_the_character_that_is_wrong() {
    for arguments in [&["Receipt"][..], &["Receipt", "writer"]] {
        let (_, recorded) = Program::new("questions", arguments).record(&jdk17(), &[]);
        // `7.3` of the nineteenth line; those before and after it are right.
        let wrong =
            ["Receipt.main#1", "Receipt.built#1", "Receipt.written#1", "Receipt.line#19", "Receipt.euros#19"];
        let (plain, verdict) = judged(&recorded.path(), &wrong, &[]);
        assert_eq!(verdict["method"], "Receipt.euros", "{arguments:?}: {verdict}");
        let (named, verdict) = judged(&recorded.path(), &wrong, &["--output", "7.3"]);
        assert_eq!(verdict["method"], "Receipt.euros", "{arguments:?}: {verdict}");
        assert!(
            named.len() <= 4 && named.len() < plain.len(),
            "{arguments:?}: {} {}",
            named.len(),
            plain.len()
        );
    }
}

#[test]
fn what_was_changed_is_believed_first() {
    let recorded = recorded();
    let folder = tempfile::tempdir().unwrap();
    let diff = folder.path().join("change.diff");
    let text = "--- a/examples/BottomUpMergeSort.java\n+++ b/examples/BottomUpMergeSort.java\n\
                @@ -44 +44 @@\n-            a[r++] = right[l++];\n+            a[r++] = left[l++];\n";
    std::fs::write(&diff, text).unwrap();
    let chance = |options: &[&str]| {
        let lines = ask(&recorded.path(), options, &[]);
        let places = lines[0]["places"].as_array().unwrap().clone();
        let own = places.iter().position(|place| place["method"] == "BottomUpMergeSort.merge");
        own.map(|at| (at, places[at]["probability"].as_f64().unwrap()))
    };
    let (before, after) = (chance(&[]), chance(&["--changed", diff.to_str().unwrap()]));
    assert_eq!(after.unwrap().0, 0, "{after:?}");
    assert!(after.unwrap().1 > before.map_or(0.0, |(_, chance)| chance), "{before:?} {after:?}");
}

#[test]
fn changes_that_cannot_be_read_are_told_kindly() {
    let recorded = recorded();
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing.diff");
    std::fs::write(&nothing, "shopping list\n").unwrap();
    for (named, message) in [
        (nothing.to_str().unwrap(), "there is no change in it"),
        ("no-such-revision", "no-such-revision is no file with a diff"),
        ("--oneline", "neither a revision nor a file with a diff"),
    ] {
        let ran = run(inquest(&["ask", "--json", &format!("--changed={named}")]).arg(recorded.path()), None);
        assert_eq!(ran.code, Some(2), "{named}: {ran:?}");
        assert!(ran.stderr.contains(message), "{named}: {}", ran.stderr);
    }
}

#[test]
fn trees_of_every_shape_lead_to_the_guilty_method_also_if_nobody_can_judge_what_is_no_call() {
    let recorded = recorded();
    for transform in ["project", "balance", "compress", "loops", "loops,balance"] {
        let (asked, verdict) = dialogue(&recorded.path(), &["--transform", transform]);
        assert_eq!(verdict["method"], "BottomUpMergeSort.merge", "{transform}: {asked:?}");
    }
}

#[test]
fn what_is_taken_back_is_believed_no_more() {
    let recorded = recorded();
    let open = |answers: &[&str]| {
        let lines = ask(&recorded.path(), &[], answers);
        let open = lines.iter().rev().find(|line| line["places"].is_array());
        let open = open.unwrap_or_else(|| panic!("{answers:?}: {lines:?}"));
        (open["question"]["call"].clone(), open["places"].clone())
    };
    let first = open(&[]);
    assert_ne!(first.1, open(&["y"]).1, "an answer changes what is believed");
    for answer in ["y", "n", "d", "t", "i"] {
        assert_eq!(first, open(&[answer, "u"]), "{answer}");
    }
}

/// How likely a method is believed to be what is wrong when the first question is asked; 0 if it is not among the likeliest.
fn believed(recording: &Path, options: &[&str], method: &str) -> f64 {
    let lines = ask(recording, options, &[]);
    let places = lines[0]["places"].as_array().unwrap_or_else(|| panic!("{lines:?}"));
    let place = places.iter().find(|place| place["method"] == method);
    place.map_or(0.0, |place| place["probability"].as_f64().unwrap())
}

#[test]
fn branches_that_tests_took_which_passed_are_believed_less() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["beside"], &[&standalone]);
    let words = junit(&jdk17(), &standalone, &project.classes());
    let together = record(&[], &words);
    let one: Vec<String> = words.iter().filter(|word| *word != "--scan-classpath").cloned().collect();
    let alone = record(&[], &[one, vec!["--select-method=levy.LevyTest#islands".to_owned()]].concat());
    let [together, alone] =
        [&together, &alone].map(|recorded| believed(&recorded.path(), &[], "Levy.surcharge"));
    assert!(alone > 0.1 && together > 1.4 * alone, "{together} with the tests that passed, {alone} without");
}
