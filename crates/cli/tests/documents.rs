//! Documents lead somewhere: every relative link and anchor in them, every file that they name, and every document that
//! the code names. What is moved is mended in the same commit, because this fails otherwise.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages of the top folder; all of `docs/` comes to them.
const PAGES: [&str; 4] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "fixtures/omissions/README.md"];
/// Where code and scripts are that may name a page.
const CODE: [&str; 7] = ["crates", "java", "ui/src", "ui/test", "scripts", "bench", "Makefile"];
/// How names of source files end.
const SOURCES: [&str; 5] = [".rs", ".java", ".ts", ".tsx", ".mjs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn every_link_and_anchor_leads_somewhere() {
    let root = root();
    let mut wrong = Vec::new();
    let mut links = 0;
    for page in pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        for (line, target) in links_of(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            if let Err(why) = follow(&page, &target) {
                wrong.push(format!("{}:{line}: ({target}): {why}", shown(&root, &page)));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(links > 50, "only {links} links were found: are they still read?");
}

#[test]
fn every_source_file_that_a_page_names_is_there() {
    let root = root();
    let mut wrong = Vec::new();
    for page in pages(&root).into_iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(&page).unwrap();
        for (at, line) in text.lines().enumerate() {
            for name in line.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
                if ![root.join(name), root.join("crates").join(name)].iter().any(|path| path.exists()) {
                    wrong.push(format!("{}:{}: {name}", shown(&root, &page), at + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "files that are named and are not there:\n{}", wrong.join("\n"));
}

#[test]
fn every_page_that_code_names_is_there() {
    let root = root();
    let mut files = Vec::new();
    for name in CODE {
        below(&root.join(name), &mut files);
    }
    let mut wrong = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (at, line) in text.lines().enumerate() {
            for target in named_pages(line) {
                if let Err(why) = follow(&root.join("here"), &target) {
                    wrong.push(format!("{}:{}: {target}: {why}", shown(&root, &file), at + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "pages that are named and are not there:\n{}", wrong.join("\n"));
}

#[test]
fn the_front_doors_stay_short() {
    let text = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let lines = text("README.md").lines().count();
    assert!(lines < 120, "README.md has {lines} lines: under 120 are read");
    let bytes = text("docs/architecture.md").len();
    assert!(
        bytes <= 16_000,
        "docs/architecture.md has {bytes} bytes, at most 16,000: decisions have pages of their own"
    );
}

fn pages(root: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = PAGES.iter().map(|name| root.join(name)).collect();
    below(&root.join("docs"), &mut all);
    all.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    all
}

/// The files in a folder and all folders below; or the file itself.
fn below(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(folder) = fs::read_dir(path) else { return files.push(path.to_owned()) };
    let mut entries: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().for_each(|entry| below(entry, files));
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// A link as it stands on a page, with the number of its line. Code is no text: links in it are none.
fn links_of(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect();
        if !fenced {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            links.extend(targets.map(|(target, _)| (at + 1, target.to_owned())));
        }
    }
    links
}

fn follow(from: &Path, target: &str) -> Result<(), String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { from.to_owned() } else { normal(&from.with_file_name(file)) };
    if !path.exists() {
        return Err(format!("there is no {file}"));
    }
    if anchor.is_empty() {
        return Ok(());
    }
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    match anchors(&text).contains(&anchor.to_owned()) {
        true => Ok(()),
        false => Err(format!("there is no heading #{anchor}")),
    }
}

/// Without `..`, so that a link out of a folder that is a link itself is followed as a browser does.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut made, part| {
        if part == Component::ParentDir {
            made.pop();
        } else {
            made.push(part);
        }
        made
    })
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut fenced = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let before = seen.entry(slug.clone()).and_modify(|count| *count += 1).or_default();
        anchors.push(if *before == 0 { slug } else { format!("{slug}-{before}") });
    }
    anchors
}

/// A source file by its path; `…/events.rs` and `{a,b}.rs` are for people.
fn is_path(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    name.contains('/') && name.chars().all(plain) && SOURCES.iter().any(|end| name.ends_with(end))
}

/// Pages of `docs/` that a line of code names, with the anchor if there is one.
fn named_pages(line: &str) -> Vec<String> {
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || "/.-_#".contains(c);
    let names = line.match_indices("docs/").map(|(at, _)| {
        let name = &line[at..];
        name.split(|c| !part_of_name(c)).next().unwrap_or_default().trim_end_matches('.').to_owned()
    });
    names.filter(|name| name.split('#').next().is_some_and(|file| file.ends_with(".md"))).collect()
}

#[test]
fn links_anchors_and_names_are_read_as_people_write_them() {
    let page = "# One\n[a](b.md#c) `[no](x)` ![p](d.png)\n```\n[no](y)\n# no\n```\n## How do I …?\n## One\n";
    assert_eq!(links_of(page), [(2, "b.md#c".to_owned()), (2, "d.png".to_owned())]);
    assert_eq!(anchors(page), ["one", "how-do-i-", "one-1"]);
    assert_eq!(
        named_pages("see docs/format.md, docs/limits.md#the-debugger. And docs/images"),
        ["docs/format.md", "docs/limits.md#the-debugger"]
    );
    assert!(is_path("trace/src/probes.rs") && !is_path("probes.rs") && !is_path("…/events.rs"));
}
