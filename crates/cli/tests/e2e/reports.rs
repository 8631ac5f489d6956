//! Reports on recorded programs: which lines are guilty, and what stands beside them.

use std::process::Command;

use past::{Past, Settings};
use session::{Answer, Author, Guilty, Judged, Report, Subject, report};
use words::markdown;

use crate::debuggee::{Program, Recorded, binary, inquest, jdk17, root, run, scratch};

struct ReportedRun {
    past: Past,
    _recorded: Recorded,
}

impl ReportedRun {
    fn new(group: &str, program: &str, sources: bool) -> ReportedRun {
        let (_, recorded) = Program::new(group, &[program]).record(&jdk17(), &[]);
        ReportedRun::open(recorded, sources)
    }

    fn open(recorded: Recorded, sources: bool) -> ReportedRun {
        let sources = if sources { vec![root().join("examples")] } else { Vec::new() };
        let settings = Settings { sources, ..Settings::default() };
        let past = Past::open(&recorded.path(), &settings, &mut |_| {}).unwrap();
        ReportedRun { past, _recorded: recorded }
    }

    fn call(&self, call: &str) -> Subject {
        Subject::Call { call: self.past.find_call(call).unwrap().number() }
    }

    fn report(&self, subject: Subject, children: Vec<Subject>, answers: &[Judged]) -> Report {
        report(
            &self.past,
            &Guilty {
                subject,
                path: vec![subject],
                children,
                answers,
                missing: None,
                missing_failed: None,
                good: None,
                doubt: None,
                earlier: Vec::new(),
                way: None,
                trust: &session::Trust::default(),
            },
        )
        .unwrap()
    }
}

fn loop_of(call: Subject, run: u32) -> Subject {
    let Subject::Call { call } = call else { panic!("{call:?}") };
    Subject::Loop { call, run, from: 0, to: None }
}

#[test]
fn lines_that_did_not_run_are_never_guilty() {
    let sum = ReportedRun::new("examples", "SumNumbers", true);
    let call = sum.call("SumNumbers.sumNumbers#1");
    let found = sum.report(call, Vec::new(), &[]);
    assert_eq!(found.file.as_deref(), Some("SumNumbers.java"));
    // Line 15 adds up the even numbers: it is in the method and in no run of it.
    assert_eq!(found.lines, [11, 12, 13, 14, 17, 18, 20, 22]);
    let added = found.code.iter().find(|line| line.number == 15).unwrap();
    assert!(added.text.contains("add(total") && !added.executed && !added.guilty);
    let told = found.code.iter().find(|line| line.number == 18).unwrap();
    assert_eq!(told.values, [("total".to_owned(), "3".to_owned())]);
}

#[test]
fn what_a_child_did_is_not_its_parents_doing() {
    let sort = ReportedRun::new("examples", "BottomUpMergeSort", true);
    let call = sort.call("BottomUpMergeSort.merge#3");
    let loops = vec![loop_of(call, 0), loop_of(call, 1), loop_of(call, 2)];
    assert_eq!(sort.report(call, loops, &[]).lines, [36, 37, 38, 49]);
    assert_eq!(sort.report(loop_of(call, 1), Vec::new(), &[]).lines, [43, 44]);
    let Subject::Call { call: number } = call else { panic!() };
    let statement = Subject::Statement { call: number, at: 26 };
    assert_eq!(sort.report(statement, Vec::new(), &[]).lines, [44]);
    // A child that is a call runs code of its own.
    let all = sort.report(call, vec![sort.call("BottomUpMergeSort.merge#1")], &[]).lines;
    assert_eq!(all, [36, 37, 38, 39, 40, 41, 43, 44, 46, 49]);
}

#[test]
fn the_last_writes_of_what_came_out_are_listed() {
    let sort = ReportedRun::new("examples", "BottomUpMergeSort", true);
    let call = sort.call("BottomUpMergeSort.merge#3");
    let because = Some("BottomUpMergeSort.merge#3:a[2]".to_owned());
    let answer = Answer::Wrong { because, missing: None, expected: Some("[1, 4, 7, 9]".to_owned()) };
    let answers = [Judged { subject: call, answer, by: Author::Person, at: 0, took: None }];
    let found = sort.report(call, Vec::new(), &answers);
    assert_eq!(found.expected.as_deref(), Some("[1, 4, 7, 9]"));
    // The location that the answer names comes first.
    let origin = &found.origins[0];
    assert_eq!((origin.location.as_str(), origin.value.as_str()), ("int[]@1[2]", "9"));
    let writes: Vec<_> = origin.writes.iter().map(|write| (write.value.as_str(), write.line)).collect();
    assert_eq!(writes, [("9", Some(44)), ("7", Some(41)), ("1", Some(40)), ("1", Some(9))]);
    // The command is ready to be typed.
    let typed = origin.command.strip_prefix("inquest ").unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("\"$0\" {typed}")).arg(binary());
    let ran = run(&mut shell, None);
    assert!(ran.code == Some(0) && ran.stdout.lines().count() >= 4, "{ran:?}");
    let sum = ReportedRun::new("examples", "SumNumbers", true);
    let found = sum.report(sum.call("SumNumbers.sumNumbers#1"), Vec::new(), &[]);
    assert_eq!(found.origins[0].location, "SumNumbers.sumNumbers#1:total");
}

#[test]
fn there_is_a_report_without_sources_and_without_line_numbers() {
    let sum = ReportedRun::new("examples", "SumNumbers", false);
    let found = sum.report(sum.call("SumNumbers.sumNumbers#1"), Vec::new(), &[]);
    assert_eq!(found.lines, [11, 12, 13, 14, 17, 18, 20, 22]);
    assert!(found.code.iter().all(|line| line.text.is_empty()) && found.source.is_none());

    let bare = tempfile::tempdir_in(scratch()).unwrap();
    let mut javac = Command::new(jdk17().home.join("bin/javac"));
    javac.args(["-g:none", "-d"]).arg(bare.path()).arg(root().join("examples/SumNumbers.java"));
    assert_eq!(run(&mut javac, None).code, Some(0));
    let recorded = Recorded::new();
    let mut record = inquest(&["record", "-q", "-o"]);
    record.arg(recorded.path()).arg("--").arg(jdk17().java()).arg("-cp").arg(bare.path()).arg("SumNumbers");
    assert_eq!(run(&mut record, None).code, Some(0));
    let sum = ReportedRun::open(recorded, false);
    let call = sum.call("SumNumbers.sumNumbers#1");
    let found = sum.report(call, Vec::new(), &[]);
    assert!(found.bytecode && found.lines.len() > 5, "{:?}", found.lines);
    let text = |number: u32| &found.code.iter().find(|line| line.number == number).unwrap().text;
    assert!(found.lines.iter().any(|&number| text(number).contains("invoke")), "{:?}", found.code);
    assert!(found.code.iter().any(|line| !line.executed));
    let inner = sum.report(loop_of(call, 0), Vec::new(), &[]).lines;
    assert!(!inner.is_empty() && inner.len() < found.lines.len(), "{inner:?} of {:?}", found.lines);
}

#[test]
fn markdown_survives_the_programs_values() {
    let asked = ReportedRun::new("questions", "Asked", false);
    let call = asked.call("Asked.caught#1");
    let words = Some("`a` | b\n# no heading".to_owned());
    let answer = Answer::Wrong { because: None, missing: None, expected: words };
    let answers = [
        Judged { subject: call, answer, by: Author::Person, at: 0, took: None },
        Judged {
            subject: asked.call("Asked.fails#1"),
            answer: Answer::Correct,
            by: Author::Inferred,
            at: 1,
            took: None,
        },
    ];
    let text = markdown(&asked.report(call, Vec::new(), &answers));
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings[0], "# Defect in `Asked.caught`");
    assert_eq!(headings.len(), 5, "{headings:?}");
    // Every row of the table has three cells, whatever stands in them.
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 4, "{row}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("```")).count(), 2);
    assert!(
        text.contains("``Asked.caught([0, 0]) threw IllegalStateException: no `third`\\n| value``"),
        "{text}"
    );
}
