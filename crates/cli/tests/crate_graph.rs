//! The list of crates in `docs/architecture.md` is what cargo says. The list is there so that a new dependency between
//! crates is a decision that somebody wrote down; this test is what makes it one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The fence that the list stands behind, one line per crate: `name: dependency dependency`.
const FENCE: &str = "```crates";

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_crates_and_their_dependencies_are_as_the_architecture_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let (written, real) = (written(&page), real(&root));
    let wrong = differences(&written, &real);
    assert!(
        wrong.is_empty(),
        "docs/architecture.md, section \"The crates\", is not what cargo says:\n{}\n\
         If the dependency is meant, write:\n\n{FENCE}\n{}```\n",
        wrong.join("\n"),
        text(&real),
    );
}

fn written(page: &str) -> Graph {
    let lines = page.lines().skip_while(|line| *line != FENCE).skip(1).take_while(|line| *line != "```");
    let graph: Graph = lines
        .map(|line| {
            let (name, uses) =
                line.split_once(':').unwrap_or_else(|| panic!("no `name: dependencies`: {line}"));
            (name.to_owned(), uses.split_whitespace().map(str::to_owned).collect())
        })
        .collect();
    assert!(!graph.is_empty(), "docs/architecture.md has no block that begins with {FENCE}");
    graph
}

/// Members of the workspace and what they need of each other, tests, benchmarks and build scripts left out.
fn real(root: &Path) -> Graph {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = list(&metadata["packages"]);
    let members: BTreeSet<String> = packages.iter().map(name).collect();
    let uses = |package: &Value| {
        let normal = list(&package["dependencies"]).into_iter().filter(|one| one["kind"].is_null());
        normal.map(|one| name(&one)).filter(|one| members.contains(one)).collect()
    };
    packages.iter().map(|package| (name(package), uses(package))).collect()
}

fn differences(written: &Graph, real: &Graph) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in written.keys().chain(real.keys()).collect::<BTreeSet<_>>() {
        match (written.get(name), real.get(name)) {
            (Some(written), Some(real)) => {
                wrong
                    .extend(written.difference(real).map(|other| format!("  {name} no longer uses {other}")));
                wrong.extend(
                    real.difference(written).map(|other| format!("  {name} uses {other}, not written")),
                );
            }
            (Some(_), None) => wrong.push(format!("  {name} is no crate of the workspace")),
            (None, _) => wrong.push(format!("  {name} is not in the list")),
        }
    }
    wrong
}

fn text(graph: &Graph) -> String {
    let line = |(name, uses): (&String, &BTreeSet<String>)| {
        let uses: String = uses.iter().map(|other| format!(" {other}")).collect();
        format!("{name}:{uses}\n")
    };
    graph.iter().map(line).collect()
}

#[test]
fn every_kind_of_difference_is_named() {
    let graph = |page: &str| written(&format!("{FENCE}\n{page}```\n"));
    let wrong = differences(&graph("a: b\nb:\nold:\n"), &graph("a: c\nb:\nc:\n"));
    let expected = [
        "  a no longer uses b",
        "  a uses c, not written",
        "  c is not in the list",
        "  old is no crate of the workspace",
    ];
    assert_eq!(wrong, expected);
    assert_eq!(text(&graph("a: b c\nb:\n")), "a: b c\nb:\n");
}
