//! Long output in a terminal goes through a pager; whatever is no terminal gets it as it is. `script` is the terminal here.

use std::process::Command;

use testkit::recorded;

use crate::debuggee::{Program, Ran, binary, inquest, jdk17, run, scratch};

/// Another pager.
const OTHER: &str = "sed 's/^/OTHER /'";
/// Stands for no value at all.
const UNSET: &str = "(unset)";

/// Runs a command line of inquest in a terminal of its own, with a pager that marks what went through it.
fn in_terminal(words: &str, told: &[(&str, &str)]) -> Ran {
    let mut script = Command::new("script");
    script.args([
        "--quiet",
        "--return",
        "--command",
        &format!("'{}' {words}", binary().display()),
        "/dev/null",
    ]);
    script
        .env("XDG_CACHE_HOME", scratch().join("cache"))
        .env("TERM", "xterm")
        .env("INQUEST_PAGER", "sed 's/^/PAGED /'");
    script.env_remove("NO_COLOR").env_remove("PAGER");
    for &(name, value) in told {
        match value {
            UNSET => script.env_remove(name),
            value => script.env(name, value),
        };
    }
    run(&mut script, None)
}

#[test]
fn long_output_goes_through_a_pager_in_a_terminal_only() {
    let recorded = recorded(&Program::new("examples", &["BottomUpMergeSort"]), &jdk17());
    let tree = format!("tree '{}'", recorded.path().display());
    let ran = in_terminal(&tree, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.lines().count() > 3 && ran.stdout.lines().all(|line| line.starts_with("PAGED ")),
        "{ran:?}"
    );
    // Colours are for the terminal that is behind the pager.
    assert!(ran.stdout.contains("\u{1b}["), "{ran:?}");
    // What is said beside comes behind it.
    let ran = in_terminal(&format!("{tree} --limit 2"), &[]);
    let last = ran.stdout.lines().last().unwrap();
    assert!(last.starts_with("inquest: there is more") && ran.stdout.lines().count() == 3, "{ran:?}");

    let plain: [(String, &[(&str, &str)]); 4] = [
        (format!("{tree} --no-pager"), &[]),
        (tree.clone(), &[("INQUEST_PAGER", "")]),
        (tree.clone(), &[("INQUEST_PAGER", "cat"), ("PAGER", OTHER)]),
        ("version".to_owned(), &[]),
    ];
    for (words, told) in plain {
        let ran = in_terminal(&words, told);
        assert!(ran.code == Some(0) && !ran.stdout.contains("PAGED"), "{words}: {ran:?}");
        assert!(!ran.stdout.contains("OTHER"), "{words}: {ran:?}");
    }
    // PAGER counts where INQUEST_PAGER is not set; help is long too.
    let ran = in_terminal("help ask", &[("INQUEST_PAGER", UNSET), ("PAGER", OTHER)]);
    assert!(ran.stdout.lines().all(|line| line.starts_with("OTHER ")), "{ran:?}");
    assert!(!in_terminal("ask --no-pager --help", &[]).stdout.contains("PAGED"));

    let mut piped = inquest(&["tree"]);
    let ran = run(piped.arg(recorded.path()).env("INQUEST_PAGER", "sed 's/^/PAGED /'"), None);
    assert!(
        ran.code == Some(0) && !ran.stdout.contains("PAGED") && !ran.stdout.contains('\u{1b}'),
        "{ran:?}"
    );
}

#[test]
fn a_pager_that_is_left_early_or_is_not_there_changes_no_exit_code() {
    let recorded = recorded(&Program::new("examples", &["BottomUpMergeSort"]), &jdk17());
    let dump = format!("dump '{}'", recorded.path().display());
    for pager in ["head -n 1", "true"] {
        assert_eq!(in_terminal(&dump, &[("INQUEST_PAGER", pager)]).code, Some(0), "{pager}");
    }
    let ran = in_terminal("tree /no/such/folder", &[]);
    assert!(ran.code == Some(2) && ran.stdout.contains("inquest: there is no /no/such/folder"), "{ran:?}");
    let ran = in_terminal(&format!("find '{}' --method nothing", recorded.path().display()), &[]);
    assert!(ran.code == Some(1) || ran.code == Some(2), "{ran:?}");
}

#[test]
fn colours_are_as_they_are_asked_for() {
    let recorded = recorded(&Program::new("examples", &["BottomUpMergeSort"]), &jdk17());
    let tree = format!("tree --no-pager '{}'", recorded.path().display());
    let coloured = |ran: &Ran| ran.stdout.contains("\u{1b}[");
    for (option, told, in_a_terminal, piped) in [
        ("auto", "", true, false),
        ("auto", "1", false, false),
        ("always", "", true, true),
        ("always", "1", true, true),
        ("never", "", false, false),
    ] {
        let ran = in_terminal(&format!("--color {option} {tree}"), &[("NO_COLOR", told)]);
        assert_eq!(coloured(&ran), in_a_terminal, "{option}, NO_COLOR={told}: {ran:?}");
        let mut command = inquest(&["tree", "--color", option]);
        let ran = run(command.arg(recorded.path()).env("NO_COLOR", told), None);
        assert_eq!(coloured(&ran), piped, "{option}, NO_COLOR={told}: {ran:?}");
    }
}
