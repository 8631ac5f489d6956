//! The points-to analysis of recorded programs: what it is given of the run, whether it allows everything that happened
//! (`fixtures/flows`), and that its result is kept.

use std::fs;

use analysis::observed::{FactSelection, RunClasses, observed, observed_as, points_to};
use analysis::soundness::Run;
use pointsto::{ClassLookup, CodePoint, MemberName, SeenAt, solve};
use testkit::{Program, check_all, classes, jdk17, jdks};
use trace::Manifest;

fn member(class: &str, name: &str, descriptor: &str) -> MemberName {
    MemberName { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}

#[test]
fn the_manifest_says_where_classes_came_from() {
    let (_, recorded) = Program::new("flows", &["Flows"]).record(&jdk17(), &["--detail", "calls"]);
    let manifest = Manifest::load(&recorded.path()).unwrap();
    assert_eq!(manifest.folder, std::env::current_dir().unwrap().to_str().unwrap());
    assert_eq!(manifest.jvm.class_path, classes("flows").to_str().unwrap());
}

#[test]
fn a_run_tells_entries_calls_and_what_libraries_gave() {
    let past = crate::past(&Program::new("flows", &["Flows"]), &jdk17());
    let facts = observed(&past, &mut |_, _| {}).unwrap();
    let main = member("Flows", "main", "([Ljava/lang/String;)V");
    let (fields, using) = (member("Flows", "fields", "()V"), member("Flows", "use", "(LFlows$Box;)I"));
    assert!(facts.entries.contains(&main) && facts.entries.contains(&member("Flows", "<clinit>", "()V")));
    assert!(!facts.entries.contains(&fields), "the program called it");
    let compared = member("Flows$Box", "compareTo", "(LFlows$Box;)I");
    assert!(facts.entries.contains(&member("Flows$Worker", "run", "()V")), "the VM called it");
    let seen = |seen: SeenAt, class: &str| facts.seen.contains(&(seen, class.to_owned()));
    assert!(seen(SeenAt::Given(main.clone(), 0), "[Ljava/lang/String;"), "from the VM");
    let same = member("Flows", "same", "(LFlows$Box;)LFlows$Box;");
    assert!(seen(SeenAt::Given(same.clone(), 0), "Flows$Box"), "by reflection");
    assert!(seen(SeenAt::Argument(same, 0), "Flows$Box"), "from a library");
    assert!(facts.seen.iter().any(|(seen, class)| {
        class == "Flows$Box" && matches!(seen, SeenAt::Result(place) if place.method.name == "lists")
    }));
    let calls = |from: &MemberName, to: &MemberName| {
        facts.calls.iter().any(|(CodePoint { method, .. }, called)| method == from && called == to)
    };
    assert!(calls(&main, &fields) && calls(&fields, &using));
    assert!(
        !calls(&using, &main) && !calls(&member("Flows", "lists", "()V"), &compared),
        "a library called it"
    );
    let fewer = observed_as(&past, FactSelection::WithoutCalls, &mut |_, _| {}).unwrap();
    assert_eq!((fewer.calls.len(), &fewer.entries, &fewer.seen), (0, &facts.entries, &facts.seen));
}

#[test]
fn classes_come_from_the_recording_then_from_the_class_path_and_the_jdk() {
    // Castling's classes are beside it in the folder, but this run does not load them.
    let past = crate::past(&Program::new("examples", &["SumNumbers"]), &jdk17());
    let found = RunClasses::new(&past);
    for (class, program) in [
        ("SumNumbers", true),
        ("Castling", true),
        ("java/lang/Object", false),
        ("java/util/ArrayList", false),
    ] {
        assert!(found.bytes(class).is_some(), "{class}");
        assert_eq!(found.is_program(class), program, "{class}");
    }
    assert!(found.bytes("no/Such").is_none() && !found.is_program("no/Such"));
    assert!(found.ambiguous().is_empty());
}

#[test]
fn what_happened_is_in_the_static_result() {
    check_all(&jdks(), |jdk| {
        let past = crate::past(&Program::new("flows", &["Flows"]), jdk);
        let (run, found) = (Run::new(&past), RunClasses::new(&past));
        let faults = [FactSelection::All, FactSelection::WithoutCalls].map(|want| {
            let facts = observed_as(&past, want, &mut |_, _| {}).unwrap();
            let solution = solve(&found, &facts, &mut |_, _| {}).unwrap();
            let sound = run.check(&solution, &found);
            // Otherwise the check has nothing to find.
            assert!(sound.calls.observed > 200 && sound.pairs.observed > 1000, "{sound:?}");
            let missing = sound.entered.missing + sound.calls.missing + sound.pairs.missing;
            (missing > 0).then(|| format!("JDK {}, {want:?}: {:#?}", jdk.version, sound.examples))
        });
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
}

#[test]
fn an_analysis_that_knows_less_is_found_out() {
    let past = crate::past(&Program::new("flows", &["Flows"]), &jdk17());
    let (run, found) = (Run::new(&past), RunClasses::new(&past));
    let mut facts = observed_as(&past, FactSelection::WithoutCalls, &mut |_, _| {}).unwrap();
    facts.entries.retain(|entry| entry.name != "main");
    facts.seen.clear();
    let sound = run.check(&solve(&found, &facts, &mut |_, _| {}).unwrap(), &found);
    assert!(sound.entered.missing > 0 && sound.calls.missing > 0 && sound.pairs.missing > 0, "{sound:?}");
}

#[test]
fn the_result_is_kept_and_made_again_when_a_class_changed() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(classes("examples")).unwrap() {
        let from = entry.unwrap().path();
        if from.is_file() {
            fs::copy(&from, folder.path().join(from.file_name().unwrap())).unwrap();
        }
    }
    let mut program = Program::new("examples", &["SumNumbers"]);
    program.arguments[1] = folder.path().into();
    let (_, recorded) = program.record(&jdk17(), &[]);
    let past = crate::open(&recorded.path());
    let solved = |past: &past::Past| {
        let mut solved = false;
        let solution = points_to(past, &past.shelf(), &mut |_| solved = true).unwrap();
        (solved, solution.reached().count())
    };
    let kept = recorded.path().join("analysis/points-to");
    let (first, reached) = solved(&past);
    assert!(first && reached > 0);
    assert!(kept.is_file());
    assert_eq!(solved(&past), (false, reached), "it is loaded");
    fs::write(folder.path().join("Further.class"), "a new class").unwrap();
    assert_eq!(solved(&past), (true, reached), "the class path has changed");
    fs::write(&kept, "damaged").unwrap();
    assert_eq!(solved(&past), (true, reached), "what is damaged is made again");
}
