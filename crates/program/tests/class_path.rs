//! The class path and the JDK's image against what real tools made: the installed JDKs, and jars of `jar`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::ClassFile;
use program::{ClassPath, Image};

/// Every JDK of this machine that has an image.
fn homes() -> Vec<PathBuf> {
    let folders = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    folders
        .chain(std::env::var_os("JAVA_HOME").map(PathBuf::from))
        .filter(|home| home.join("lib/modules").exists())
        .collect()
}

#[test]
fn an_image_has_the_classes_of_its_jdk_and_no_others() {
    let homes = homes();
    assert!(!homes.is_empty(), "no JDK to test with");
    for home in homes {
        let image = Image::open(&home.join("lib/modules")).unwrap();
        for name in [
            "java/lang/Object",
            "java/util/concurrent/ConcurrentHashMap",
            "java/sql/Driver",
            "sun/misc/Unsafe",
        ] {
            let bytes = image.class(name).unwrap_or_else(|| panic!("{name} in {}", home.display()));
            let class = ClassFile::parse(bytes).unwrap();
            assert_eq!(class.name().unwrap(), name.as_bytes());
        }
        for name in [
            "java/lang/Missing",
            "nowhere/Object",
            "Object",
            "",
            "/",
            "java.lang.Object",
            "java/lang/Object.class",
        ] {
            assert!(image.class(name).is_none(), "{name} in {}", home.display());
        }
    }
}

/// The tables of a real image with its contents cut away, then damaged: only wrong answers may come of it.
#[test]
fn a_damaged_image_never_panics() {
    let Some(home) = homes().into_iter().next() else { panic!("no JDK to test with") };
    let whole = fs::read(home.join("lib/modules")).unwrap();
    let word = |at: usize| u32::from_le_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
    let tables = 28 + word(16) * 8 + word(20) + word(24);
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("modules");
    let names = ["java/lang/Object", "java/util/List", "java/lang/String"];
    let mut found = 0;
    let mut chance = testkit::Chance::seeded(1);
    for round in 0..60 {
        let mut bytes = whole[..tables].to_vec();
        for _ in 0..20_000 {
            let at = 28 + chance.below(tables - 28);
            bytes[at] = chance.byte();
        }
        if round < 28 {
            bytes[round] ^= 0x40;
        }
        if round % 3 == 0 {
            bytes.truncate(round * 1000);
        }
        fs::write(&path, bytes).unwrap();
        if let Ok(image) = Image::open(&path) {
            found += names.iter().filter(|name| image.class(name).is_some()).count();
        }
    }
    assert_eq!(found, 0, "the contents are not there");
}

fn run(command: &mut Command) {
    let out = command.output().unwrap();
    assert!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Bytes that are no class file will do: nothing reads them.
fn write(root: &Path, file: &str, content: &str) {
    let file = root.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

#[test]
fn jars_name_further_jars_and_have_classes_for_newer_versions() {
    let home = homes().into_iter().next().expect("no JDK to test with");
    let jar = |folder: &Path, jar: &Path, manifest: &str| {
        write(folder, "../m", manifest);
        let arguments = [jar.as_os_str(), folder.join("../m").as_os_str()].map(ToOwned::to_owned);
        run(Command::new(home.join("bin/jar")).arg("cfm").args(arguments).arg("-C").arg(folder).arg("."));
    };
    let root = tempfile::tempdir().unwrap();
    let (one, two) = (root.path().join("one/classes"), root.path().join("two/classes"));
    write(&one, "p/A.class", "plain A");
    write(&one, "META-INF/versions/9/p/A.class", "A of 9");
    write(&one, "META-INF/versions/11/p/A.class", "A of 11");
    write(&one, "META-INF/versions/9999/p/A.class", "A of the future");
    write(&two, "p/A.class", "the other A");
    write(&two, "p/B.class", "B");
    let (first, second) = (root.path().join("first.jar"), root.path().join("second.jar"));
    jar(&two, &second, "Class-Path: first.jar\n");
    for (multi, expected) in [("", "plain A"), ("Multi-Release: true\n", "A of 11")] {
        jar(&one, &first, &format!("Class-Path: second.jar\n{multi}"));
        let path = ClassPath::open([first.clone()], Some(&home));
        assert!(path.problems().is_empty());
        let found = path.find("p/A").unwrap();
        assert_eq!(
            (String::from_utf8_lossy(&found.bytes).as_ref(), found.place),
            (expected, first.as_path())
        );
        assert_eq!(path.find("p/B").unwrap().place, second);
        assert_eq!(path.find("java/lang/Object").unwrap().place, home.join("lib/modules"));
        assert_eq!(path.find("p/C"), None);
    }
}
