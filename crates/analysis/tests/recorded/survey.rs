//! How calls are tied to those before them, what they cover and which loops they ran, against the examples and
//! `fixtures/links`.

use analysis::{Entities, Survey, SurveyOptions};

use index::Evidence;
use past::{CallId, Past, Target};
use testkit::{Program, check_all, jdk17, jdks};
use tree::{Link, PlainRow};

const ALL: SurveyOptions =
    SurveyOptions { links: true, loops: true, coverage: Some(Entities::Edges), first_loop_group: 1000 };

/// Callers with the links of their callees, each to the one before: `C`hain, `I`ndependent or none.
const LINKS: [(&str, &str); 28] = [
    ("sharesAField", "-C-C"),
    ("callerWritesBetween", "--"),
    ("callerWritesElsewhere", "-C"),
    ("runIsCutByALaterMember", "-C-C"),
    ("resultInALocal", "-C"),
    ("resultOnTheStack", "-C"),
    ("equalButNoFlow", "-I"),
    ("localWrittenAgain", "-I"),
    ("resultChanged", "-I"),
    ("objectMadeAndUsed", "-C"),
    ("listOfALibrary", "-C"),
    ("listWrittenBetween", "--"),
    ("listReadBetween", "-C"),
    ("builder", "-C-"),
    ("output", "-C-"),
    ("tooLarge", "--"),
    ("copyBetween", "--"),
    ("thrown", "-I"),
    ("pureButNotLeaf", "--"),
    ("writesItsArgument", "--"),
    ("viaLibrary", "-"),
    ("recursion", "--"),
    ("withInitialiser", "-C"),
    ("Links$Late.get", "-"),
    ("wrapped", "--C"),
    ("wrappedElsewhere", "--"),
    ("files", "-C-"),
    ("properties", "-C-"),
];

#[test]
fn calls_are_chained_by_what_they_share_and_cut_by_what_their_caller_writes() {
    check_all(&jdks(), |jdk| {
        let past = crate::past(&Program::new("links", &["Links"]), jdk);
        let (rows, survey) = surveyed(&past, "Links.main#1", ALL);
        let faults = LINKS.iter().filter_map(|(name, expected)| {
            let name = if name.contains('.') { (*name).to_owned() } else { format!("Links.{name}") };
            let found = links_in(&past, &rows, &survey, &format!("{name}#1"));
            (found != *expected).then(|| format!("{name}: {found} instead of {expected}"))
        });
        let faults: Vec<String> = faults.collect();
        let lambdas = links_in(&past, &rows, &survey, "List.forEach#1");
        assert_eq!(lambdas, "-CC", "calls from a library");
        (!faults.is_empty() || !survey.unknown.is_empty()).then(|| faults.join("\n"))
    });
}

#[test]
fn the_examples_are_chained_as_they_are_known_to_be() {
    let of = |example: &str, root: &str, caller: &str| {
        let past = crate::past(&Program::new("examples", &[example]), &jdk17());
        let (rows, survey) = surveyed(&past, root, ALL);
        links_in(&past, &rows, &survey, caller)
    };
    assert_eq!(of("Castling", "Castling.castling#1", "Castling.castling#1"), "-CC-C");
    assert_eq!(of("Cancelling", "Cancelling.main#1", "Cancelling.f#1"), "-C");
    let past = crate::past(&Program::new("examples", &["MergeSortMissing"]), &jdk17());
    let (rows, survey) = surveyed(&past, "MergeSortMissing.sort#1", ALL);
    assert_eq!(rows.len(), 12);
    let expected = [("sort#1", "--C"), ("sort#2", "-IC"), ("merge#1", "-I"), ("merge#2", "-II")];
    for (name, expected) in expected {
        assert_eq!(links_in(&past, &rows, &survey, &format!("MergeSortMissing.{name}")), expected, "{name}");
    }
}

#[test]
fn the_last_merge_weighs_nearest_to_half_by_edges_and_by_chains() {
    let past = crate::past(&Program::new("examples", &["BottomUpMergeSort"]), &jdk17());
    let weights = |entities| {
        let want = SurveyOptions { coverage: Some(entities), ..SurveyOptions::default() };
        let (rows, survey) = surveyed(&past, "BottomUpMergeSort.main#1", want);
        let coverage = survey.coverage;
        assert!(coverage.signatures.iter().flatten().all(|&entity| entity < coverage.entities));
        let own = |at: usize| coverage.signatures[coverage.signature[at] as usize].len();
        rows.iter()
            .enumerate()
            .map(|(at, &row)| {
                let size = past.index().call(row).unwrap().size;
                let end = rows.partition_point(|other| other.index < row.index + size);
                (at..end).map(own).sum::<usize>()
            })
            .collect::<Vec<usize>>()
    };
    // One of those of `main` is that it prints.
    assert_eq!(weights(Entities::Edges), [46, 44, 7, 8, 8, 7, 9]);
    let chains = weights(Entities::DefUse);
    assert_eq!(chains.len(), 7);
    let nearest = (0..7).min_by_key(|&at| (2 * chains[at]).abs_diff(chains[0]));
    assert_eq!(nearest, Some(6), "{chains:?}");
}

/// The same path through the code, but what is written goes elsewhere.
#[test]
fn what_is_written_to_is_covered() {
    let past = crate::past(&Program::new("links", &["Links"]), &jdk17());
    for entities in [Entities::Edges, Entities::DefUse] {
        let want = SurveyOptions { coverage: Some(entities), ..SurveyOptions::default() };
        let (rows, survey) = surveyed(&past, "Links.main#1", want);
        let coverage = survey.coverage;
        assert!(coverage.signatures.iter().flatten().all(|&entity| entity < coverage.entities));
        let covered = |call: &str| {
            let call = past.find_call(&format!("Links.{call}")).unwrap();
            let at = rows.iter().position(|&row| row == call).unwrap();
            &coverage.signatures[coverage.signature[at] as usize]
        };
        assert_eq!(covered("say#1"), covered("say#2"));
        let prints = ["print#1", "print#2", "print#3"].map(covered);
        let [first, second, third] = prints;
        assert!(first != second && second != third && first != third, "{prints:?}");
        // All but the last, which is where it goes.
        assert!(
            first.len() == second.len() && first.split_last().unwrap().1 == second.split_last().unwrap().1
        );
        assert_eq!(covered("store#1"), covered("store#2"));
        if entities == Entities::Edges {
            assert_eq!(covered("stored#1").len() + 1, covered("store#1").len());
        }
    }
}

#[test]
fn loops_of_a_pass_are_those_of_each_call() {
    for (group, program) in [("loops", "Loops"), ("examples", "BottomUpMergeSort"), ("links", "Links")] {
        let past = crate::past(&Program::new(group, &[program]), &jdk17());
        let (rows, survey) = surveyed(&past, &format!("{program}.main#1"), ALL);
        for (at, &row) in rows.iter().enumerate().filter(|&(_, &row)| past.method_of(row).is_some()) {
            let one = analysis::loops(&past, row).unwrap();
            let found: Vec<_> = survey.loops.of(PlainRow(at as u32)).collect();
            let name = past.call_name(row);
            assert_eq!(one.runs.len(), found.len(), "{name}");
            for (expected, (run, starts)) in one.runs.iter().zip(found) {
                assert_eq!(expected.count, u64::from(run.iterations), "{name}");
                let within = expected.within.map(|within| (within.run, within.iteration as u32));
                assert_eq!(within, run.within, "{name}");
                assert_eq!(survey.heads[(run.group.0 - 1000) as usize].1, expected.head, "{name}");
                // Calls of the loop are its rows, and iterations begin where they did.
                for start in starts {
                    let entry = past.index().call(rows[start.first.0 as usize]).unwrap().entry;
                    let began = expected.starts.partition_point(|&start| start <= entry) as u32;
                    assert_eq!(began, start.iteration + 1, "{name}: {start:?} of {expected:?}");
                }
                let inside = |row: &&CallId| {
                    let call = past.index().call(**row).unwrap();
                    call.parent == Some(rows[at].index)
                        && (expected.first..=expected.last).contains(&call.entry)
                };
                let first = rows.iter().position(|row| inside(&row));
                assert_eq!(first.is_some(), !starts.is_empty(), "{name}");
                assert_eq!(first.map(|row| PlainRow(row as u32)).unwrap_or(run.first), run.first, "{name}");
            }
        }
    }
}

#[test]
fn a_pass_over_a_part_says_the_same_as_one_over_all() {
    let past = crate::past(&Program::new("links", &["Links"]), &jdk17());
    let (rows, all) = surveyed(&past, "Links.main#1", ALL);
    let (part, survey) = surveyed(&past, "Links.runIsCutByALaterMember#1", ALL);
    let from = rows.iter().position(|row| *row == part[0]).unwrap();
    assert_eq!(survey.links.0[1..], all.links.0[from + 1..from + part.len()]);
    assert_eq!(survey.links.0[0], Link::None);
    // Two subtrees, one after the other.
    let more = subtree(&past, "Links.output#1");
    let both: Vec<CallId> = part.iter().chain(&more).copied().collect();
    let survey = analysis::survey(&past, &both, ALL).unwrap();
    assert_eq!(survey.links.0[part.len() + 1..], [Link::None, Link::Chain, Link::None]);
}

#[test]
fn a_call_that_did_not_end_is_not_linked() {
    let past = crate::past(&Program::new("loops", &["Loops", "silent"]), &jdk17());
    let (rows, survey) = surveyed(&past, "Loops.main#1", ALL);
    let last = past.find_call("Loops.silent#1").unwrap();
    let at = rows.iter().position(|&row| row == last).unwrap();
    // It has written what the call before it wrote.
    assert_eq!(past.call_name(rows[at - 1]), "Loops.counted#3");
    assert_eq!(survey.links.0[at], Link::None);
    assert_eq!(survey.loops.of(PlainRow(at as u32)).map(|(run, _)| run.iterations).collect::<Vec<_>>(), [1]);
}

#[test]
fn calls_of_which_only_arguments_and_results_are_recorded_are_not_linked() {
    let past = crate::past(&Program::new("links", &["Links"]).with_options(&["--detail", "calls"]), &jdk17());
    let (rows, survey) = surveyed(&past, "Links.main#1", ALL);
    let methods = rows.iter().filter(|&&row| past.method_of(row).is_some()).count();
    assert!(methods > 50 && survey.unknown.len() == methods, "{} of {methods}", survey.unknown.len());
    assert!(survey.links.0.iter().all(|&link| link == Link::None) && survey.loops.is_empty());
}

fn surveyed(past: &Past, root: &str, want: SurveyOptions) -> (Vec<CallId>, Survey) {
    let rows = subtree(past, root);
    let survey = analysis::survey(past, &rows, want).unwrap();
    (rows, survey)
}

/// Calls of the program, and library calls with some in them.
fn subtree(past: &Past, root: &str) -> Vec<CallId> {
    let root = past.find_call(root).unwrap();
    let size = past.index().call(root).unwrap().size;
    let all = (root.index..root.index + size).map(|index| CallId { stream: root.stream, index });
    all.filter(|&row| {
        let call = past.index().call(row).unwrap();
        matches!(call.target, Target::Method(_)) || call.size > 1
    })
    .collect()
}

fn links_in(past: &Past, rows: &[CallId], survey: &Survey, caller: &str) -> String {
    let caller = past.find_call(caller).unwrap();
    let children = rows.iter().zip(&survey.links.0);
    let children = children.filter(|(row, _)| past.index().call(**row).unwrap().parent == Some(caller.index));
    let letter = |link: &Link| match link {
        Link::None => '-',
        Link::Chain => 'C',
        Link::Independent => 'I',
    };
    children.map(|(_, link)| letter(link)).collect()
}
