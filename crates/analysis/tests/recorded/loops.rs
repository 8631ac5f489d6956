//! The loops and statements that a call executed, against what `fixtures/loops` was written to do.

use analysis::{LoopEnd, LoopRun, Role};
use past::{CallId, KnownValue, Location, Past, RenderLimits, Time, Value};
use testkit::{Program, check_all, jdk17, jdks};

/// Each call with its loop runs: how often the body ran, how it ended, in which iteration of which run it began, and
/// what became of variables.
const EXPECTED: [(&str, &str); 23] = [
    ("counted#1", "3 Normal i:0>3"),
    ("counted#2", "0 Normal"),
    ("conditions#1", "2 Normal a:0>2"),
    ("either#1", "4 Normal a:0>4"),
    ("doWhile#1", "3 Normal i:0>3"),
    ("nested#1", "2 Normal i:0>2 | 3 Normal in 0.0 j:0>3 | 3 Normal in 0.1 j:0>3"),
    ("continued#1", "5 Normal i:0>5"),
    ("labelledBreak#1", "2 Break i:0>1 | 3 Normal in 0.0 j:0>3 | 2 Break in 0.1 j:0>1"),
    (
        "labelledContinue#1",
        "3 Normal i:0>3 | 2 Break in 0.0 j:0>1 | 2 Break in 0.1 j:0>1 | 2 Break in 0.2 j:0>1",
    ),
    ("breaks#1", "3 Break i:0>2"),
    ("returns#1", "3 Return i:0>2"),
    ("returnsLast#1", "2 Return"),
    ("throwsOut#1", "3 Throw i:0>2"),
    ("catchesInside#1", "3 Normal i:0>3"),
    ("empty#1", "4 Normal i:0>5"),
    ("endless#1", "4 Break i:0>3"),
    ("leavesByHand#1", "3 Return i:0>3"),
    ("calls#1", "3 Normal i:0>3"),
    ("sequence#1", "2 Normal i:0>2 | 3 Normal i:0>3"),
    ("whileIf#1", "3 Normal i:0>3"),
    ("emptyBody#1", "3 Normal i:0>3"),
    ("doWhileContinue#1", "4 Normal i:0>4"),
    ("note#1", ""),
];

#[test]
fn loops_run_as_often_as_their_bodies_and_end_as_they_were_left() {
    check_all(&jdks(), |jdk| {
        let past = crate::past(&Program::new("loops", &["Loops"]), jdk);
        for (name, expected) in EXPECTED {
            let call = call(&past, &format!("Loops.{name}"));
            let loops = analysis::loops(&past, call).unwrap();
            let found: Vec<String> = loops.runs.iter().map(text).collect();
            if found.join(" | ") != expected || !loops.complete {
                return Some(format!("{name}: {} instead of {expected}", found.join(" | ")));
            }
            for run in &loops.runs {
                let ordered = run.starts.windows(2).all(|pair| pair[0] < pair[1]);
                let within = run.starts.iter().all(|start| (run.first..=run.last).contains(start));
                if !ordered || !within || run.starts.len() as u64 != run.count {
                    return Some(format!("{name}: iterations of {run:?}"));
                }
            }
        }
        None
    });
}

#[test]
fn a_loop_that_the_end_of_the_run_found_running_is_unfinished() {
    let jdk = jdk17();
    let past = crate::past(&Program::new("loops", &["Loops", "stuck"]), &jdk);
    let runs = analysis::loops(&past, call(&past, "Loops.stuck#1")).unwrap().runs;
    let ends: Vec<LoopEnd> = runs.iter().map(|run| run.end).collect();
    assert_eq!(ends, [LoopEnd::Unfinished, LoopEnd::Normal, LoopEnd::Unfinished]);
    assert!(runs[0].count == 2 && runs[1].count == 0 && runs[2].count > 1, "{:?}", runs[2].count);
    let past = crate::past(&Program::new("loops", &["Loops", "silent"]), &jdk);
    let runs = analysis::loops(&past, call(&past, "Loops.silent#1")).unwrap().runs;
    assert_eq!(runs.iter().map(text).collect::<Vec<_>>(), ["1 Unfinished"]);
}

#[test]
fn statements_tell_what_was_assigned_which_way_conditions_went_and_what_was_called() {
    let past = crate::past(&Program::new("loops", &["Loops"]), &jdk17());
    let expected = [
        (
            "breaks#1",
            "i=0 if(true) if(false) Loops.sink=19 i=1 if(true) if(false) Loops.sink=20 i=2 if(true) if(true) Loops.note#1 return",
        ),
        ("doWhile#1", "i=0 i=1 if(true) i=2 if(true) i=3 if(false) return"),
        (
            "either#1",
            "a=0 if(true) a=1 if(true) a=2 if(false) if(true) a=3 if(false) if(true) a=4 if(false) if(false) return",
        ),
        ("fail#1", "throw"),
        ("returnsLast#1", "if(true) one=\"a\" if(false) if(true) one=\"b\" if(true) return"),
        ("note#1", "return 2"),
    ];
    for (name, expected) in expected {
        let statements = analysis::statements(&past, call(&past, &format!("Loops.{name}")), 1000).unwrap();
        let found: Vec<String> = statements.list.iter().map(|one| role_text(&past, &one.role)).collect();
        assert_eq!(found.join(" "), expected, "{name}");
        assert!(statements.complete);
        assert!(statements.list.windows(2).all(|pair| pair[0].last < pair[1].first));
    }
    let cut = analysis::statements(&past, call(&past, "Loops.breaks#1"), 3).unwrap();
    assert_eq!((cut.list.len(), cut.complete), (3, false));
}

#[test]
fn a_variable_of_its_own_has_no_value_before_it_is_declared() {
    let past = crate::past(&Program::new("loops", &["Loops"]), &jdk17());
    // Both loops have an `i`, in the same slot.
    let list = analysis::statements(&past, call(&past, "Loops.sequence#1"), 1000).unwrap().list;
    let before = list.iter().filter_map(|one| match &one.role {
        Role::Assign { location: Location::Local { .. }, before, after, .. } => Some((*before, *after)),
        _ => None,
    });
    let int = |value| KnownValue::Value(Value::Int(value));
    let expected = [
        (KnownValue::Unknown, Value::Int(0)),
        (int(0), Value::Int(1)),
        (int(1), Value::Int(2)),
        (KnownValue::Unknown, Value::Int(0)),
    ];
    assert_eq!(before.take(4).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_not_recorded_is_an_error_and_no_empty_answer() {
    let past = crate::past(&Program::new("loops", &["Loops"]).with_options(&["--detail", "calls"]), &jdk17());
    let error = analysis::loops(&past, call(&past, "Loops.counted#1")).unwrap_err();
    assert!(matches!(error, analysis::Error::NoBranches(_)), "{error}");
}

fn call(past: &Past, name: &str) -> CallId {
    past.find_call(name).unwrap()
}

fn text(run: &LoopRun) -> String {
    let within =
        run.within.map_or(String::new(), |within| format!(" in {}.{}", within.run, within.iteration));
    let value = |value: Option<Value>| match value {
        Some(Value::Int(value)) => value.to_string(),
        value => format!("{value:?}"),
    };
    let changed = run.changed.iter();
    let changed = changed.map(|one| format!(" {}:{}>{}", one.name, value(one.before), value(one.after)));
    format!("{} {:?}{within}{}", run.count, run.end, changed.collect::<String>())
}

fn role_text(past: &Past, role: &Role) -> String {
    match role {
        Role::Assign { location: Location::Local { name, .. }, after: Value::Int(after), .. } => {
            format!("{name}={after}")
        }
        Role::Assign { location: Location::Local { name, .. }, after, .. } => {
            format!(
                "{name}={}",
                past.known_text(KnownValue::Value(*after), "", Time(0), &RenderLimits::default())
            )
        }
        Role::Assign { location, after: Value::Int(after), .. } => {
            format!("{}={after}", past.location_name(location))
        }
        Role::Condition { holds, .. } => format!("if({holds})"),
        Role::Call { call } => past.call_name(*call),
        Role::Return { value: Some(Value::Int(value)) } => format!("return {value}"),
        Role::Return { .. } => "return".to_owned(),
        Role::Throw { .. } => "throw".to_owned(),
        role => format!("{role:?}"),
    }
}
