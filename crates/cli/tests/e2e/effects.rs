//! Programs say themselves what each of their calls wrote into a builder, a writer or a stream; `inquest show` must say
//! the same, or that it does not know.

use serde_json::Value;

use crate::debuggee::{Jdk, Openable, Program, Recorded, check_all, inquest, jdks, run};
use crate::oracles::compiled;

/// Cases that may be unknown, and why. Whatever else is unknown is a fault.
const UNKNOWN: [(&str, &str); 19] = [
    ("b32", "what a list prints as"),
    ("b33", "what a list prints as"),
    ("b34", "what a map prints as"),
    ("b36", "what an exception prints as"),
    ("b37", "what a number of java.math prints as"),
    ("b38", "what a date prints as"),
    ("b39", "a library calls the method reference"),
    ("b47", "what a joiner prints as"),
    ("b48", "what an Optional prints as"),
    ("c19", "an exception came in between"),
    ("c23", "a matcher writes into it"),
    ("d04", "a matcher writes into it"),
    ("e08", "the buffer of a writer, whose content is the writer's"),
    ("e11", "a stack trace"),
    ("h04", "the locale is not recorded"),
    ("h05", "the locale is not recorded"),
    ("h11", "the locale is not recorded"),
    ("k05", "what writeTo hands on"),
    ("k07", "what transferTo hands on"),
];

#[test]
fn what_a_call_wrote_is_what_the_program_says_that_it_wrote() {
    check_all(&jdks(), check);
}

fn check(jdk: &Jdk) -> Option<String> {
    let (ran, recorded) = Program::new("effects", &["Effects"]).record(jdk, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (mut faults, mut unknown, mut cases) = (Vec::new(), Vec::new(), 0);
    for line in ran.stdout.lines().filter_map(|line| line.strip_prefix("TRUTH ")) {
        cases += 1;
        let [name, kind, before, after] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (before, after) = (unhexed(before), unhexed(after));
        let shown = show(&recorded, &format!("Effects.{name}#1"));
        match judge(&shown, kind, &before, &after) {
            Judged::Right => {}
            Judged::Unknown => unknown.push(name.to_owned()),
            Judged::Wrong(why) => faults.push(format!("JDK {}: {line}: {why}", jdk.version)),
        }
    }
    assert!(cases > 100, "{cases} cases");
    println!("CASES|effects|{}|{cases}|{}|0|{}", jdk.version, unknown.len(), faults.len());
    for name in &unknown {
        let why = UNKNOWN.iter().find(|row| row.0 == name).map_or("", |row| row.1);
        println!("UNKNOWN|effect {name} on JDK {}: {why}", jdk.version);
    }
    let allowed: Vec<&str> = UNKNOWN.iter().map(|row| row.0).collect();
    for name in &unknown {
        if !allowed.contains(&name.as_str()) {
            faults.push(format!("JDK {}: {name} is unknown", jdk.version));
        }
    }
    (!faults.is_empty()).then(|| faults.join("\n"))
}

fn show(recorded: &Recorded, call: &str) -> Value {
    let ran = run(inquest(&["show", "--json"]).arg(recorded.path()).arg(call), None);
    assert_eq!(ran.code, Some(0), "{call}: {ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Cases of reading that may be unknown, and why.
const UNREAD: [(&str, &str); 6] = [
    ("r14", "what is in a buffer is not recorded"),
    ("r15", "what is in a buffer is not recorded"),
    ("r22", "elements behind the first of a long array are not looked at"),
    ("r23", "elements behind the first of a long array are not looked at"),
    ("s12", "what is in a buffer is not recorded"),
    ("r09", "how much was skipped is read too"),
];

/// What a call took from a reader, a stream or a buffer, however often the same array is read into.
#[test]
fn what_a_call_read_is_what_the_program_says_that_it_read() {
    check_all(&jdks(), check_reads);
}

fn check_reads(jdk: &Jdk) -> Option<String> {
    let (ran, recorded) = Program::new("effects", &["Reads"]).record(jdk, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (mut faults, mut unknown, mut cases) = (Vec::new(), Vec::new(), 0);
    for line in ran.stdout.lines().filter_map(|line| line.strip_prefix("TRUTH ")) {
        cases += 1;
        let (name, text) = line.split_once('|').unwrap();
        let shown = show(&recorded, &format!("Reads.{name}#1"));
        match judge_reads(&shown, &unhexed(text)) {
            Judged::Right => {}
            Judged::Unknown => unknown.push(name.to_owned()),
            Judged::Wrong(why) => faults.push(format!("JDK {}: {name}: {why}", jdk.version)),
        }
    }
    assert!(cases > 40, "{cases} cases");
    println!("CASES|reads|{}|{cases}|{}|0|{}", jdk.version, unknown.len(), faults.len());
    for name in &unknown {
        match UNREAD.iter().find(|row| row.0 == name) {
            Some((_, why)) => println!("UNKNOWN|read {name} on JDK {}: {why}", jdk.version),
            None => faults.push(format!("JDK {}: {name} is unknown", jdk.version)),
        }
    }
    (!faults.is_empty()).then(|| faults.join("\n"))
}

/// Compares what a call is said to have read with what it read. Of what is known in part, the known must be right.
fn judge_reads(shown: &Value, truth: &[u16]) -> Judged {
    let taken: Vec<&Value> =
        shown["reads"].as_array().unwrap().iter().filter(|read| !read["from"].is_null()).collect();
    let told = || Judged::Wrong(serde_json::to_string(&taken).unwrap());
    let mut read: Vec<u16> = Vec::new();
    for one in &taken {
        match (&one["text"], &one["bytes"], one["value"].as_str().and_then(literal_of_value)) {
            (Value::String(text), ..) => read.extend(text.encode_utf16()),
            (_, Value::Array(bytes), _) => {
                read.extend(bytes.iter().map(|byte| byte.as_u64().unwrap() as u16));
            }
            (.., Some(line)) => read.extend(line),
            _ => return if truth.starts_with(&read) { Judged::Unknown } else { told() },
        }
    }
    if read == truth { Judged::Right } else { told() }
}

/// A value that is a text.
fn literal_of_value(value: &str) -> Option<Vec<u16>> {
    let is_whole = value.starts_with('"') && value.ends_with('"') && value.len() > 1;
    is_whole.then(|| literal(&value.into())).flatten()
}

enum Judged {
    Right,
    Unknown,
    Wrong(String),
}

/// Compares what is shown of a call with what the thing it was given held before and after.
fn judge(shown: &Value, kind: &str, before: &[u16], after: &[u16]) -> Judged {
    let changes: Vec<&Value> =
        shown["changes"].as_array().unwrap().iter().filter(|change| !change["wrote"].is_null()).collect();
    let told = || serde_json::to_string(&changes).unwrap();
    if changes.iter().any(|change| change["wrote"]["exact"] != true) {
        return Judged::Unknown;
    }
    // What a wrapper or a method of the program's own wrote below another is told by itself.
    let own: Vec<&&Value> = changes.iter().filter(|change| change["wrote"]["through"] != true).collect();
    if let [change] = own[..]
        && !change["before"].is_null()
    {
        let held = (literal(&change["before"]), literal(&change["after"]));
        let right = held == (Some(before.to_vec()), Some(after.to_vec()));
        return if right { Judged::Right } else { Judged::Wrong(told()) };
    }
    let mut written: Vec<u16> = Vec::new();
    for change in &own {
        match (&change["wrote"]["text"], &change["wrote"]["bytes"]) {
            (Value::String(text), _) => written.extend(text.encode_utf16()),
            (_, Value::Array(bytes)) if kind == "bytes" => {
                written.extend(bytes.iter().map(|byte| byte.as_u64().unwrap() as u16));
            }
            // A lone surrogate is told escaped.
            _ => match change["wrote"]["told"].as_str().and_then(|told| told.split_once(' ')) {
                Some((_, text)) if text.starts_with('"') => match literal(&text.into()) {
                    Some(units) => written.extend(units),
                    None => return Judged::Wrong(told()),
                },
                _ => return Judged::Wrong(told()),
            },
        }
    }
    match [before, &written].concat() == after {
        true => Judged::Right,
        false => Judged::Wrong(told()),
    }
}

/// The text that a literal of Java stands for.
fn literal(value: &Value) -> Option<Vec<u16>> {
    let text = value.as_str()?;
    let text = text.strip_prefix("bytes ").unwrap_or(text);
    if !text.starts_with('"') {
        return text.split(' ').map(|byte| u16::from_str_radix(byte, 16).ok()).collect();
    }
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut units = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let one = match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '0' => '\0',
                'u' => {
                    let code: String = letters.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&code, 16).ok()?);
                    continue;
                }
                other => other,
            },
            letter => letter,
        };
        units.extend_from_slice(one.encode_utf16(&mut [0; 2]));
    }
    Some(units)
}

fn unhexed(text: &str) -> Vec<u16> {
    let digits = text.as_bytes().chunks(4);
    digits.map(|four| u16::from_str_radix(std::str::from_utf8(four).unwrap(), 16).unwrap()).collect()
}

/// What a call does is seen only in what it prints: who compares must look at that.
#[test]
fn a_good_version_tells_who_printed_wrong() {
    for jdk in jdks() {
        let recording = |version: &str| {
            let recorded = Recorded::new();
            let classes = compiled("printed", version, &[version], std::path::Path::new(""));
            let mut command = inquest(&["record", "-q", "-o"]);
            command.arg(recorded.path()).arg("--").arg(jdk.java()).arg("-cp").arg(classes).arg("Shown");
            let ran = run(&mut command, None);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            recorded
        };
        let (good, buggy) = (recording("good"), recording("buggy"));
        let mut command = inquest(&["ask", "--json", "--answers", "/dev/null", "--oracle"]);
        command.arg(format!("reference:{}", good.path().display())).arg(buggy.path());
        let ran = run(&mut command, None);
        let lines: Vec<Value> =
            ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let verdict = lines.last().unwrap_or_else(|| panic!("{ran:?}"));
        assert_eq!(verdict["verdict"], "buggy", "{ran:?}");
        assert_eq!(verdict["method"], "Shown.show", "{ran:?}");
    }
}

/// The history of a builder and of `System.out`, with what they held.
#[test]
fn what_was_written_has_a_history() {
    let jdk = &jdks()[0];
    let (_, recorded) = Program::new("effects", &["Effects"]).record(jdk, &[]);
    let past = recorded.past();
    let history = |location: &str| -> Vec<Value> {
        let ran = run(inquest(&["history", "--json"]).arg(recorded.path()).arg(location), None);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let call = past.call(past.find_call("Effects.b19#1").unwrap()).unwrap();
    let name = past.text(call.args[0].value, "", call.entry);
    let past::Value::Object(object) = call.args[0].value else { panic!("{name}") };
    let told: Vec<(String, String)> = history(&past.object_name(object))
        .iter()
        .map(|entry| (entry["value"].as_str().unwrap().to_owned(), entry["content"].to_string()))
        .collect();
    assert_eq!(told[0], ("appended \"3\"".to_owned(), "\"\\\"old.3\\\"\"".to_owned()), "{told:?}");
    assert_eq!(told.len(), 8, "{told:?}");
    assert!(told[7].1.contains("old.3210))))"), "{told:?}");
    let printed = history("System.out");
    assert!(printed.iter().any(|entry| entry["call"] == "Effects.j01#1" && entry["text"] == "first\n"));
}
