//! The debugger from outside: recorded programs, piped answers, the questions in their order and the verdict.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::debuggee::{Program, Ran, Recorded, inquest, jdk17, jdks, run};

/// A dialogue: what is asked in which order with what is answered, and the method that is found guilty.
struct Case {
    program: &'static str,
    options: &'static [&'static str],
    /// Call and kind of each question, and the answer to it.
    questions: &'static [(&'static str, &'static str, &'static str)],
    guilty: &'static str,
}

const CALL: &str = "call";

/// The worked examples, as they are known to go.
const CASES: &[Case] = &[
    Case {
        program: "Castling",
        options: &["--root", "Castling.castling#1", "--ask-root", "--strategy", "dq-nearest"],
        questions: &[
            ("Square.right#1", CALL, "y"),
            ("Square.right#2", CALL, "y"),
            ("Square.right#3", CALL, "y"),
            ("Square.left#1", CALL, "y"),
            ("Square.left#2", CALL, "y"),
            ("Castling.castling#1", CALL, "n"),
        ],
        guilty: "Castling.castling",
    },
    Case {
        program: "Castling",
        options: &[
            "--root",
            "Castling.castling#1",
            "--ask-root",
            "--strategy",
            "dq-nearest",
            "--transform",
            "project",
        ],
        questions: &[
            ("Square.right#1", "projection", "y"),
            ("Square.left#1", "projection", "y"),
            ("Castling.castling#1", CALL, "n"),
        ],
        guilty: "Castling.castling",
    },
    Case {
        program: "Castling",
        options: &[
            "--root",
            "Castling.castling#1",
            "--ask-root",
            "--strategy",
            "dq-nearest",
            "--transform",
            "balance",
        ],
        questions: &[
            ("Square.right#1", "collapse", "y"),
            ("Square.left#1", "collapse", "y"),
            ("Castling.castling#1", CALL, "n"),
        ],
        guilty: "Castling.castling",
    },
    Case {
        program: "MergeSortMissing",
        options: &["--root", "MergeSortMissing.sort#1", "--ask-root", "--strategy", "top-down"],
        questions: &[
            ("MergeSortMissing.sort#1", CALL, "n"),
            ("MergeSortMissing.sort#2", CALL, "y"),
            ("MergeSortMissing.sort#5", CALL, "y"),
            ("MergeSortMissing.merge#2", CALL, "n"),
            ("MergeSortMissing.delete#3", CALL, "y"),
            ("MergeSortMissing.delete#4", CALL, "y"),
            ("MergeSortMissing.delete#5", CALL, "y"),
        ],
        guilty: "MergeSortMissing.merge",
    },
    Case {
        program: "MergeSortMissing",
        options: &[
            "--root",
            "MergeSortMissing.sort#1",
            "--ask-root",
            "--strategy",
            "top-down",
            "--transform",
            "balance",
        ],
        questions: &[
            ("MergeSortMissing.sort#1", CALL, "n"),
            ("MergeSortMissing.sort#2", CALL, "y"),
            ("MergeSortMissing.sort#5", CALL, "y"),
            ("MergeSortMissing.merge#2", CALL, "n"),
            ("MergeSortMissing.delete#3", "collapse", "y"),
        ],
        guilty: "MergeSortMissing.merge",
    },
    Case {
        program: "MergeSortMissing",
        options: &["--root", "MergeSortMissing.sort#1", "--strategy", "dq-nearest"],
        questions: &[
            ("MergeSortMissing.sort#2", CALL, "y"),
            ("MergeSortMissing.merge#2", CALL, "n"),
            ("MergeSortMissing.delete#3", CALL, "y"),
            ("MergeSortMissing.delete#4", CALL, "y"),
            ("MergeSortMissing.delete#5", CALL, "y"),
        ],
        guilty: "MergeSortMissing.merge",
    },
    Case {
        program: "MergeSortMissing",
        options: &["--root", "MergeSortMissing.sort#1", "--strategy", "dq-nearest", "--transform", "balance"],
        questions: &[
            ("MergeSortMissing.sort#2", CALL, "y"),
            ("MergeSortMissing.merge#2", CALL, "n"),
            ("MergeSortMissing.delete#3", "collapse", "y"),
        ],
        guilty: "MergeSortMissing.merge",
    },
    Case {
        program: "SumNumbers",
        options: &["--root", "SumNumbers.sumNumbers#1", "--ask-root", "--strategy", "top-down"],
        questions: &[
            ("SumNumbers.sumNumbers#1", CALL, "n"),
            ("SumNumbers.isEven#1", CALL, "y"),
            ("SumNumbers.isEven#2", CALL, "y"),
            ("SumNumbers.add#1", CALL, "y"),
        ],
        guilty: "SumNumbers.sumNumbers",
    },
    Case {
        program: "BottomUpMergeSort",
        options: &["--strategy", "coverage-edge"],
        questions: &[("BottomUpMergeSort.merge#3", CALL, "n")],
        guilty: "BottomUpMergeSort.merge",
    },
    Case {
        program: "BottomUpMergeSort",
        options: &["--ask-root", "--strategy", "top-down"],
        questions: &[
            ("BottomUpMergeSort.main#1", CALL, "n"),
            ("BottomUpMergeSort.sort#1", CALL, "n"),
            ("BottomUpMergeSort.distribute#1", CALL, "y"),
            ("BottomUpMergeSort.merge#1", CALL, "y"),
            ("BottomUpMergeSort.merge#2", CALL, "y"),
            ("BottomUpMergeSort.distribute#2", CALL, "y"),
            ("BottomUpMergeSort.merge#3", CALL, "n"),
        ],
        guilty: "BottomUpMergeSort.merge",
    },
    Case {
        program: "Cancelling",
        options: &["--strategy", "top-down"],
        questions: &[("Cancelling.f#1", CALL, "n"), ("Cancelling.g#1", CALL, "n")],
        guilty: "Cancelling.g",
    },
    Case {
        program: "Cancelling",
        options: &["--strategy", "top-down", "--transform", "project"],
        questions: &[("Cancelling.f#1", CALL, "n"), ("Cancelling.g#1", "projection", "y")],
        guilty: "Cancelling.f",
    },
];

#[test]
fn the_worked_examples_go_as_they_are_known_to_go() {
    for jdk in jdks() {
        let mut recordings: Vec<(&str, Recorded)> = Vec::new();
        for case in CASES {
            let at = recordings.iter().position(|(program, _)| *program == case.program);
            let at = at.unwrap_or_else(|| {
                let (_, recorded) = Program::new("examples", &[case.program]).record(&jdk, &[]);
                recordings.push((case.program, recorded));
                recordings.len() - 1
            });
            check(&recordings[at].1.path(), case);
        }
    }
}

fn check(recording: &Path, case: &Case) {
    let name = format!("{} {:?}", case.program, case.options);
    let answers: Vec<&str> = case.questions.iter().map(|(_, _, answer)| *answer).collect();
    let (lines, ran) = ask(recording, case.options, &answers);
    let (verdict, questions) = lines.split_last().unwrap_or_else(|| panic!("{name}: {ran:?}"));
    let asked: Vec<_> = questions
        .iter()
        .map(|line| (line["question"]["call"].as_str().unwrap(), line["question"]["kind"].as_str().unwrap()))
        .collect();
    let expected: Vec<_> = case.questions.iter().map(|(call, kind, _)| (*call, *kind)).collect();
    assert_eq!(asked, expected, "{name}");
    assert_eq!(verdict["verdict"], "buggy", "{name}: {verdict}");
    assert_eq!(verdict["method"], case.guilty, "{name}");
    assert_eq!(verdict["questions"], case.questions.len(), "{name}");
    assert_eq!(ran.code, Some(0), "{name}");
}

/// The lines of a dialogue with these answers.
fn ask(recording: &Path, options: &[&str], answers: &[&str]) -> (Vec<Value>, Ran) {
    let file = recording.with_extension("answers");
    fs::write(&file, answers.join("\n") + "\n").unwrap();
    let mut command = inquest(&["ask", "--json", "--answers"]);
    let ran = run(command.arg(&file).arg(recording).args(options), None);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, ran)
}

fn recorded(program: &str) -> Recorded {
    Program::new("examples", &[program]).record(&jdk17(), &[]).1
}

/// The calls that were asked about.
fn calls(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["question"]["call"].as_str()).collect()
}

#[test]
fn guilty_code_is_what_ran_and_nothing_else() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down"];
    let (lines, _) = ask(&recorded.path(), &options, &["y", "y", "y"]);
    let verdict = lines.last().unwrap();
    let source = fs::read_to_string(crate::debuggee::root().join("examples/SumNumbers.java")).unwrap();
    let guilty: Vec<usize> =
        verdict["lines"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap() as usize).collect();
    let text = |line: usize| source.lines().nth(line - 1).unwrap();
    let adding: Vec<usize> =
        (1..=source.lines().count()).filter(|&line| text(line).contains("= add(")).collect();
    assert!(!guilty.contains(&adding[0]), "the even branch never ran: {guilty:?}");
    assert!(guilty.contains(&adding[1]), "{guilty:?}");
    assert!(guilty.iter().any(|&line| text(line).contains("defect")), "{guilty:?}");
    assert_eq!(verdict["file"], "SumNumbers.java");
}

#[test]
fn zooming_into_the_guilty_call_halves_its_statements_and_ends_at_a_line() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down", "--zoom"];
    // Everything from the defect on is wrong, and all before it is right.
    let (lines, ran) = ask(&recorded.path(), &options, &["y", "y", "y", "n", "n", "n", "y"]);
    let kinds: Vec<_> = lines.iter().filter_map(|line| line["question"]["kind"].as_str()).collect();
    let statement = "statement";
    assert_eq!(kinds, [CALL, CALL, CALL, statement, statement, statement, statement], "{ran:?}");
    let source = fs::read_to_string(crate::debuggee::root().join("examples/SumNumbers.java")).unwrap();
    let defect = source.lines().position(|line| line.contains("// defect")).unwrap() + 1;
    assert_eq!(lines.last().unwrap()["lines"], json!([defect]), "{ran:?}");
}

#[test]
fn lines_that_nobody_could_judge_are_named_once_each() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down", "--zoom"];
    let answers = [&["y"; 3][..], &["d"; 40]].concat();
    let (lines, ran) = ask(&recorded.path(), &options, &answers);
    let verdict = lines.last().unwrap();
    assert_eq!(verdict["verdict"], "suspects", "{ran:?}");
    let suspects = verdict["suspects"].as_array().unwrap();
    assert!(suspects.iter().all(|one| one["call"] == "SumNumbers.sumNumbers#1"), "{suspects:?}");
    let lines: Vec<u64> = suspects.iter().map(|one| one["line"].as_u64().unwrap()).collect();
    let distinct: std::collections::HashSet<_> = lines.iter().collect();
    assert!(lines.len() > 3 && distinct.len() == lines.len(), "{lines:?}");
}

#[test]
fn what_was_printed_came_out_too() {
    let recorded = recorded("BottomUpMergeSort");
    let (lines, ran) = ask(&recorded.path(), &["--strategy", "top-down"], &["y"]);
    let verdict = lines.last().unwrap();
    assert_eq!(verdict["method"], "BottomUpMergeSort.main", "{ran:?}");
    let source = fs::read_to_string(crate::debuggee::root().join("examples/BottomUpMergeSort.java")).unwrap();
    let printing = source.lines().position(|line| line.contains("System.out.println(")).unwrap() + 1;
    let likely: Vec<usize> =
        verdict["likely"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap() as usize).collect();
    assert_eq!(likely[..3], [printing - 2, printing - 1, printing], "{ran:?}");
}

#[test]
fn the_root_is_asked_first_unless_a_strategy_is_named() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--ask-root"];
    let (lines, _) = ask(&recorded.path(), &options, &[]);
    assert_eq!(calls(&lines), ["SumNumbers.sumNumbers#1"]);
    let options = [&options[..], &["--strategy", "dq-nearest", "--fresh"]].concat();
    let (lines, _) = ask(&recorded.path(), &options, &[]);
    assert_ne!(calls(&lines), ["SumNumbers.sumNumbers#1"]);
}

#[test]
fn a_verdict_is_shown_again_and_can_be_taken_back() {
    let recorded = recorded("SumNumbers");
    let dir = recorded.path();
    let root = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down"];
    ask(&dir, &root, &["y", "y", "y"]);
    // Without the root: it is the one that was named, and nobody has named it now.
    let (lines, ran) = ask(&dir, &[], &[]);
    assert_eq!(lines.last().unwrap()["method"], "SumNumbers.sumNumbers", "{ran:?}");
    assert_eq!((lines.last().unwrap()["questions"].as_u64(), ran.code), (Some(3), Some(0)), "{ran:?}");
    let text = run(inquest(&["ask", "--answers", "/dev/null"]).arg(&dir), None).stdout;
    assert!(text.contains("SumNumbers.sumNumbers#1, as you said when this began"), "{text}");
    let (lines, ran) = ask(&dir, &["--strategy", "top-down"], &["u"]);
    assert_eq!(lines.last().unwrap()["verdict"], "suspects", "{ran:?}");
    assert_eq!(calls(&lines), ["SumNumbers.add#1"], "the last answer is taken back: {ran:?}");
}

#[test]
fn what_should_never_have_been_called_leads_to_who_called_it() {
    let recorded = recorded("MergeSortMissing");
    let options = ["--root", "MergeSortMissing.main#1", "--strategy", "dq-optimal"];
    let (lines, ran) = ask(&recorded.path(), &options, &["i"]);
    assert_eq!(calls(&lines), ["MergeSortMissing.sort#2", "MergeSortMissing.sort#1"], "{ran:?}");
}

#[test]
fn a_session_goes_on_after_its_answers_ran_out() {
    let recorded = recorded("MergeSortMissing");
    let dir = recorded.path();
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let (lines, ran) = ask(&dir, &options, &["y", "y"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let [.., pending, verdict] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(pending["question"]["call"], "MergeSortMissing.merge#2");
    assert_eq!(pending["answer"], Value::Null);
    assert_eq!(verdict["verdict"], "suspects");

    let (lines, ran) = ask(&dir, &options, &["n", "y", "y", "y"]);
    assert_eq!(calls(&lines)[0], "MergeSortMissing.merge#2");
    assert_eq!(lines.last().unwrap()["method"], "MergeSortMissing.merge");
    assert_eq!(lines.last().unwrap()["questions"], 6, "those before count too");
    assert_eq!(ran.code, Some(0));

    let (lines, _) = ask(&dir, &[&options[..], &["--fresh"]].concat(), &["y"]);
    assert_eq!(calls(&lines)[0], "MergeSortMissing.sort#2", "begun anew");
}

#[test]
fn what_was_said_can_be_taken_back_and_said_again() {
    let recorded = recorded("MergeSortMissing");
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let (lines, _) = ask(&recorded.path(), &options, &["y", "y", "u", "u", "r", "y", "n", "y", "y", "y"]);
    let expected = [
        "MergeSortMissing.sort#2",
        "MergeSortMissing.sort#5",
        "MergeSortMissing.sort#5",
        "MergeSortMissing.merge#2",
        "MergeSortMissing.delete#3",
        "MergeSortMissing.delete#4",
        "MergeSortMissing.delete#5",
    ];
    assert_eq!(calls(&lines), expected);
    assert_eq!(lines.last().unwrap()["method"], "MergeSortMissing.merge");
    assert_eq!(lines.last().unwrap()["questions"], 6);
}

#[test]
fn what_nobody_knows_is_asked_again_and_then_left_as_a_suspect() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down"];
    let (lines, ran) = ask(&recorded.path(), &options, &["d", "y", "y", "d"]);
    assert_eq!(
        calls(&lines),
        ["SumNumbers.isEven#1", "SumNumbers.isEven#2", "SumNumbers.add#1", "SumNumbers.isEven#1"]
    );
    let verdict = lines.last().unwrap();
    assert_eq!(verdict["verdict"], "suspects");
    let suspects: Vec<&Value> =
        verdict["suspects"].as_array().unwrap().iter().map(|one| &one["call"]).collect();
    assert_eq!(suspects, ["SumNumbers.sumNumbers#1", "SumNumbers.isEven#1"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_trusted_method_is_not_asked_about_nor_what_is_part_of_it() {
    let recorded = recorded("MergeSortMissing");
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let (lines, _) = ask(&recorded.path(), &options, &["t", "y", "y", "y"]);
    // The call that was asked about is settled with all in it, as by "right". The root is of the trusted method too,
    // but wrong: what it called is still suspected, and the only call of it that is left has to be wrong.
    assert_eq!(
        calls(&lines),
        [
            "MergeSortMissing.sort#2",
            "MergeSortMissing.delete#3",
            "MergeSortMissing.delete#4",
            "MergeSortMissing.delete#5"
        ]
    );
    assert_eq!(lines.last().unwrap()["method"], "MergeSortMissing.merge");
}

#[test]
fn a_wrong_value_leads_to_the_call_that_wrote_it() {
    let recorded = recorded("BottomUpMergeSort");
    let (lines, _) =
        ask(&recorded.path(), &["--strategy", "top-down"], &["n BottomUpMergeSort.sort#1:a[2]", "n"]);
    assert_eq!(calls(&lines), ["BottomUpMergeSort.sort#1", "BottomUpMergeSort.merge#3"]);
    assert_eq!(lines.last().unwrap()["method"], "BottomUpMergeSort.merge");
}

#[test]
fn a_correct_root_has_no_bug() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.add#1", "--ask-root"];
    let (lines, ran) = ask(&recorded.path(), &options, &["y"]);
    assert_eq!(lines.last().unwrap()["verdict"], "correct");
    assert_eq!(ran.code, Some(1));
}

#[test]
fn back_to_the_plain_tree_asks_about_the_members() {
    let recorded = recorded("Castling");
    let options = ["--root", "Castling.castling#1", "--strategy", "dq-nearest", "--transform", "balance"];
    let (lines, _) = ask(&recorded.path(), &options, &["b", "y", "y", "y", "b", "y"]);
    assert_eq!(
        calls(&lines),
        ["Square.right#1", "Square.right#2", "Square.right#3", "Square.left#1"],
        "{lines:#?}"
    );
    assert_eq!(lines.last().unwrap()["method"], "Castling.castling");
}

#[test]
fn a_run_that_nobody_understands_falls_apart_into_its_members() {
    let recorded = recorded("Castling");
    let options = ["--root", "Castling.castling#1", "--strategy", "top-down", "--transform", "balance"];
    let (lines, _) = ask(&recorded.path(), &options, &["d", "y", "y", "y", "y"]);
    let kinds: Vec<_> = lines.iter().filter_map(|line| line["question"]["kind"].as_str()).collect();
    assert_eq!(kinds, ["collapse", CALL, CALL, CALL, "collapse"]);
    assert_eq!(lines.last().unwrap()["method"], "Castling.castling");
}

#[test]
fn the_last_member_of_a_wrong_run_is_wrong_without_a_question() {
    let recorded = recorded("Castling");
    let options = ["--root", "Castling.castling#1", "--strategy", "top-down", "--transform", "project"];
    let (lines, _) = ask(&recorded.path(), &options, &["n", "y", "y"]);
    let verdict = lines.last().unwrap();
    assert_eq!(verdict["call"], "Square.right#3", "the only one left in a wrong run: {lines:?}");
}

#[test]
fn answers_that_do_not_go_together_are_told() {
    let recorded = recorded("MergeSortMissing");
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let told = |answers: &[&str]| {
        let (lines, _) = ask(&recorded.path(), &[&options[..], &["--fresh"]].concat(), answers);
        let found: Vec<Value> = lines
            .iter()
            .filter_map(|line| line["contradiction"]["answers"].as_array())
            .map(|answers| answers.iter().map(|given| json!([given["call"], given["answer"]])).collect())
            .collect();
        found
    };
    assert_eq!(told(&["y", "j MergeSortMissing.merge#2 n"]), Vec::<Value>::new());
    let inside = told(&["y", "j MergeSortMissing.merge#1 n"]);
    assert_eq!(inside, [json!([["MergeSortMissing.sort#2", "y"], ["MergeSortMissing.merge#1", "n"]])]);
    let same = told(&["y", "j MergeSortMissing.sort#2 n"]);
    assert_eq!(same, [json!([["MergeSortMissing.sort#2", "y"], ["MergeSortMissing.sort#2", "n"]])]);
}

#[test]
fn a_rule_of_trust_can_be_taken_back() {
    let recorded = recorded("MergeSortMissing");
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let answers = ["t", "x MergeSortMissing.sort(int[])", "y", "y", "n", "y", "y", "y"];
    let (lines, ran) = ask(&recorded.path(), &options, &answers);
    let asked = calls(&lines);
    assert_eq!(
        asked[..3],
        ["MergeSortMissing.sort#2", "MergeSortMissing.sort#2", "MergeSortMissing.sort#5"],
        "{ran:?}"
    );
    assert_eq!(lines.last().unwrap()["method"], "MergeSortMissing.merge");
}

#[test]
fn another_run_of_the_program_is_explained_by_what_was_answered_before() {
    let memory = tempfile::tempdir().unwrap();
    let options =
        ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down", "--json", "--oracle", "remembered"];
    let ask = |recorded: &Recorded, answers: &str| {
        let file = recorded.path().with_extension("answers");
        fs::write(&file, answers).unwrap();
        let mut command = inquest(&["ask"]);
        command
            .env("XDG_DATA_HOME", memory.path())
            .arg(recorded.path())
            .args(options)
            .arg("--answers")
            .arg(file);
        let ran = run(&mut command, None);
        let verdict: Value = serde_json::from_str(ran.stdout.lines().next_back().unwrap()).unwrap();
        assert_eq!(verdict["method"], "MergeSortMissing.merge", "{ran:?}");
        verdict["questions"].as_u64().unwrap()
    };
    assert_eq!(ask(&recorded("MergeSortMissing"), "y\ny\nn\ny\ny\ny\n"), 6);
    assert_eq!(ask(&recorded("MergeSortMissing"), ""), 0);
}

#[test]
fn what_was_answered_before_a_kill_holds() {
    let recorded = recorded("MergeSortMissing");
    let dir = recorded.path();
    let options = ["--root", "MergeSortMissing.sort#1", "--strategy", "top-down"];
    let mut command = inquest(&["ask", "--answers", "-", "--json"]);
    let mut child =
        command.arg(&dir).args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next().unwrap().unwrap();
        answers.write_all(b"y\n").unwrap();
    }
    // A question comes when what was answered before is kept.
    lines.next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let (lines, _) = ask(&dir, &options, &["n", "y", "y", "y"]);
    assert_eq!(calls(&lines)[0], "MergeSortMissing.merge#2");
    assert_eq!(lines.last().unwrap()["questions"], 6);
}

#[test]
fn plain_lines_on_stdin_and_text_for_people() {
    let recorded = recorded("SumNumbers");
    let dir = recorded.path();
    let report = dir.with_extension("md");
    let mut command =
        inquest(&["ask", "--strategy", "top-down", "--root", "SumNumbers.sumNumbers#1", "--report"]);
    let mut child =
        command.arg(&report).arg(&dir).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"w\ns\ny\ny\ny\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for expected in ["SumNumbers.isEven(2) = true", "SumNumbers.sumNumbers", "3 questions to you"] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    let text = fs::read_to_string(&report).unwrap();
    assert!(text.starts_with('#') && text.contains("SumNumbers.sumNumbers"), "{text}");

    // The same as a page, if the name says so.
    let page = dir.with_extension("html");
    let mut command = inquest(&["ask", "--fresh", "--strategy", "top-down", "--answers", "-", "--report"]);
    let command = command.arg(&page).arg("--root").arg("SumNumbers.sumNumbers#1").arg(&dir);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\ny\ny\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let text = fs::read_to_string(page).unwrap();
    for expected in ["<!doctype html>", "<code>SumNumbers.sumNumbers</code>", "Guilty code", "top-down"] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
}

#[test]
fn bad_input_is_told_and_nothing_is_lost() {
    let recorded = recorded("SumNumbers");
    let dir = recorded.path();
    let refused = |options: &[&str], message: &str| {
        let ran = run(inquest(&["ask", "--json"]).arg(&dir).args(options), None);
        assert_eq!(ran.code, Some(2), "{options:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{options:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    };
    refused(&["--strategy", "guess"], "dq-optimal");
    refused(&["--transform", "shuffle"], "balance");
    refused(&["--root", "SumNumbers.nothing#1"], "SumNumbers.nothing");
    refused(&["--root", "SumNumbers.add#7"], "SumNumbers.add");
    refused(&["--oracle", "reference:nowhere"], "nowhere");
    refused(&["--oracle", "friend"], "reference");
    refused(&["--answers", "nowhere.txt"], "nowhere.txt");

    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down"];
    ask(&dir, &options, &["y"]);
    let ran = ask(&dir, &options, &["perhaps"]).1;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("perhaps"), "{}", ran.stderr);
    let (lines, _) = ask(&dir, &options, &["y", "y"]);
    assert_eq!(lines.last().unwrap()["questions"], 3, "what was said before the bad line holds");

    let journal = dir.join("answers");
    let whole = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, whole.replace("inquest-answers 1", "inquest-answers 9")).unwrap();
    refused(&options, "another version");
    let (lines, ran) = ask(&dir, &[&options[..], &["--fresh"]].concat(), &["y", "y", "y"]);
    assert_eq!(lines.last().unwrap()["questions"], 3, "{ran:?}");
    assert!(fs::read_to_string(dir.join("answers.old1")).unwrap().contains("inquest-answers 9"));
}

#[test]
fn every_call_of_the_examples_is_found_when_it_is_the_bug() {
    for program in ["Castling", "MergeSortMissing", "SumNumbers", "BottomUpMergeSort", "Cancelling"] {
        let recorded = recorded(program);
        for transform in ["none", "project", "balance", "compress", "loops", "loops,balance"] {
            let mut command = inquest(&["simulate", "--json", "--strategy", "all", "--transform", transform]);
            let ran = run(command.arg(recorded.path()), None);
            assert_eq!(ran.code, Some(0), "{program} {transform}: {ran:?}");
            let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(rows.len(), session::Strategy::ALL.len(), "{program} {transform}");
            for row in rows {
                assert!(row["mean"].as_f64() > Some(0.0) && row["max"].as_u64() >= Some(1), "{row}");
                assert_eq!(row["unfound"], 0, "{program} {transform}: {row}");
            }
        }
    }
}

#[test]
fn the_number_of_calls_is_that_of_the_examples() {
    let nodes = |program: &str, options: &[&str]| {
        let recorded = recorded(program);
        let mut command = inquest(&["simulate", "--json", "--strategy", "top-down"]);
        let ran = run(command.arg(recorded.path()).args(options), None);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()[0]["nodes"].as_u64().unwrap()
    };
    assert_eq!(nodes("MergeSortMissing", &["--root", "MergeSortMissing.sort#1"]), 12);
    assert_eq!(
        nodes("MergeSortMissing", &["--root", "MergeSortMissing.sort#1", "--transform", "balance"]),
        8
    );
    assert_eq!(nodes("Castling", &["--root", "Castling.castling#1"]), 6);
    assert_eq!(nodes("Castling", &["--root", "Castling.castling#1", "--transform", "balance"]), 3);
    assert_eq!(nodes("BottomUpMergeSort", &[]), 7);
}

#[test]
fn the_same_question_is_not_asked_twice() {
    let (_, recorded) = Program::new("questions", &["Shown"]).record(&jdk17(), &[]);
    let options = ["--root", "Shown.main#1", "--trust", "Shown$Token"];
    let (lines, ran) = ask(&recorded.path(), &options, &["y"; 9]);
    let of_same = lines.iter().filter(|line| line["question"]["method"] == "Shown.same");
    let mut same: Vec<(&str, &str)> =
        of_same.filter_map(|line| Some((line["question"]["text"].as_str()?, line["by"].as_str()?))).collect();
    same.sort();
    let asked = [
        ("Shown.same([4, 5, 6]) = 3", "user"),
        ("Shown.same([4, 5]) = 2", "inferred"),
        ("Shown.same([4, 5]) = 2", "user"),
    ];
    assert_eq!(same, asked, "{ran:?}");
}

#[test]
fn small_calls_that_are_left_are_one_list_for_a_person_only() {
    let (_, recorded) = Program::new("questions", &["Shown"]).record(&jdk17(), &[]);
    let options = ["--root", "Shown.main#1", "--trust", "Shown$Token"];
    let (lines, ran) = ask(&recorded.path(), &options, &["y"; 9]);
    assert!(lines.iter().all(|line| line["question"]["kind"] != "run"), "{ran:?}");
    let mut command = inquest(&["ask", "--fresh"]);
    let typed = recorded.path().with_extension("typed");
    fs::write(&typed, "y\ny\ny\ny\ny\ny\nn 3\n").unwrap();
    let ran = run(command.arg(recorded.path()).args(options), Some(&typed));
    assert!(ran.stdout.contains("3 calls of Shown.same"), "{ran:?}");
    assert!(ran.stdout.contains("defect in Shown.same"), "{ran:?}");
}

#[test]
fn a_loop_without_content_is_not_asked_about() {
    let (_, recorded) = Program::new("questions", &["Shown"]).record(&jdk17(), &[]);
    let options = ["--root", "Shown.empty#1", "--strategy", "top-down", "--transform", "loops"];
    let (lines, ran) = ask(&recorded.path(), &options, &["y"]);
    assert_eq!(calls(&lines), ["Shown.nothing#1"], "{ran:?}");
    assert_eq!(lines.last().unwrap()["method"], "Shown.empty", "{ran:?}");
}

#[test]
fn the_odd_one_of_several_calls_is_named_by_its_row() {
    let recorded = recorded("Castling");
    let options = ["--root", "Castling.castling#1", "--strategy", "top-down", "--transform", "balance"];
    let (lines, ran) = ask(&recorded.path(), &options, &["n 2"]);
    let asked = &lines[0]["question"];
    assert_eq!(asked["call"], "Square.right#2", "what is judged is the row: {ran:?}");
    assert_eq!(lines.last().unwrap()["call"], "Square.right#2", "{ran:?}");
}

#[test]
fn how_long_a_hunt_took_is_told_afterwards() {
    let recorded = recorded("SumNumbers");
    let options = ["--root", "SumNumbers.sumNumbers#1", "--strategy", "top-down"];
    ask(&recorded.path(), &options, &["y", "u", "y", "y", "y"]);
    let summary = |json: bool| {
        let mut command = inquest(&["ask", "--summary"]);
        command.args(json.then_some("--json"));
        run(command.arg(recorded.path()), None)
    };
    let told: Value = serde_json::from_str(&summary(true).stdout).unwrap();
    let answers = told["answers"].as_array().unwrap();
    assert_eq!(
        (told["verdict"].as_str(), told["questions"].as_u64(), answers.len()),
        (Some("buggy"), Some(4), 4)
    );
    let holding: Vec<bool> = answers.iter().map(|answer| answer["holds"].as_bool().unwrap()).collect();
    assert_eq!(holding.iter().filter(|holds| **holds).count(), 3, "one was taken back: {told}");
    assert!(answers.iter().all(|answer| answer["took"].is_u64() && answer["by"] == "user"), "{told}");
    let thought: u64 = answers.iter().filter_map(|answer| answer["took"].as_u64()).sum();
    assert_eq!(told["thought"].as_u64(), Some(thought));
    let text = summary(false).stdout;
    for expected in
        ["The hunt in SumNumbers.sumNumbers#1 took", "the bug was found", "4 questions to you", "taken back"]
    {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
}

#[test]
fn who_cannot_judge_parts_of_a_loop_is_not_asked_about_all_of_them() {
    let (_, recorded) = Program::new("questions", &["Rounds"]).record(&jdk17(), &[]);
    let place = recorded.path();
    let mut answers: Vec<&str> = Vec::new();
    loop {
        let options = ["--root", "Rounds.play#1", "--transform", "loops,balance", "--certain", "--fresh"];
        let (lines, ran) = ask(&place, &options, &answers);
        let last = lines.last().unwrap_or_else(|| panic!("{ran:?}"));
        if last["verdict"] == "buggy" {
            assert_eq!(last["method"], "Rounds.play", "{ran:?}");
            break;
        }
        let asked: Vec<&Value> = lines.iter().filter(|line| line["question"].is_object()).collect();
        let question = &asked.last().unwrap()["question"];
        answers.push(match question["kind"].as_str() {
            Some("loop" | "iterations") => "d",
            _ if question["method"] == "Rounds.play" => "n",
            _ => "y",
        });
        assert!(answers.len() < 20, "{ran:?}");
    }
    assert!(answers.iter().filter(|answer| **answer == "d").count() <= 3, "{answers:?}");
}

#[test]
fn what_is_kept_and_changed_by_others_is_told_and_makes_a_verdict_uncertain() {
    let (_, recorded) = Program::new("questions", &["Kept"]).record(&jdk17(), &[]);
    let place = recorded.path();
    let options = ["--root", "Kept.buy#1", "--strategy", "top-down", "--transform", "none", "--fresh"];
    let (lines, ran) = ask(&place, &options, &["y", "y", "y", "y", "y"]);
    let asked = |call: &str| {
        let mut questions = lines.iter().map(|line| &line["question"]);
        questions
            .find(|question| question["call"] == call)
            .unwrap_or_else(|| panic!("{call}: {ran:?}"))
            .clone()
    };
    let told = |question: &Value| question["facts"].to_string().contains("kept as");
    let kept = asked("Kept.place#1");
    let fact =
        &kept["facts"].as_array().unwrap().iter().find(|fact| fact["label"] == "lines").unwrap()["text"];
    assert_eq!(fact, "kept as KeptOrder.lines, not a copy: KeptCart.clear changes it later", "{ran:?}");
    assert!(!told(&asked("KeptCart.clear#1")), "{ran:?}");
    let verdict = lines.last().unwrap();
    assert_eq!(
        (verdict["verdict"].as_str(), verdict["method"].as_str(), verdict["certain"].as_bool()),
        (Some("buggy"), Some("Kept.buy"), Some(false)),
        "{ran:?}"
    );
    let elsewhere = verdict["elsewhere"][0].as_str().unwrap();
    assert!(elsewhere.starts_with("in Kept.place#1: it keeps lines as KeptOrder.lines"), "{elsewhere}");
    let shown = |call: &str| {
        let ran = run(inquest(&["show", "--json"]).arg(&place).arg(call), None);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["kept"].clone()
    };
    assert_eq!(shown("KeptSorter.new#1"), serde_json::json!([]), "its array is its own to change");
    assert_eq!(shown("KeptOrder.new#1").as_array().map(Vec::len), Some(1));
}
