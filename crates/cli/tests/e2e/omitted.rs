//! What the omission finder says of programs that were written to miss something: exactly the balloons that stand here,
//! in this order.

use std::collections::HashMap;

use analysis::executed::Executed;
use analysis::observed::points_to;
use analysis::omissions::{
    Certainty, Omission, OmissionExtent, OmissionOptions, OmissionSubject, Omissions, Operation, omissions,
};
use index::Evidence;
use past::{KnownValue, Location, Past, Time, Value};
use pointsto::{CodePoint, Solution};

use crate::debuggee::{Openable, Program, jdk17, root};

/// A recorded program with what is known of it.
struct Run {
    past: Past,
    solution: Solution,
    executed: Executed,
    source: Vec<String>,
}

impl Run {
    fn of(group: &str, folder: &str, words: &[&str]) -> Run {
        let (_, recorded) = Program::new(group, words).record(&jdk17(), &[]);
        let past = recorded.past();
        let solution = points_to(&past, &past.shelf(), &mut |_| {}).unwrap();
        let executed = Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap();
        let source = std::fs::read_to_string(root().join(folder).join(format!("{}.java", words[0]))).unwrap();
        let source = source.lines().map(|line| line.trim().to_owned()).collect();
        Run { past, solution, executed, source }
    }

    fn ask(&self, subject: &OmissionSubject, options: &OmissionOptions) -> Omissions {
        omissions(&self.past, &self.solution, &self.executed, subject, options).unwrap()
    }

    /// The object that a location holds in the end.
    fn object(&self, location: &str) -> OmissionSubject {
        let location = self.past.find_location(location, None).unwrap();
        match self.past.value_at(&location, self.past.last_time().unwrap()) {
            KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => {
                OmissionSubject::Object(object)
            }
            other => panic!("{location:?} holds {other:?}"),
        }
    }

    fn location(&self, location: &str) -> OmissionSubject {
        OmissionSubject::Location(self.past.find_location(location, None).unwrap())
    }

    fn line(&self, line: Option<u16>) -> &str {
        line.map_or("?", |line| &self.source[usize::from(line) - 1])
    }

    /// Where something was decided, how often, through which methods, and the line that was not executed.
    fn text(&self, one: &Omission) -> String {
        let at = self.past.recording().line_of(one.at);
        let chain: String = one
            .chain
            .iter()
            .map(|step| format!("{}{} > ", if step.back { "library > " } else { "" }, step.to.name))
            .collect();
        let operation = match &one.operation {
            Operation::Call { method, .. } => method.name.clone(),
            Operation::Put { field } => format!("put {field}"),
            Operation::Store => "store".to_owned(),
            Operation::Read => "read".to_owned(),
        };
        let certain = if one.certainty == Certainty::Certain { "" } else { ", possibly" };
        let partial = if one.extent == OmissionExtent::Partial { ", partly" } else { "" };
        let instead = if one.instead { ", instead" } else { "" };
        let count = one.count.map_or("?".to_owned(), |count| count.to_string());
        assert_eq!(one.count, Some(one.events.len() as u64), "{one:?}");
        assert!(one.events.is_sorted_by_key(|&(_, time)| time), "{one:?}");
        format!(
            "{:?} x{count} `{}`: {chain}{operation} `{}`{certain}{partial}{instead}",
            one.kind,
            self.line(at),
            self.line(self.line_of(&one.place)),
        )
    }

    /// A class that was not loaded has no lines in the recording.
    fn line_of(&self, place: &CodePoint) -> Option<u16> {
        let program = self.past.recording().program();
        let class = program.classes().iter().find(|class| class.name == place.method.class)?;
        let mut methods = program.model(class)?.methods.iter();
        let method = methods.find(|method| {
            method.name == place.method.name && method.descriptor == place.method.descriptor
        })?;
        method.line(place.bci)
    }

    fn texts(&self, subject: &OmissionSubject) -> Vec<String> {
        let answer = self.ask(subject, &OmissionOptions::default());
        answer.list.iter().map(|one| self.text(one)).collect()
    }
}

#[test]
fn a_list_that_stayed_empty_leads_to_the_branch_that_kept_it_so() {
    let run = Run::of("examples", "examples", &["FileLister"]);
    let expected = ["Branch x1 `if (active) {`: addItem > add `target.add(name);`"];
    assert_eq!(run.texts(&run.object("FileLister@1.names")), expected);
    let expected = ["LoopEnd x1 `for (int i = 0; i < given.length; i++) {`: add `args.add(given[i]);`"];
    assert_eq!(run.texts(&run.object("FileLister@1.args")), expected);
    let answer = run.ask(&run.object("FileLister@1.names"), &OmissionOptions::default());
    assert_eq!((answer.history.writes, answer.partial.len(), answer.unchangeable), (0, 0, None));
    assert!(answer.reads > 0, "printing it reads it");
    let call = run.past.find_call("FileLister.run#1").unwrap();
    assert_eq!(answer.list[0].events[0].0, call);
    // Nothing after the time that is asked about, and nothing before the object was there.
    let early =
        OmissionOptions { at: Some(Time(answer.list[0].events[0].1.0 - 1)), ..OmissionOptions::default() };
    assert_eq!(run.ask(&run.object("FileLister@1.names"), &early).list, []);
}

#[test]
fn a_loop_that_ran_less_often_than_it_might_have_is_a_partial_omission() {
    let run = Run::of("examples", "examples", &["FileLister", "a", "b"]);
    let expected =
        ["LoopEnd x1 `for (int i = 0; i < given.length; i++) {`: add `args.add(given[i]);`, partly"];
    assert_eq!(run.texts(&run.object("FileLister@1.args")), expected);
    let expected = ["Branch x1 `if (active) {`: addItem > add `target.add(name);`"];
    assert_eq!(run.texts(&run.object("FileLister@1.names")), expected);
    let answer = run.ask(&run.object("FileLister@1.args"), &OmissionOptions::default());
    assert!(answer.history.writes >= 2, "{:?}", answer.history);
    assert_eq!(answer.history.writers[0].0, "FileLister.setArgs");
}

#[test]
fn of_four_jumps_in_a_loop_two_are_dominant_with_two_events_each() {
    let run = Run::of("examples", "examples", &["LoopOmission"]);
    let expected = [
        "Branch x2 `if (first) {`: addFirst > add `seen.add(\"first\");`",
        "Branch x2 `} else if (second) {`: addSecond > add `seen.add(\"second\");`",
    ];
    let list = OmissionSubject::Object(run.past.find_object("ArrayList@1").unwrap());
    let mut found = run.texts(&list);
    found.sort();
    assert_eq!(found, expected);
    // The algorithm of the paper says the same here, only not for sure.
    let naive = run.ask(&list, &OmissionOptions { values: false, ..OmissionOptions::default() });
    let mut found: Vec<String> = naive.list.iter().map(|one| run.text(one)).collect();
    found.sort();
    assert_eq!(found, expected.map(|text| format!("{text}, possibly")));
}

#[test]
fn what_was_not_copied_is_blamed_on_the_loop_that_ended_early() {
    let run = Run::of("omission", "fixtures/omission", &["MergeSortUncopied"]);
    let array = OmissionSubject::Object(run.past.find_object("int[]@1").unwrap());
    let (left, right) = ("if (left[l] < right[r]) a[out++] = left[l++];", "else a[out++] = right[r++];");
    let ended = "LoopEnd x1 `while (l < to && r < to) {`: store";
    let expected = [
        format!("{ended} `{left}`, partly"),
        format!("{ended} `{right}`, partly"),
        format!("{} `{left}`, partly", ended.replace("x1", "x2")),
        format!("Branch x2 `{left}`: store `{right}`, instead"),
    ];
    assert_eq!(run.texts(&array), expected);
    let element = run.location("int[]@1[3]");
    assert_eq!(run.texts(&element), expected);
}

/// By case, which is the static field that holds the object or is the location.
const MISSED: [(&str, &[&str]); 19] = [
    (
        "switched",
        &[
            "Switch x1 `switch (kind) {`: add `switched.add(\"one\");`",
            "Switch x1 `switch (kind) {`: add `switched.add(\"two\");`",
        ],
    ),
    ("returned", &["Return x1 `if (n < 0) {`: add `out.add(\"n\");`"]),
    ("thrown", &["Throw x1 `int n = Integer.parseInt(text);`: add `out.add(\"n\" + n);`"]),
    ("checked", &["Throw x1 `if (n < 0) {`: add `out.add(\"n\");`"]),
    ("dispatched", &["Dispatch x1 `shape.draw(out);`: draw > add `?`"]),
    (
        "calledBack",
        &["Branch x1 `if (on) {`: library > lambda$byCallback$0 > add `in.forEach(text -> out.add(text));`"],
    ),
    (
        "uncalled",
        &["Uncalled x1 `in.forEach(text -> out.add(text + \"!\"));`: library > lambda$byNothing$1 > add \
             `in.forEach(text -> out.add(text + \"!\"));`"],
    ),
    ("referred", &["Branch x1 `if (on) {`: add `in.forEach(out::add);`"]),
    ("filled", &[]),
    ("unfilled", &["Branch x1 `if (on) {`: add `out.add(\"x\");`"]),
    ("through", &["Branch x1 `if (on) {`: add `holder.items().add(\"x\");`"]),
    ("aliased", &["Branch x1 `if (on) {`: add `alias.add(\"x\");`"]),
    ("replaced", &[]),
    (
        "sometimes",
        &[
            "LoopEnd x1 `for (int i = 0; i < n; i++) {`: add `out.add(\"even\");`, partly",
            "Branch x2 `if (i % 2 == 0) {`: add `out.add(\"even\");`, partly",
        ],
    ),
    ("early", &[]),
    ("complete", &[]),
    ("chained", &["Branch x1 `if (n > 1) {`: two > three > add `out.add(text);`"]),
    ("parts", &["Branch x1 `if (on) {`: store `out[0] = \"c\";`"]),
    ("account", &["Branch x1 `if (by > 100) {`: put limit `limit = by;`"]),
];

#[test]
fn every_way_to_miss_something_has_its_balloon() {
    let run = Run::of("omission", "fixtures/omission", &["Missed"]);
    let found: HashMap<&str, Vec<String>> =
        MISSED.iter().map(|&(case, _)| (case, run.texts(&run.object(&format!("Missed.{case}"))))).collect();
    for (case, expected) in MISSED {
        assert_eq!(found[case], expected, "{case}");
    }
    let expected = ["Branch x1 `if (fast) {`: put mode `mode = \"fast\";`"];
    assert_eq!(run.texts(&run.location("Missed.mode")), expected);
    let expected = ["Branch x1 `if (by > 100) {`: put limit `limit = by;`"];
    assert_eq!(run.texts(&run.location("Missed.account.limit")), expected);
    assert_eq!(run.texts(&run.location("Missed.account.used")), [""; 0]);
}

#[test]
fn what_is_not_known_and_what_cannot_be_missed_is_said() {
    let run = Run::of("omission", "fixtures/omission", &["Missed"]);
    let complete = run.ask(&run.object("Missed.complete"), &OmissionOptions::default());
    assert_eq!(complete.list, []);
    assert_eq!(complete.history.writers[0].0, "Missed.main");
    let parts = run.ask(&run.object("Missed.parts"), &OmissionOptions::default());
    assert_eq!(parts.partial.len(), 1, "made by a library: {:?}", parts.partial);
    let fixed = OmissionSubject::Object(run.past.find_object("ImmutableCollections$ListN@1").unwrap());
    let fixed = run.ask(&fixed, &OmissionOptions::default());
    assert!(fixed.unchangeable.is_some() && fixed.list.is_empty());
    let nobody = OmissionSubject::Object(past::ObjectId(0x00ff_fff0));
    let error =
        omissions(&run.past, &run.solution, &run.executed, &nobody, &OmissionOptions::default()).unwrap_err();
    assert!(matches!(error, analysis::Error::NoSuchObject), "{error}");
    let variable =
        Location::Local { call: run.past.find_call("Missed.main#1").unwrap(), name: "args".into() };
    let variable = OmissionSubject::Location(variable);
    assert!(
        omissions(&run.past, &run.solution, &run.executed, &variable, &OmissionOptions::default()).is_err()
    );
}

#[test]
fn without_values_everything_is_possible_that_the_code_allows() {
    let run = Run::of("omission", "fixtures/omission", &["Missed"]);
    let naive = OmissionOptions { values: false, ..OmissionOptions::default() };
    let texts = |case: &str| {
        let answer = run.ask(&run.object(&format!("Missed.{case}")), &naive);
        answer.list.iter().map(|one| run.text(one)).collect::<Vec<_>>()
    };
    let expected = ["Branch x1 `if (on) {`: add `out.add(\"x\");`, possibly"];
    assert_eq!(texts("filled"), expected);
    assert_eq!(texts("unfilled"), expected);
}
