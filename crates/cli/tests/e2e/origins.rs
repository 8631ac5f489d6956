//! `inquest slice` and `inquest omissions`, and what the dialogue makes of them: where a value came from, and what
//! should have happened but did not, by the worked examples.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::debuggee::{Jdk, Program, Ran, Recorded, classes, inquest, jdk17, jdks, root, run};

fn ask(dir: &Path, words: &[&str]) -> Ran {
    let ran = run(inquest(&words[..1]).arg(dir).args(&words[1..]), None);
    assert!(!ran.stderr.contains("panicked"), "{words:?}: {ran:?}");
    ran
}

fn rows(dir: &Path, words: &[&str]) -> Vec<Value> {
    let ran = ask(dir, &[words, &["--json"]].concat());
    assert!(matches!(ran.code, Some(0 | 1)), "{words:?}: {ran:?}");
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{words:?}: {ran:?}"));
    assert_eq!(ran.code, Some(i32::from(rows.is_empty())), "{words:?}: {ran:?}");
    rows
}

fn recorded(jdk: &Jdk, words: &[&str]) -> Recorded {
    Program::new("examples", words).record(jdk, &[]).1
}

/// The number of the only line of an example that has this text.
fn line(program: &str, text: &str) -> u64 {
    let source = fs::read_to_string(root().join(format!("examples/{program}.java"))).unwrap();
    let found: Vec<usize> =
        (1..).zip(source.lines()).filter(|(_, line)| line.contains(text)).map(|(at, _)| at).collect();
    assert_eq!(found.len(), 1, "{text} in {program}");
    found[0] as u64
}

/// Place, kind, operation, chain and number of events of each balloon.
fn drawn(balloons: &[Value]) -> Vec<String> {
    let one = |balloon: &Value| {
        let at = &balloon["at"];
        let chain: Vec<&str> =
            balloon["chain"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
        format!(
            "{} {} {} [{}] {} {} {}",
            at["line"],
            at["kind"].as_str().unwrap(),
            balloon["operation"].as_str().unwrap(),
            chain.join(" "),
            balloon["events"],
            balloon["certainty"].as_str().unwrap(),
            balloon["extent"].as_str().unwrap(),
        )
    };
    balloons.iter().map(one).collect()
}

#[test]
fn a_list_that_stayed_empty_has_one_balloon_on_the_branch_that_left_it_so() {
    let branch = line("FileLister", "if (active) {");
    let loop_head = line("FileLister", "for (int i = 0; i < given.length");
    for jdk in jdks() {
        let recorded = recorded(&jdk, &["FileLister"]);
        let dir = recorded.path();
        let balloon = format!("{branch} branch ArrayList@1.add(…) [FileLister.addItem] 1 certain total");
        for object in ["ArrayList@1", "FileLister@1.names", "FileLister.run#1:this.names"] {
            let found = rows(&dir, &["omissions", object]);
            assert_eq!(drawn(&found), [balloon.as_str()], "{object}");
            assert_eq!(found[0]["at"]["call"], "FileLister.run#1");
            assert_eq!(found[0]["at"]["file"], "FileLister.java");
            assert_eq!(found[0]["line"], line("FileLister", "target.add(name);"));
        }
        let balloon = format!("{loop_head} loop-end ArrayList@2.add(…) [] 1 certain total");
        assert_eq!(drawn(&rows(&dir, &["omissions", "FileLister@1.args"])), [balloon.as_str()]);
    }
}

#[test]
fn with_arguments_nothing_was_left_out_of_their_list() {
    let recorded = recorded(&jdk17(), &["FileLister", "one", "two"]);
    let found = rows(&recorded.path(), &["omissions", "FileLister@1.args"]);
    assert!(found.iter().all(|balloon| balloon["extent"] == "partial"), "{found:#?}");
}

#[test]
fn only_the_jumps_next_to_what_was_left_out_are_to_blame() {
    for jdk in jdks() {
        let recorded = recorded(&jdk, &["LoopOmission"]);
        let found = rows(&recorded.path(), &["omissions", "ArrayList@1"]);
        let first = line("LoopOmission", "if (first) {");
        let second = line("LoopOmission", "else if (second) {");
        let mut shown = drawn(&found);
        shown.sort();
        assert_eq!(
            shown,
            [
                format!("{first} branch ArrayList@1.add(…) [LoopOmission.addFirst] 2 certain total"),
                format!("{second} branch ArrayList@1.add(…) [LoopOmission.addSecond] 2 certain total"),
            ]
        );
        assert_eq!(found[0]["times"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn what_is_missing_leads_to_the_call_that_prevented_it() {
    let recorded = recorded(&jdk17(), &["FileLister"]);
    let dir = recorded.path();
    let options =
        ["--root", "FileLister.main#1", "--ask-root", "--strategy", "top-down", "--json", "--answers", "-"];
    let mut answers = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut answers, b"m lister.names\nn\ny\ny\ny\n").unwrap();
    let mut command = inquest(&["ask"]);
    let ran = run(command.arg(&dir).args(options), Some(answers.path()));
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["answer"], "m", "{ran:?}");
    assert_eq!(lines[0]["missing"].as_array().map(Vec::len), Some(1), "{ran:?}");
    assert_eq!(lines[1]["question"]["call"], "FileLister.run#1", "{ran:?}");
}

#[test]
fn a_wrong_value_leads_to_the_call_that_wrote_it() {
    let recorded = recorded(&jdk17(), &["BottomUpMergeSort"]);
    let dir = recorded.path();
    let options = ["--ask-root", "--strategy", "top-down", "--json", "--answers", "-"];
    let mut answers = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut answers, b"n a[2]\nn\n").unwrap();
    let mut command = inquest(&["ask"]);
    let ran = run(command.arg(&dir).args(options), Some(answers.path()));
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["question"]["call"], "BottomUpMergeSort.merge#3", "{ran:?}");
    let verdict = lines.last().unwrap();
    assert_eq!(verdict["method"], "BottomUpMergeSort.merge", "{ran:?}");
    assert_eq!(verdict["questions"], 2, "{ran:?}");
}

#[test]
fn the_slice_of_a_wrong_sum_holds_the_loop_that_began_too_late_and_nothing_that_did_not_run() {
    for jdk in jdks() {
        let recorded = recorded(&jdk, &["SumNumbers"]);
        let dir = recorded.path();
        let found = rows(&dir, &["slice", "SumNumbers.sumNumbers#1:result"]);
        let lines: Vec<u64> = found.iter().filter_map(|row| row["line"].as_u64()).collect();
        for text in ["int at = 1;", "while (at < numbers.length)", "int total = 0;", "return a + b;"] {
            assert!(lines.contains(&line("SumNumbers", text)), "{text}: {lines:?}");
        }
        let even = line("SumNumbers", "\"even\"") + 1;
        assert!(!lines.contains(&even), "{lines:?}");
        let times: Vec<u64> = found.iter().map(|row| row["time"].as_u64().unwrap()).collect();
        assert!(times.is_sorted_by(|one, other| one >= other), "the latest first: {times:?}");
    }
}

#[test]
fn the_report_of_a_wrong_sum_is_narrowed_to_what_it_depends_on() {
    let recorded = recorded(&jdk17(), &["SumNumbers"]);
    let mut answers = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut answers, b"y\ny\ny\n").unwrap();
    let mut command = inquest(&["ask", "--strategy", "top-down", "--json", "--answers", "-"]);
    command.arg(recorded.path()).args(["--root", "SumNumbers.sumNumbers#1"]);
    let ran = run(&mut command, Some(answers.path()));
    let verdict: Value = serde_json::from_str(ran.stdout.lines().next_back().unwrap()).unwrap();
    let numbers = |name: &str| -> Vec<u64> {
        verdict[name].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect()
    };
    let (lines, likely) = (numbers("lines"), numbers("likely"));
    assert!(likely.contains(&line("SumNumbers", "int at = 1;")), "{ran:?}");
    assert!(likely.contains(&line("SumNumbers", "while (at < numbers.length)")), "{ran:?}");
    assert!(likely.iter().all(|line| lines.contains(line)), "{ran:?}");
    let even = line("SumNumbers", "\"even\"") + 1;
    assert!(!lines.contains(&even), "{ran:?}");
}

#[test]
fn the_slice_of_an_element_begins_with_its_last_write() {
    let recorded = recorded(&jdk17(), &["BottomUpMergeSort"]);
    let found = rows(&recorded.path(), &["slice", "BottomUpMergeSort.sort#1:a[2]"]);
    assert_eq!(found[0]["line"], line("BottomUpMergeSort", "// defect"));
    assert_eq!(found[0]["call"], "BottomUpMergeSort.merge#3");
    let lines: Vec<u64> = found.iter().filter_map(|row| row["line"].as_u64()).collect();
    assert!(lines.contains(&line("BottomUpMergeSort", "int[] a = {4, 9, 1, 7};")), "{lines:?}");
    let values = rows(&recorded.path(), &["slice", "BottomUpMergeSort.sort#1:a[2]", "--no-conditions"]);
    assert!(values.iter().all(|row| row["why"] != "condition") && values.len() < found.len());
}

#[test]
fn what_cannot_be_looked_for_is_told() {
    let recorded = recorded(&jdk17(), &["FileLister"]);
    let dir = recorded.path();
    for (words, message) in [
        (&["omissions", "ArrayList@99"][..], "ArrayList"),
        (&["omissions", "FileLister@1.nothing"], "nothing"),
        (&["omissions", "FileLister@1.names", "--at", "99999999"], "99999999"),
        (&["slice", "FileLister.run#1:nobody"], "nobody"),
        (&["slice", "FileLister@1.names", "--at", "soon"], "soon"),
    ] {
        let ran = ask(&dir, words);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_search_that_failed_is_in_the_report() {
    let recorded = recorded(&jdk17(), &["SumNumbers"]);
    let folder = tempfile::tempdir().unwrap();
    let (answers, report) = (folder.path().join("answers"), folder.path().join("report.md"));
    // A number in a variable is nothing to which something could have happened.
    fs::write(&answers, "m at\ny\ny\ny\ny\n").unwrap();
    let mut command = inquest(&["ask", "--strategy", "top-down", "--ask-root", "--json", "--answers", "-"]);
    command.arg(recorded.path()).args(["--root", "SumNumbers.sumNumbers#1", "--report"]).arg(&report);
    let ran = run(&mut command, Some(&answers));
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let verdict = lines.into_iter().find(|line| line.get("verdict").is_some()).unwrap();
    let failed = verdict["missing_failed"].as_str().unwrap_or_else(|| panic!("{ran:?}"));
    assert!(failed.contains("a variable is not an object"), "{ran:?}");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("It could not be looked for: a variable is not an object"), "{report}");
}

/// What is said, and that something is said at all, when the code is not all there.
#[test]
fn a_class_that_is_gone_or_spoilt_makes_the_answer_partial() {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(classes("omission")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let mut program = Program::new("omission", &["Missed"]);
    program.arguments[1] = folder.path().into();
    let recorded = program.record(&jdk17(), &[]).1;
    let unused = folder.path().join("Missed$Square.class");
    let whole = ask(&recorded.path(), &["omissions", "Missed$Account@1"]);
    assert!(!whole.stderr.contains("Square"), "{whole:?}");
    for spoil in
        [|file: &Path| fs::write(file, b"no class").unwrap(), |file: &Path| fs::remove_file(file).unwrap()]
    {
        spoil(&unused);
        let ran = ask(&recorded.path(), &["omissions", "Missed$Account@1"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        assert!(
            ran.stderr.contains("this may not be all") && ran.stderr.contains("Missed$Square"),
            "{ran:?}"
        );
    }
}

#[test]
fn without_branches_nothing_is_claimed_about_what_did_not_happen() {
    let recorded = Program::new("examples", &["FileLister"]).record(&jdk17(), &["--detail", "heap"]).1;
    let ran = ask(&recorded.path(), &["omissions", "FileLister@1.names"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("record again at detail `full`"), "{ran:?}");
    assert!(!ran.stdout.contains("no sign"), "{ran:?}");
}
