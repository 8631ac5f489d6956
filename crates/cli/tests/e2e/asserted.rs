//! Assertions that held before a test failed are evidence (`fixtures/asserted`): in JUnit 3, 4 and 5, exactly the calls of
//! whose results a test asserted what they are. They are believed only until the test itself would be blamed.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::debuggee::{Recorded, inquest, jdks, run};
use crate::traps::{Played, Project, junit, knowing, play, record, standalone};

/// A dialogue about a test; what assertions said is told by line.
fn about(recorded: &Recorded, test: &str, wrong: &[&str]) -> (Played, BTreeSet<String>) {
    let options = ["--root", test];
    let played = play(&recorded.path(), &options, knowing(wrong));
    let asserted = |line: &&Value| line["by"] == "assertion";
    let calls = played.lines.iter().filter(asserted);
    let calls = calls.map(|line| {
        assert_eq!(line["answer"], "y", "{line}");
        line["question"]["call"].as_str().unwrap().split('#').next().unwrap().to_owned()
    });
    let calls = calls.collect();
    (played, calls)
}

#[test]
fn what_a_test_asserted_before_it_failed_is_not_asked_about() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["asserted"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        // By test: calls that are right because an assertion held. What was asserted of `sum` is another number, or one of
        // two calls gave it; one list of `names` grew before it was compared.
        let cases: [(&str, &[&str]); 3] = [
            ("LedgerTest.averages#1", &["add", "amounts", "boxed", "isEmpty", "names", "title"]),
            ("FourTest.averages#1", &["add", "boxed", "isEmpty", "title"]),
            ("ThreeTest.testAverages#1", &["add", "isEmpty", "title"]),
        ];
        for (test, expected) in cases {
            let (played, calls) = about(&recorded, test, &["Ledger.average"]);
            let expected: BTreeSet<String> = expected.iter().map(|name| format!("Ledger.{name}")).collect();
            assert_eq!(calls, expected, "{test} on JDK {}", jdk.version);
            assert_eq!(played.outcome(), ("buggy", "Ledger.average"), "{played:?}");
            for (call, _) in &played.asked {
                let method = call.split('#').next().unwrap();
                assert!(method == "Ledger.names" || !expected.contains(method), "{call} was asserted");
            }
        }
    }
}

#[test]
fn an_assertion_is_doubted_before_the_test_is_blamed() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["asserted"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        let (played, calls) = about(&recorded, "LedgerTest.takes#1", &["Jar.take"]);
        assert_eq!(calls, BTreeSet::from(["Jar.take".to_owned()]), "{played:?}");
        assert!(played.calls().contains(&"Jar.take#1"), "{played:?}");
        assert_eq!(played.outcome(), ("buggy", "Jar.take"), "{played:?}");
        // Whoever finds all of it right blames the test, and knows what was asserted.
        let (played, _) = about(&recorded, "LedgerTest.takes#1", &[]);
        assert_eq!(played.outcome(), ("buggy", "LedgerTest.takes"), "{played:?}");
        assert!(played.calls().contains(&"Jar.take#1"), "{played:?}");
    }
}

#[test]
fn what_a_test_asserted_that_an_exception_should_have_ended_says_nothing() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["asserted"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        let (played, calls) = about(&recorded, "TallyTest.thereIsNoPartOfNothing#1", &["Tally.share"]);
        assert_eq!(calls, BTreeSet::new(), "{played:?}");
        assert_eq!(played.outcome(), ("buggy", "Tally.share"), "{played:?}");
    }
}

/// The symptom of a test, by its number.
fn number_of(recorded: &Recorded, test: &str) -> String {
    let listed = run(inquest(&["symptoms", "--json"]).arg(recorded.path()), None);
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    let at = listed.iter().position(|symptom| symptom["test"] == test);
    (at.unwrap_or_else(|| panic!("{listed:?}")) + 1).to_string()
}

#[test]
fn a_field_that_was_left_as_it_was_is_told_and_no_other_line_is_said_to_have_made_it() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["asserted"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        let symptom = number_of(&recorded, "TallyTest.countsLinesOfOldMachines");
        // Wrong is who takes a '\r' and counts no line.
        let judge = |call: &str, text: &str| {
            let wrong = call.starts_with("Tally.all#") || text.contains("'\\r'");
            Some(if wrong { "n" } else { "y" }.to_owned())
        };
        let played = play(&recorded.path(), &["--symptom", &symptom], judge);
        assert_eq!(played.outcome(), ("buggy", "Tally.take"), "{played:?}");
        let still = "still 0: what is wrong was read from it later";
        let of_tally = |line: &&Value| {
            let call = line["question"]["call"].as_str().unwrap_or_default();
            line["answer"].is_null() && (call.starts_with("Tally.take#") || call.starts_with("Tally.all#"))
        };
        let lines: Vec<String> = played.lines.iter().filter(of_tally).map(Value::to_string).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(still)), "{lines:?}");
        assert!(played.calls().iter().all(|call| !call.starts_with("Tally.lines#")), "{played:?}");
        // It also set `last` and `signs`, and gave what it was given: none of that is wrong.
        assert_eq!(played.verdict["made"], serde_json::json!([]), "{:?}", played.verdict);
    }
}
