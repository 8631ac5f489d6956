//! What the page knows of strategies, transformations, nodes, answers and events is written from the tables of the crates
//! that define them, so that a name is said in one place. A page with other names than its server does not get past this.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use session::{AnswerKind, InputKind, NodeKind, Strategy, Transform};

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/vocabulary.ts")
}

#[test]
fn the_page_has_the_names_of_its_server() {
    let kept = fs::read_to_string(file()).unwrap();
    let hint = "run `cargo test -p server --test vocabulary -- --ignored` to write it anew";
    assert!(kept == vocabulary(), "ui/src/vocabulary.ts is not what the tables say: {hint}");
}

#[test]
#[ignore = "writes the page's vocabulary; only after a change of a table"]
fn write_the_vocabulary() {
    fs::write(file(), vocabulary()).unwrap();
}

fn vocabulary() -> String {
    let mut text = "// Written from the server's tables (crates/server/tests/vocabulary.rs): not to be changed by hand.\n".to_owned();
    let strategies = Strategy::ALL.map(|it| (it.name(), json!(it.summary()).to_string()));
    record(
        &mut text,
        "How the next question is chosen, each in a line for whoever has to choose one.",
        "STRATEGIES",
        &strategies,
    );
    let transforms = Transform::ALL.map(|it| (it.name(), json!(it.summary()).to_string()));
    record(&mut text, "How the tree is changed before.", "TRANSFORMS", &transforms);
    record(&mut text, "What a node of the tree is.", "KINDS", &NodeKind::ALL.map(|it| (it.name(), kind(it))));
    list(&mut text, "What can be answered.", "ANSWERS", &AnswerKind::ALL.map(answer));
    list(&mut text, "What can happen.", "EVENTS", &trace::KINDS.map(|name| json!(name).to_string()));
    text.push_str(
        "
export type StrategyName = keyof typeof STRATEGIES;
export type TransformName = keyof typeof TRANSFORMS;
export type KindName = keyof typeof KINDS;
export type Answer = (typeof ANSWERS)[number];
export type EventName = (typeof EVENTS)[number];
",
    );
    text
}

fn kind(kind: NodeKind) -> String {
    let row = kind.row();
    let told = row.text.as_ref().map(|told| {
        object(&[
            ("badge", json!(told.badge)),
            ("meaning", json!(told.meaning)),
            ("asked", json!(told.asked)),
        ])
    });
    let told = told.unwrap_or_else(|| "null".to_owned());
    format!("{{ told: {told}, one_method: {} }}", row.one_method)
}

fn answer(kind: AnswerKind) -> String {
    let row = kind.row();
    let takes = row.takes.as_ref().map(|takes| {
        let what = match takes.what {
            InputKind::Value => "value",
            InputKind::Object => "object",
            InputKind::Words => "words",
        };
        object(&[("what", json!(what)), ("title", json!(takes.title)), ("hint", json!(takes.hint))])
    });
    let fields = object(&[
        ("id", json!(row.id)),
        ("letter", json!(row.letter)),
        ("key", json!(row.key)),
        ("title", json!(row.title)),
        ("button", json!(row.button)),
        ("statement", json!(row.statement)),
        ("mark", json!(row.mark)),
        ("of_rows", json!(row.of_rows)),
        ("trusts", json!(row.trusts.is_some())),
    ]);
    let takes = takes.unwrap_or_else(|| "null".to_owned());
    format!("{}, takes: {takes} }}", fields.trim_end_matches(" }"))
}

fn object(fields: &[(&str, Value)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}

fn record(text: &mut String, about: &str, name: &str, rows: &[(&str, String)]) {
    let rows: String = rows.iter().map(|(key, value)| format!("  {}: {value},\n", json!(key))).collect();
    text.push_str(&format!("\n/** {about} */\nexport const {name} = {{\n{rows}}} as const;\n"));
}

fn list(text: &mut String, about: &str, name: &str, rows: &[String]) {
    let rows: String = rows.iter().map(|value| format!("  {value},\n")).collect();
    text.push_str(&format!("\n/** {about} */\nexport const {name} = [\n{rows}] as const;\n"));
}

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

#[test]
fn the_tables_of_questions_have_all_strategies_and_transformations() {
    let text = document("docs/questions.md");
    let tables = text.split("\n| strategy | ").skip(1);
    let transforms =
        [[Transform::NONE].as_slice(), &Transform::ALL.map(Transform::name)].concat().join(" | ");
    let strategies = Strategy::ALL.map(Strategy::name);
    let mut compared = 0;
    for table in tables {
        assert!(table.starts_with(&transforms), "{}", table.lines().next().unwrap());
        let names: Vec<&str> =
            table.lines().skip(2).map_while(|row| row.strip_prefix("| ")?.split(' ').next()).collect();
        assert_eq!(names, [strategies.as_slice(), &["*nodes*"]].concat());
        compared += 1;
    }
    assert!(compared > 0);
}

#[test]
fn documents_tell_the_answers_as_they_are_typed() {
    let plain = AnswerKind::ALL.iter().filter(|kind| kind.row().takes.is_none());
    let letters: Vec<&str> = plain.map(|kind| kind.letter()).collect();
    let told = format!("`answer` (`{}`, ", letters.join(" "));
    assert!(document("docs/page-api.md").contains(&told), "{told}");
    // The first ones that one needs.
    let first = [AnswerKind::Right, AnswerKind::Wrong, AnswerKind::DontKnow, AnswerKind::TrustMethod];
    let told = first.map(|kind| format!("`{}` {}", kind.letter(), kind.row().means)).join(", ");
    let readme = document("README.md");
    // Wherever its lines are broken.
    let words: Vec<&str> = readme.split_whitespace().collect();
    assert!(words.join(" ").contains(&format!("Answer {told};")), "{told}");
}
