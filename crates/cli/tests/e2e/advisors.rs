//! Programs as oracles: `--oracle command:CMD` with one that knows the truth, one that is not sure, and many that do whatever a
//! program can do wrong. The dialogue goes on, who said what is told, and nobody is blamed by the word of who is not sure.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::debuggee::{Recorded, inquest, jdk17, run};
use crate::traps::{Project, java, knowing, play, record, with_jar};

/// Answers by the names of the methods that are wrong, as sure as it says; keeps what it was asked.
const KNOWS: &str = r##"
import json, sys
wrong, sure = sys.argv[1].split(","), sys.argv[2]
for line in sys.stdin:
    with open(sys.argv[3], "a") as asked:
        asked.write(line)
    method = json.loads(line)["question"]["call"].split("#")[0]
    said = {"answer": "n" if method in wrong else "y", "why": "by the list"}
    if sure:
        said["reliability"] = float(sure)
    print(json.dumps(said), flush=True)
"##;

/// A shop with a defect in `Rates.percent`, seen in `Main.price`.
fn shop() -> (Project, Recorded) {
    let (project, jar) = with_jar("lib/target/rates-1.0.jar");
    let pom = crate::debuggee::root().join("fixtures/traps/sibling/lib/pom.xml");
    fs::copy(pom, project.path("lib/pom.xml")).unwrap();
    let recorded = record(&[], &java(&jdk17(), &[&project.classes(), &jar], &["shop.Main"]));
    (project, recorded)
}

const WRONG: &str = "Main.price,Rates.percent";

/// The oracle that says these methods are wrong; what it was asked is in the file `asked` of the project.
fn knows(project: &Project, wrong: &str, sure: &str) -> String {
    let (script, asked) = (project.path("knows.py"), project.path("asked"));
    fs::write(&script, KNOWS).unwrap();
    let _ = fs::remove_file(&asked);
    format!("command:python3 {} '{wrong}' '{sure}' {}", script.display(), asked.display())
}

fn asked(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.path("asked")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_program_that_is_sure_finds_the_defect_alone_and_is_named_everywhere() {
    let (project, recorded) = shop();
    let oracle = knows(&project, WRONG, "1");
    let report = project.path("report.md");
    let mut command = inquest(&["ask", "--fresh", "--json", "--answers", "/dev/null", "--oracle", &oracle]);
    let ran = run(command.arg("--report").arg(&report).arg(recorded.path()), None);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered: Vec<&Value> = lines.iter().filter(|line| line["question"].is_object()).collect();
    let verdict = lines.iter().find(|line| line["verdict"].is_string()).unwrap();
    assert_eq!((&verdict["verdict"], &verdict["method"]), (&"buggy".into(), &"Rates.percent".into()));
    assert_eq!(verdict["questions"], 0, "nothing was asked of the person");
    for line in &answered {
        assert_eq!(line["by"], oracle, "{line}");
        assert_eq!((&line["why"], &line["reliability"]), (&"by the list".into(), &1.0.into()), "{line}");
    }
    // Each question is what `--json` shows of it, and is asked once.
    let questions = asked(&project);
    assert_eq!(questions.len(), answered.len());
    for (question, line) in questions.iter().zip(&answered) {
        assert_eq!(question["question"], line["question"]);
        assert!(question["answer"].is_null(), "{question}");
    }
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("100 % sure: by the list"), "{report}");
    // What it said is kept: going on with it asks nothing.
    let again =
        run(inquest(&["ask", "--answers", "/dev/null", "--oracle", &oracle]).arg(recorded.path()), None);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(asked(&project).len(), questions.len());
}

#[test]
fn by_the_word_of_who_is_not_sure_nobody_is_blamed() {
    let (project, recorded) = shop();
    for sure in ["0.9", ""] {
        let oracle = knows(&project, WRONG, sure);
        let options = ["--oracle", &oracle];
        let played = play(&recorded.path(), &options, |_, _| None);
        assert_eq!(played.outcome(), ("suspects", "-"), "{played:?}");
        assert_eq!(played.code, Some(3), "{played:?}");
        let lacking = played.verdict["lacking"].as_str().unwrap();
        assert!(lacking.contains("only a program that is not sure has called Rates.percent#"), "{lacking}");
        // One word of the person makes it certain.
        let played = play(&recorded.path(), &options, knowing(&["Rates.percent"]));
        assert_eq!(played.outcome(), ("buggy", "Rates.percent"), "{played:?}");
        assert_eq!(played.asked.len(), 1, "{played:?}");
    }
}

#[test]
fn a_person_overrules_a_program_and_both_are_named() {
    let (project, recorded) = shop();
    // It is wrong about the rate: the person knows that the price is made wrongly of a right rate.
    let oracle = knows(&project, WRONG, "0.8");
    let options = ["--oracle", &oracle];
    let mut first = None;
    let played = play(&recorded.path(), &options, |call, _| {
        first.get_or_insert(call.to_owned());
        Some(if call.starts_with("Main.price#") { "n" } else { "y" }.to_owned())
    });
    assert!(first.unwrap().starts_with("Rates.percent#"), "{played:?}");
    assert_eq!(played.outcome(), ("buggy", "Main.price"), "{played:?}");
    let told = played.lines.iter().find_map(|line| {
        let told = &line["previous"]["contradiction"];
        told.is_object().then_some(told)
    });
    let told = told.unwrap_or_else(|| panic!("{played:?}"));
    let said: Vec<(&str, &str)> = told["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|given| (given["by"].as_str().unwrap(), given["answer"].as_str().unwrap()))
        .collect();
    assert_eq!(said, [(oracle.as_str(), "n"), ("user", "y")], "{told}");
    let answers = project.path("answers");
    fs::write(&answers, "y\nn\nn\n").unwrap();
    let mut command = inquest(&["ask", "--fresh", "--oracle", &oracle, "--answers"]);
    let text = run(command.arg(answers).arg(recorded.path()), None).stdout;
    assert!(text.contains("80 % sure: by the list)"), "{text}");
    assert!(text.contains("right (you)"), "{text}");
}

#[test]
fn a_program_that_does_not_know_leaves_it_to_the_person() {
    let (_project, recorded) = shop();
    let oracle = "command:while read question; do echo '{\"answer\": \"d\"}'; done";
    let played = play(&recorded.path(), &["--oracle", oracle], knowing(&["Main.price", "Rates.percent"]));
    assert_eq!(played.outcome(), ("buggy", "Rates.percent"), "{played:?}");
    assert!(!played.asked.is_empty());
    assert!(played.lines.iter().all(|line| line["by"].is_null()), "{played:?}");
}

const MORE: &str = "more than it was asked";

/// Each of these goes wrong in its own way: one note, and the person is asked.
#[test]
fn a_hostile_program_is_told_of_once_and_the_dialogue_goes_on() {
    let (_project, recorded) = shop();
    let wrong = "{\\\"answer\\\": \\\"n\\\"}";
    let twice = format!("while read q; do printf \"{wrong}\\n{wrong}\\n\"; sleep 0.2; done");
    let cases = [
        ("exit 1", "it has ended"),
        ("no-such-program-anywhere 2>/dev/null", "it has ended"),
        ("read q; exit 0", "it has ended"),
        ("exec sleep 1000", "it said nothing for 1 s"),
        ("while read q; do sleep 1000; done", "it said nothing for 1 s"),
        ("while read q; do echo 'Yes, that is right!'; done", "`Yes, that is right!`"),
        ("while read q; do echo '{\"answer\": \"maybe\"}'; done", "no answer"),
        ("while read q; do echo '{\"answer\": \"q\"}'; done", "no answer"),
        ("while read q; do echo '{\"answer\": \"y\", \"reliability\": 7}'; done", "no share of 1"),
        ("while read q; do echo '[[[[[['; done", "`[[[[[[`"),
        ("while read q; do printf '\\377\\376\\n'; done", "no text"),
        ("cat /dev/zero", "a line without an end"),
        ("yes '{\"answer\": \"n\"}'", MORE),
        (&twice, MORE),
        ("trap '' TERM HUP INT; while true; do sleep 1; done", "it said nothing for 1 s"),
    ];
    for (command, why) in cases {
        let oracle = format!("command:{command}");
        let mut ask = inquest(&["ask", "--fresh", "--json", "--answers", "/dev/null", "--oracle-wait", "1"]);
        if why == MORE {
            // That it said more shows when the next question is put to it.
            ask.arg("--ask-root");
        }
        let began = Instant::now();
        let ran = run(ask.args(["--oracle", &oracle]).arg(recorded.path()), None);
        assert!(began.elapsed() < Duration::from_secs(20), "{command}: {:?}", began.elapsed());
        assert_eq!(ran.code, Some(3), "{command}: {ran:?}");
        let told: Vec<&str> =
            ran.stderr.lines().filter(|line| line.contains("is not asked any more")).collect();
        assert_eq!(told.len(), 1, "{command}: {ran:?}");
        assert!(told[0].contains(why) && told[0].contains(command), "{command}: {}", told[0]);
        // At most what it said before that counts.
        let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let open: Vec<&Value> =
            lines.iter().filter(|line| line["question"].is_object() && line["answer"].is_null()).collect();
        assert_eq!(open.len(), 1, "{command}: the person is asked: {ran:?}");
    }
    // What a program wrote to the journal can be read.
    let played =
        play(&recorded.path(), &["--oracle", "command:exit 1"], knowing(&["Main.price", "Rates.percent"]));
    assert_eq!(played.outcome(), ("buggy", "Rates.percent"), "{played:?}");
}

#[test]
fn what_a_program_started_ends_with_the_dialogue() {
    let (project, recorded) = shop();
    let pid = project.path("pid");
    let oracle = format!("command:sleep 1000 & echo $! > {}; wait", pid.display());
    let mut ask = inquest(&["ask", "--fresh", "--answers", "/dev/null", "--oracle-wait", "1", "--oracle"]);
    run(ask.arg(oracle).arg(recorded.path()), None);
    let pid = fs::read_to_string(pid).unwrap();
    let gone = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.map_or(true, |stat| stat.contains(") Z "))
    };
    let until = Instant::now() + Duration::from_secs(5);
    while !gone() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(gone(), "{pid} is there still");
}
