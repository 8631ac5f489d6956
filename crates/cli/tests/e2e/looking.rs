//! What the commands that look into a recording print: what a person asked about first, all of it, and nothing twice.

use crate::debuggee::{Program, Recorded, inquest, jdk17, root, run};

fn recorded(group: &str, program: &str) -> Recorded {
    Program::new(group, &[program]).record(&jdk17(), &[]).1
}

/// What a command prints; its first argument is the recording.
fn printed(recorded: &Recorded, command: &str, words: &[&str]) -> String {
    let mut inquest = inquest(&[command]);
    inquest.arg(recorded.path()).args(words);
    let ran = run(inquest.current_dir(root()), None);
    assert!(ran.code.is_some_and(|code| code < 2), "{command} {words:?}: {ran:?}");
    ran.stdout
}

fn json(recorded: &Recorded, command: &str, words: &[&str]) -> Vec<serde_json::Value> {
    let words: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&printed(recorded, command, &words)).unwrap()
}

/// The lines of a part of what `show` prints, up to the next part.
fn part<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| *line != name).skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

#[test]
fn what_was_written_to_a_librarys_field_is_told_before_it_became_unknown() {
    let program = Program::new("state", &["LibraryStates"]).with_options(&["--exclude", "told"]);
    let library = program.record(&jdk17(), &[]).1;
    let changed = |call: &str| -> Vec<String> {
        let text = printed(&library, "show", &[call]);
        let lines = part(&text, "changed").into_iter();
        lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let set = changed("LibraryStates$Own.set#1");
    for line in ["LibraryStates$Own@1.x ? → 4, then ?", r#"LibraryStates$Own@1.label ? → "own4", then ?"#]
    {
        assert!(set.iter().any(|one| one == line), "{line}: {set:?}");
    }
    let side = changed("LibraryStates$Square.side#1");
    assert!(side.iter().any(|line| line == "LibraryStates$Square@1.width ? → 2"), "{side:?}");
}

#[test]
fn noise_comes_last_and_in_one_line_and_collections_change_as_a_whole() {
    let noisy = recorded("questions", "Noisy");
    let changed = |call: &str| -> Vec<String> {
        let text = printed(&noisy, "show", &[call]);
        let lines = part(&text, "changed");
        lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let first = changed("Noisy.first#1");
    let noise = first.iter().position(|line| line.starts_with("first use of "));
    let (told, noise) = first.split_at(noise.unwrap_or_else(|| panic!("{first:?}")));
    for line in ["Noisy@1.total 0 → 7", r#"ArrayList@1 [] → ["ALL"]"#] {
        assert!(told.iter().any(|one| one == line), "{line}: {first:?}");
    }
    // Set by the initialiser and then counted up: the last word is the call's own.
    assert!(told.iter().any(|line| line.ends_with("Registry.uses 0 → 1")), "{first:?}");
    for word in ["$VALUES", "$SwitchMap$", "Mode.ALL", "Registry.name", "Object[]", "modCount"] {
        assert!(!told.iter().any(|line| line.contains(word)), "{word}: {first:?}");
    }
    assert!(noise[0].contains("Mode") && noise[0].contains("Registry"), "{first:?}");
    // Who asks about the initialiser gets what it is there for.
    let initialiser = changed("Noisy$Registry.static#1");
    assert!(initialiser.iter().any(|line| line.contains("Registry.name")), "{initialiser:?}");
    assert!(!initialiser.iter().any(|line| line.starts_with("first use of ")), "{initialiser:?}");
    // What follows is how many objects were created.
    assert!(noise.len() <= 2, "{first:?}");
    let added = changed("Noisy.add#1");
    for line in [r#"ArrayList@1 ["ALL"] → ["ALL", "one"]"#, r#"HashMap@1 {} → {"one"=3}"#] {
        assert!(added.iter().any(|one| one == line), "{line}: {added:?}");
    }
    assert!(!added.iter().any(|line| line.contains("Object[]") || line.contains("modCount")), "{added:?}");
}

#[test]
fn lines_without_a_source_are_instructions_and_not_empty() {
    let noisy = recorded("questions", "Noisy");
    let mut command = inquest(&["show"]);
    command.arg(noisy.path()).args(["Noisy.add#1", "--lines"]);
    // Nowhere near the sources.
    let folder = tempfile::tempdir().unwrap();
    let ran = run(command.current_dir(folder.path()), None);
    assert!(ran.stdout.contains("Noisy.java was not found"), "{}", ran.stdout);
    assert!(ran.stdout.contains("invokeinterface"), "{}", ran.stdout);
    let with = printed(&noisy, "show", &["Noisy.add#1", "--lines"]);
    assert!(with.contains("lines.add(line);") && !with.contains("invokeinterface"), "{with}");
}

#[test]
fn what_was_printed_is_found_by_a_part_of_it_and_told_by_whose_code_did() {
    let noisy = recorded("questions", "Noisy");
    let all = json(&noisy, "find", &["--output"]);
    assert_eq!(all.len(), 3);
    let found = json(&noisy, "find", &["--output", "--value", "value"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["text"], &found[0]["call"]), (&"value 7".into(), &"Noisy.tell#1".into()));
    assert_eq!(json(&noisy, "find", &["--output", "--value", "\"value 7\""]).len(), 1);
    assert_eq!(json(&noisy, "find", &["--output", "--value", "value 8"]).len(), 0);
    assert!(printed(&noisy, "find", &["--output"]).contains("refused  in Noisy.main#1"));
}

#[test]
fn exceptions_are_found_by_simple_names_and_parts_of_names() {
    let noisy = recorded("questions", "Noisy");
    for thrown in ["Refused", "Noisy$Refused", "Noisy.Refused", "Refu", "RuntimeException", "no more"] {
        assert_eq!(json(&noisy, "find", &["--thrown", thrown]).len(), 1, "{thrown}");
    }
    for thrown in ["Runtime", "Refusal"] {
        assert_eq!(json(&noisy, "find", &["--thrown", thrown]).len(), 0, "{thrown}");
    }
}

#[test]
fn what_is_missing_in_a_part_is_missing_in_the_whole_once_for_each_place() {
    let parts = recorded("omission", "Parts");
    let of = |words: &[&str]| json(&parts, "omissions", words);
    let lines = of(&["Order@1.lines"]);
    assert!(!lines.is_empty());
    let whole = of(&["Order@1"]);
    let operations: Vec<&str> = whole.iter().filter_map(|one| one["operation"].as_str()).collect();
    assert!(operations.contains(&"Order@1.lines.add(…)"), "{operations:?}");
    // Three methods lead there from the one condition.
    let at = |one: &&serde_json::Value| one["operation"] == "Order@1.lines.add(…)";
    let bundles: Vec<&serde_json::Value> = whole.iter().filter(at).collect();
    assert_eq!(bundles.len(), 1, "{bundles:?}");
    assert_eq!(bundles[0]["ways"], 2, "{bundles:?}");
    assert_eq!(bundles[0]["at"]["call"], "Parts.fill#1");
}

#[test]
fn reads_are_in_the_list_or_told_as_left_out_but_not_both() {
    let lister = recorded("examples", "FileLister");
    let without = printed(&lister, "omissions", &["FileLister@1.names"]);
    let with = printed(&lister, "omissions", &["FileLister@1.names", "--reads"]);
    assert!(without.contains("(--reads)") && !without.contains("reads ArrayList"), "{without}");
    assert!(!with.contains("(--reads)"), "{with}");
}

#[test]
fn what_libraries_wrote_into_an_object_is_counted() {
    let parts = recorded("omission", "Parts");
    let text = printed(&parts, "omissions", &["Parts@1.greeting"]);
    assert!(!text.contains("Nothing was written to it"), "{text}");
    // What goes into a writer is in what it was made around; what does not, is missing there.
    let log = json(&parts, "omissions", &["Parts@1.log"]);
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(log[0]["operation"], "PrintWriter@1.println()");
    assert_eq!(log[0]["at"]["call"], "Parts.log#1");
    // Everybody knows it by this name.
    let out = printed(&parts, "omissions", &["System.out"]);
    assert!(out.starts_with("PrintStream@"), "{out}");
}
