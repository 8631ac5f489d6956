//! What was recorded and said with earlier versions can still be looked into, and the dialogue goes on.

use std::fs;

use crate::debuggee::{Recorded, inquest, root, run};

/// A copy of an old recording: commands put their index beside it.
fn old(name: &str) -> Recorded {
    let copy = Recorded::new();
    fs::create_dir(copy.path()).unwrap();
    for entry in fs::read_dir(root().join("fixtures/recorded").join(name)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

#[test]
fn a_recording_of_an_earlier_version_opens_and_answers() {
    let recorded = old("merge-sort");
    assert_eq!(recorded.faults(), None);
    let history =
        run(inquest(&["history", "--json"]).arg(recorded.path()).arg("BottomUpMergeSort.sort#1:a[2]"), None);
    let entries: serde_json::Value = serde_json::from_str(&history.stdout).unwrap();
    let values: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["1", "1", "7", "9"], "{history:?}");
}

#[test]
fn a_dialogue_of_an_earlier_version_goes_on_where_it_was() {
    let recorded = old("merge-sort");
    let answers = recorded.path().with_file_name("replies");
    fs::write(&answers, "y\ny\nn\n").unwrap();
    let mut ask = inquest(&["ask", "--json", "--strategy", "top-down", "--answers"]);
    let ran = run(ask.arg(&answers).arg(recorded.path()), None);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked: Vec<&str> = lines.iter().filter_map(|line| line["question"]["call"].as_str()).collect();
    let expected =
        ["BottomUpMergeSort.merge#2", "BottomUpMergeSort.distribute#2", "BottomUpMergeSort.merge#3"];
    assert_eq!(asked, expected, "{ran:?}");
    let verdict = lines.last().unwrap();
    assert_eq!(
        (&verdict["verdict"], &verdict["call"]),
        (&"buggy".into(), &"BottomUpMergeSort.merge#3".into())
    );
}
