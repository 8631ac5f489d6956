//! The page's types and `docs/wire.md` are written from the types here. These tests say when they are stale, and how to
//! write them anew.

use std::fs;
use std::path::{Path, PathBuf};

use ts_rs::{Config, TS};

use crate::*;

macro_rules! types {
    ($($file:literal: $($ty:ident)*;)*) => {
        /// All types by the file that they are in, each as TypeScript says it.
        fn declared(config: &Config) -> Vec<(&'static str, &'static str, String)> {
            vec![$($(($file, stringify!($ty), declaration::<$ty>(config)),)*)*]
        }
    };
}

types! {
    "version": Version;
    "subject": Subject NamedSubject;
    "place": SourcePlace;
    "call": NamedValue LocationValue NamedCall CallEnd Call CallRow ShownCall Change OtherWrite WrittenText Read CallDetails;
    "question": Question Fact FactKind QuestionPart ChangedLocation AskedQuestion LikelyPlace AskReason AskKind
        AskableQuestion QuestionQuery;
    "answer": GivenAnswer Contradiction;
    "session": Session Recording Verdict Outcome AnswerRequest MoveRequest ChooseRequest ZoomRequest AskLine AnswerLine
        VerdictLine Previous Moved;
    "symptom": SymptomRow SymptomRequest RunReport FailureRow TestRun TestFailure;
    "report": Report MadeAt TrustedPart ReportLine PathNode ReportAnswer Origin OriginWrite;
    "summary": Summary TimedAnswer;
    "omission": Omissions Balloon Prevention PreventionKind Certainty Extent Writer OmissionsQuery;
    "tree": TreeRows TreeRow Caption CallCaption NodeStatus Near TreeMatch TreeFilter TreeQuery TreeRequest TreeAct;
    "state": LocationState StatePart StateRequest OpenedObject CallState StateRow StateRole StateMark StateSide SideState
        TextQuery TextPart ChangeQuery ChangedPart;
    "event": Event ChildCall EventRow EventMark EventRows Events EventsQuery EventRowsQuery AboutQuery StepQuery
        StepDirection Match CallMatch EventMatch MatchKind RecordedEvent;
    "history": Write SinkWrite WriteManner History HistoryQuery;
    "slice": Slice SliceRow SliceReason SliceCut SliceQuery;
    "source": Source Instruction LineRun SourceLines SourceLine SourceQuery LineQuery LineEvent;
    "timeline": Timeline TimelineThread TimelineMethod Flame Crowd TimelineMark TimelineCall MarkText TimelineQuery
        MarkQuery;
    "goto": GotoQuery GotoAnswer GotoPlace GotoKind;
    "recording": Stats Degraded Scope Jvm Verification Damage Unfinished Simulated;
    "failure": Refusal Waiting;
    "doctor": Doctor DoctorCheck;
    "packed": Packed;
}

/// `export type Name = …` with its documentation, a field on a line.
fn declaration<T: TS>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    short_comments(&format!("{docs}export {}\n", lines(&T::decl(config))))
}

/// A comment of one line on one line.
fn short_comments(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut at) = (String::new(), 0);
    while let Some(&line) = lines.get(at) {
        let one = match lines.get(at + 1..at + 3) {
            Some([words, end]) if line.trim() == "/**" && end.trim() == "*/" => {
                words.trim().strip_prefix("* ")
            }
            _ => None,
        };
        match one {
            Some(words) => {
                out.push_str(&format!("{} {words} */\n", line.trim_end()));
                at += 3;
            }
            None => {
                out.push_str(&format!("{line}\n"));
                at += 1;
            }
        }
    }
    out
}

/// Each field, with what is said about it, on lines of its own.
fn lines(declaration: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut quoted, mut comment) = (0usize, false, false);
    let characters: Vec<char> = declaration.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let pair = characters.get(at + 1).map(|&next| (c, next));
        match c {
            '/' if pair == Some(('/', '*')) => comment = true,
            '/' if at > 0 && characters[at - 1] == '*' => comment = false,
            '"' if !comment => quoted = !quoted,
            _ => {}
        }
        if quoted || comment {
            match c {
                '\n' => out.push_str(&format!("\n{}", "  ".repeat(depth))),
                c => out.push(c),
            }
            continue;
        }
        match c {
            '{' => {
                depth += 1;
                out.push_str(&format!("{{\n{}", "  ".repeat(depth)));
            }
            '}' => {
                depth -= 1;
                out.truncate(out.trim_end().len());
                out.push_str(&format!("\n{}}}", "  ".repeat(depth)));
            }
            ',' if depth > 0 => out.push_str(&format!(";\n{}", "  ".repeat(depth))),
            '\n' => out.push_str(&format!("\n{}", "  ".repeat(depth))),
            ' ' if out.ends_with(' ') || out.ends_with('\n') => {}
            c => out.push(c),
        }
    }
    let tidy = |line: &str| line.trim_end().to_owned();
    let lines: Vec<String> = out.lines().map(tidy).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn config() -> Config {
    // Numbers of calls and times are exact up to 2^53.
    Config::new().with_large_int("number")
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

const TYPES: &str = "ui/src/wire.ts";
const PAGE: &str = "docs/wire.md";
const BEGIN: &str = "<!-- written from crates/wire: not to be changed by hand -->\n";
const HINT: &str = "run `cargo test -p wire -- --ignored write` to write it anew";

fn types() -> String {
    let mut text = format!(
        "// Written from crates/wire (src/typescript.rs): not to be changed by hand.\n\n\
         import type {{ EventName, KindName, StrategyName, TransformName }} from \"./vocabulary\";\n\n\
         /** The version of these types. */\nexport const WIRE_VERSION = {VERSION};\n"
    );
    for (_, _, declaration) in declared(&config()) {
        text.push_str(&format!("\n{declaration}"));
    }
    text
}

/// The page up to where the types begin, and the types by concept.
fn page() -> String {
    let kept = fs::read_to_string(root(PAGE)).unwrap();
    let (own, _) = kept.split_once(BEGIN).expect("the page has a place for the types");
    let mut text = format!("{own}{BEGIN}");
    let mut before = "";
    for (file, _, declaration) in declared(&config()) {
        if file != before {
            let end = if before.is_empty() { "" } else { "```\n" };
            text.push_str(&format!("{end}\n### {file}\n{}\n```ts\n", about(file)));
        } else {
            text.push('\n');
        }
        before = file;
        text.push_str(&declaration.replace("export type", "type"));
    }
    text + "```\n"
}

/// What a file says of itself.
fn about(file: &str) -> String {
    let source = fs::read_to_string(root(&format!("crates/wire/src/{file}.rs"))).unwrap();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_has_the_types_of_its_server() {
    assert!(fs::read_to_string(root(TYPES)).unwrap() == types(), "{TYPES} is stale: {HINT}");
}

#[test]
fn the_document_has_every_type_and_every_field() {
    assert!(fs::read_to_string(root(PAGE)).unwrap() == page(), "{PAGE} is stale: {HINT}");
}

#[test]
#[ignore = "writes the page's types and the document; only after a change of a type"]
fn write_the_types() {
    fs::write(root(TYPES), types()).unwrap();
    fs::write(root(PAGE), page()).unwrap();
}

#[test]
fn no_type_is_left_out() {
    let listed = declared(&config());
    let mut found = 0;
    for entry in fs::read_dir(root("crates/wire/src")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        for part in source.split("derive(ts_rs::TS)").skip(1).filter(|_| file != "typescript") {
            let name = part.split_once("pub ").unwrap().1.split_whitespace().nth(1).unwrap();
            let name = name.trim_end_matches(';');
            assert!(listed.iter().any(|one| one.0 == file && one.1 == name), "{file}.rs: {name}");
            found += 1;
        }
    }
    assert_eq!(found, listed.len());
}

/// `call` is a name and `number` the number of a call, wherever they stand.
#[test]
fn a_call_is_a_name_and_a_number_is_a_call() {
    for (_, name, declaration) in declared(&config()) {
        for line in declaration.lines().map(str::trim) {
            if let Some(ty) = line.strip_prefix("call: ") {
                assert!(ty.starts_with("string") || ty.starts_with('{'), "{name}: {line}");
            }
            if let Some(ty) = line.strip_prefix("number: ") {
                assert!(ty.starts_with("number"), "{name}: {line}");
            }
        }
    }
}
