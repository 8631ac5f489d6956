//! Finding sources in folders and archives that the tests write.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use program::{Error, Source, Sources};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use tempfile::TempDir;

/// A folder with the given files; their texts come after the names.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn zip(path: &Path, files: &[(&str, &str)]) {
    let mut archive = ZipArchiveWriter::new(File::create(path).unwrap());
    for (number, (name, text)) in files.iter().enumerate() {
        // Both ways of packing that jars use.
        let packed = number % 2 == 0;
        let method = if packed { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let (mut entry, config) = archive.new_file(*name).compression_method(method).start().unwrap();
        let mut data = config.wrap(Vec::new());
        data.write_all(text.as_bytes()).unwrap();
        let (bytes, descriptor) = data.finish().unwrap();
        let bytes = if packed { miniz_oxide::deflate::compress_to_vec(&bytes, 6) } else { bytes };
        entry.write_all(&bytes).unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
}

fn below(root: &Path) -> Sources {
    Sources::new(vec![root.to_owned()], None, vec![], None).unwrap()
}

fn relative(source: Option<Source>, root: &TempDir) -> Option<String> {
    let path = source?.path;
    Some(path.strip_prefix(&format!("{}/", root.path().display())).unwrap_or(&path).to_owned())
}

#[test]
fn every_usual_layout_is_searched() {
    for file in [
        "demo/app/Main.java",
        "src/main/java/demo/app/Main.java",
        "src/test/java/demo/app/Main.java",
        "src/demo/app/Main.java",
        "java/demo/app/Main.java",
        "core/src/main/java/demo/app/Main.java",
        "parts/core/src/main/java/demo/app/Main.java",
        "Main.java",
        "odd/place/Main.java",
    ] {
        let root = folder(&[(file, "package demo.app;\nclass Main {}\n")]);
        for sources in
            [below(root.path()), Sources::new(vec![], Some(root.path().to_owned()), vec![], None).unwrap()]
        {
            let found = sources.find("demo/app/Main$Inner", Some("Main.java"));
            assert_eq!(relative(found, &root).as_deref(), Some(file));
        }
        let by_class = below(root.path()).find("demo/app/Main$Inner$1", None);
        assert_eq!(relative(by_class, &root).as_deref(), Some(file), "without a SourceFile attribute");
    }
}

#[test]
fn other_languages_are_found_by_their_source_file() {
    let root = folder(&[
        ("src/main/kotlin/tools/Run.kt", "package org.demo.tools\nfun main() {}"),
        ("src/main/groovy/org/demo/G.groovy", "package org.demo"),
        ("src/main/scala/org/demo/S.scala", "package org\npackage demo\nclass Other"),
    ]);
    let sources = below(root.path());
    for (class, file, expected) in [
        ("org/demo/tools/RunKt", Some("Run.kt"), "src/main/kotlin/tools/Run.kt"),
        ("org/demo/tools/RunKt", None, "src/main/kotlin/tools/Run.kt"),
        ("org/demo/G$_run_closure1", Some("G.groovy"), "src/main/groovy/org/demo/G.groovy"),
        ("org/demo/Other", Some("S.scala"), "src/main/scala/org/demo/S.scala"),
    ] {
        assert_eq!(relative(sources.find(class, file), &root).as_deref(), Some(expected), "{class}");
    }
}

#[test]
fn a_file_of_another_package_is_not_taken() {
    let root = folder(&[
        ("demo/Main.java", "package other;\nclass Main {}"),
        ("Main.java", "class Main {}"),
        ("a/Twin.java", "package a;"),
        ("b/Twin.java", "package b;"),
    ]);
    let sources = below(root.path());
    assert_eq!(relative(sources.find("demo/Main", Some("Main.java")), &root), None);
    assert_eq!(relative(sources.find("Main", Some("Main.java")), &root).as_deref(), Some("Main.java"));
    assert_eq!(
        relative(sources.find("other/Main", Some("Main.java")), &root).as_deref(),
        Some("demo/Main.java")
    );
    assert_eq!(relative(sources.find("b/Twin", Some("Twin.java")), &root).as_deref(), Some("b/Twin.java"));
    assert_eq!(relative(sources.find("c/Twin", Some("Twin.java")), &root), None);
}

#[test]
fn a_second_file_that_fits_makes_the_first_suspicious() {
    let text = "package demo;";
    let root = folder(&[("one/src/demo/A.java", text), ("two/src/demo/A.java", text)]);
    let found = below(root.path()).find("demo/A", Some("A.java")).unwrap();
    assert!(found.path.ends_with("one/src/demo/A.java"));
    let suspicion = found.suspicious.unwrap();
    assert!(suspicion.contains("two/src/demo/A.java fits the class as well"), "{suspicion}");
}

#[test]
fn names_in_class_files_do_not_lead_elsewhere() {
    let root = folder(&[("secret/Key.java", "class Key {}"), ("src/X.java", "class X {}")]);
    let sources = below(&root.path().join("src"));
    for (class, file) in [
        ("Key", Some("../secret/Key.java")),
        ("../secret/Key", Some("Key.java")),
        ("Key", Some("..")),
        ("Key", Some("")),
        ("", None),
        ("[LX;", None),
    ] {
        assert!(sources.find(class, file).is_none(), "{class} {file:?}");
    }
}

#[test]
fn a_single_file_and_archives_are_sources_too() {
    let root = folder(&[("Main.java", "class Main {}\n")]);
    let archive = root.path().join("all.zip");
    zip(
        &archive,
        &[
            ("demo/A.java", "package demo;\nclass A {}\n"),
            ("java.base/java/util/Tiny.java", "package java.util;\n"),
            ("demo/B.java", "package demo;\nclass B {}\n"),
        ],
    );
    let roots = vec![root.path().join("Main.java"), archive.clone()];
    let sources = Sources::new(roots, None, vec![], None).unwrap();
    assert_eq!(sources.find("Main", Some("Main.java")).unwrap().line(1), Some("class Main {}"));
    for class in ["A", "B"] {
        let found = sources.find(&format!("demo/{class}"), Some(&format!("{class}.java"))).unwrap();
        assert_eq!(found.path, format!("{}!/demo/{class}.java", archive.display()));
        assert_eq!(found.line(2), Some(format!("class {class} {{}}").as_str()));
        assert_eq!((found.line(0), found.line(3)), (None, None));
    }
    assert!(sources.find("java/util/Tiny", Some("Tiny.java")).is_some(), "below the folder of its module");
}

#[test]
fn jars_have_their_sources_beside_them_and_the_jdk_its_own() {
    let root = folder(&[("jdk/lib/release", ""), ("lib/broken-sources.jar", "no zip")]);
    zip(&root.path().join("lib/tool-1.2-sources.jar"), &[("org/Tool.java", "package org;")]);
    zip(&root.path().join("jdk/lib/src.zip"), &[("java.base/java/util/List.java", "package java.util;")]);
    let jars: Vec<PathBuf> =
        ["broken.jar", "none.jar", "tool-1.2.jar"].map(|jar| root.path().join("lib").join(jar)).into();
    let sources = Sources::new(vec![], None, jars, Some(root.path().join("jdk"))).unwrap();
    assert_eq!(
        relative(sources.find("org/Tool", Some("Tool.java")), &root).as_deref(),
        Some("lib/tool-1.2-sources.jar!/org/Tool.java")
    );
    assert_eq!(
        relative(sources.find("java/util/List", Some("List.java")), &root).as_deref(),
        Some("jdk/lib/src.zip!/java.base/java/util/List.java")
    );
}

#[test]
fn a_damaged_entry_is_not_taken() {
    let root = folder(&[]);
    let path = root.path().join("a.zip");
    zip(&path, &[("x/Other.java", "package x;"), ("a/A.java", "package a; // undamaged")]);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|window| window == b"undamaged").unwrap();
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let sources = below(&path);
    assert!(sources.find("a/A", Some("A.java")).is_none());
    assert!(sources.find("x/Other", Some("Other.java")).is_some());
}

#[test]
fn a_named_place_has_to_be_there_and_readable() {
    let root = folder(&[("notes.txt", "no zip")]);
    let missing = root.path().join("nowhere");
    let error = Sources::new(vec![missing.clone()], None, vec![], None).err().unwrap();
    assert!(matches!(&error, Error::Missing(path) if *path == missing));
    assert_eq!(error.to_string(), format!("the source path {} does not exist", missing.display()));
    let text = root.path().join("notes.txt");
    let error = Sources::new(vec![text], None, vec![], None).err().unwrap();
    assert!(matches!(error, Error::Archive { .. }), "{error}");
}

#[test]
fn a_file_that_cannot_be_what_was_compiled_is_suspicious() {
    let root = folder(&[("A.java", &"x\n".repeat(10))]);
    let found = below(root.path()).find("A", Some("A.java")).unwrap();
    let suspicion = |last_line, class_time| found.clone().checked(last_line, class_time).suspicious;
    let (now, hour) = (SystemTime::now(), Duration::from_secs(3600));
    assert_eq!(suspicion(Some(10), Some(now + hour)), None);
    assert_eq!(
        suspicion(Some(57), None).as_deref(),
        Some("the file has 10 lines, the class mentions line 57")
    );
    assert_eq!(suspicion(None, Some(now - hour)).as_deref(), Some("the file is newer than the class"));
}

#[test]
fn what_the_user_named_comes_before_the_working_folder() {
    let named = folder(&[("A.java", "class A {} // named")]);
    let working = folder(&[("A.java", "class A {} // working"), ("B.java", "class B {}")]);
    let roots = vec![named.path().to_owned()];
    let sources = Sources::new(roots, Some(working.path().to_owned()), vec![], None).unwrap();
    assert!(sources.find("A", Some("A.java")).unwrap().text.contains("named"));
    assert!(sources.find("B", Some("B.java")).is_some());
}
