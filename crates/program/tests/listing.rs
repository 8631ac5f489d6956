//! Listings, compared with what the JDK's own disassembler says of the compiled examples.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use program::{Error, last_line, listing};
use testkit::{Jdk, left_out};

/// The class files of the examples and of the awkward cases.
fn classes() -> Vec<PathBuf> {
    let mut classes = Vec::new();
    let mut folders = vec![testkit::classes("examples"), testkit::classes("awkward")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "class") {
                classes.push(path);
            }
        }
    }
    assert!(classes.len() > 20);
    classes
}

/// Place and name of every instruction, one list for each method that has code.
fn disassembled(text: &str) -> Vec<Vec<(u32, String)>> {
    let mut methods: Vec<Vec<(u32, String)>> = Vec::new();
    let mut in_code = false;
    let mut in_switch = false;
    for line in text.lines() {
        let line = line.trim();
        if line == "Code:" {
            methods.push(Vec::new());
            (in_code, in_switch) = (true, false);
            continue;
        }
        if line.is_empty() || line == "Exception table:" {
            in_code = false;
        }
        if !in_code {
            continue;
        }
        if in_switch {
            in_switch = !line.starts_with('}');
            continue;
        }
        let Some((place, rest)) = line.split_once(": ") else { continue };
        let Ok(place) = place.parse() else { continue };
        let name = rest.split_whitespace().next().unwrap();
        in_switch = name.ends_with("switch");
        methods.last_mut().unwrap().push((place, name.to_owned()));
    }
    methods
}

#[test]
fn every_instruction_is_where_the_jdk_sees_it() {
    let javap = Jdk::find("javac").map(|jdk| jdk.home.join("bin/javap")).filter(|javap| javap.exists());
    let Some(javap) = javap else { return left_out("listings beside javap's", "no javap") };
    let classes = classes();
    let mut compared = 0;
    for some in classes.chunks(40) {
        let output = Command::new(&javap).args(["-c", "-p"]).args(some).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let mut expected = disassembled(&text).into_iter();
        for path in some {
            let bytes = std::fs::read(path).unwrap();
            for method in 0.. {
                let lines = match listing(&bytes, method) {
                    Ok(lines) => lines,
                    Err(Error::NoMethod(_)) => break,
                    Err(error) => panic!("{}: {error}", path.display()),
                };
                if lines.is_empty() {
                    continue;
                }
                let names: Vec<(u32, String)> = lines
                    .iter()
                    .map(|(bci, text)| (*bci, text.split(' ').next().unwrap().to_owned()))
                    .collect();
                compared += names.len();
                assert_eq!(Some(names), expected.next(), "{} method {method}", path.display());
            }
        }
        assert_eq!(expected.next(), None);
    }
    assert!(compared > 10_000, "{compared} instructions were compared");
}

#[test]
fn names_and_constants_are_resolved() {
    let class =
        classes().into_iter().find(|path| path.ends_with("examples/BottomUpMergeSort.class")).unwrap();
    let bytes = std::fs::read(class).unwrap();
    let mut found: HashMap<&str, bool> = [
        "invokestatic BottomUpMergeSort.sort(int[])",
        "newarray int",
        "getstatic System.out",
        "invokevirtual PrintStream.println(String)",
        "invokestatic Arrays.toString(int[])",
    ]
    .map(|line| (line, false))
    .into();
    for method in 0.. {
        let Ok(lines) = listing(&bytes, method) else { break };
        for (_, text) in &lines {
            if let Some(seen) = found.get_mut(text.as_str()) {
                *seen = true;
            }
            if let Some(target) = text.strip_prefix("goto ") {
                let target: u32 = target.parse().unwrap();
                assert!(lines.iter().any(|(bci, _)| *bci == target), "{text}");
            }
        }
    }
    assert!(found.values().all(|seen| *seen), "{found:?}");
    let source = std::fs::read_to_string(testkit::root().join("examples/BottomUpMergeSort.java")).unwrap();
    let last = last_line(&bytes).unwrap().unwrap();
    assert!(last as usize <= source.lines().count() && last > 10, "{last}");
}

#[test]
fn a_damaged_class_is_listed_as_far_as_it_goes_and_never_panics() {
    let class = classes().into_iter().find(|path| path.ends_with("examples/Castling.class")).unwrap();
    let bytes = std::fs::read(class).unwrap();
    let list_all = |bytes: &[u8]| {
        (0..20).filter_map(|method| listing(bytes, method).ok()).filter(|lines| !lines.is_empty()).count()
    };
    assert!(list_all(&bytes) > 1);
    for length in 0..bytes.len() {
        assert_eq!(list_all(&bytes[..length]), 0);
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            list_all(&damaged);
            let _ = last_line(&damaged);
        }
    }
}
