//! Runs the analysis over class files in folders and jars and says what it cost: `measure MAIN PROGRAM ENTRIES PATH…`.
//! PROGRAM is the prefix of the program's classes; every method of the jars' classes under the prefix ENTRIES is an
//! entry, as if a run had come through it (`-` for none but MAIN).

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pointsto::{ClassLookup, MemberName, Observed, solve};

struct Files {
    files: HashMap<String, PathBuf>,
    jars: HashMap<String, Vec<u8>>,
    program: String,
}

impl ClassLookup for Files {
    fn bytes(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        if let Some(b) = self.jars.get(name) {
            return Some(Cow::Borrowed(b));
        }
        std::fs::read(self.files.get(name)?).ok().map(Cow::Owned)
    }

    fn is_program(&self, name: &str) -> bool {
        name.starts_with(&self.program)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let main = arguments.next().expect("main class");
    let program = arguments.next().expect("prefix of the program's classes");
    let all = arguments.next().expect("which classes are entries: a prefix, or -");
    let mut files = Files { files: HashMap::new(), jars: HashMap::new(), program };
    for a in arguments {
        let path = PathBuf::from(a);
        if path.is_dir() { list(&path, "", &mut files.files) } else { read_jar(&path, &mut files.jars) }
    }
    let mut observed = Observed::default();
    observed.entries.push(member(&main, "main", "([Ljava/lang/String;)V"));
    if all != "-" {
        for (name, bytes) in files.jars.iter().filter(|(n, _)| n.starts_with(&all)) {
            let Ok(class) = classfile::ClassFile::parse(bytes) else { continue };
            for m in &class.methods {
                let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
                observed.entries.push(member(name, &text(m.name), &text(m.descriptor)));
                if m.access & classfile::access::STATIC == 0 {
                    let seen =
                        pointsto::SeenAt::Argument(observed.entries.last().expect("just pushed").clone(), 0);
                    observed.seen.push((seen, name.clone()));
                }
            }
        }
        observed.entries.sort();
        observed.seen.sort();
    }
    let (start, before) = (Instant::now(), on_cpu());
    let solution = solve(&files, &observed, &mut |_, _| {}).expect("solved");
    let took = start.elapsed();
    println!("solved in {took:.3?}, {:.3} s of them on a processor", (on_cpu() - before) as f64 / 1e9);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS")) {
        println!("{line}");
    }
    let kept = std::env::temp_dir().join(format!("measure-{}.pts", std::process::id()));
    let start = Instant::now();
    std::fs::write(&kept, solution.encode(&[7; 32])).expect("saved");
    let saved = start.elapsed();
    let start = Instant::now();
    let loaded = pointsto::Solution::decode(&std::fs::read(&kept).expect("read"), &[7; 32]).expect("there");
    println!(
        "saved in {saved:.3?}, {} bytes, loaded in {:.3?}",
        std::fs::metadata(&kept).map_or(0, |m| m.len()),
        start.elapsed()
    );
    let _ = std::fs::remove_file(&kept);
    let solution = loaded;
    let reached: Vec<_> = solution.reached().collect();
    let program = reached.iter().filter(|&&m| solution.is_program(m)).count();
    let edges: usize = reached.iter().map(|&m| solution.callers(m).len()).sum();
    println!("{} methods reached, {program} of the program; {edges} call edges", reached.len());
    println!("{} left out", solution.left_out().len());
    for l in solution.left_out().iter().take(5) {
        println!("  {l:?}");
    }
}

/// Nanoseconds that this process ran.
fn on_cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn member(class: &str, name: &str, descriptor: &str) -> MemberName {
    MemberName { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}

fn read_jar(path: &Path, to: &mut HashMap<String, Vec<u8>>) {
    let bytes = std::fs::read(path).expect("jar");
    let archive = rawzip::ZipArchive::from_slice(&bytes).expect("zip");
    for entry in archive.entries() {
        let entry = entry.expect("entry");
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        let Some(class) = name.strip_suffix(".class") else { continue };
        let way = entry.wayfinder();
        let raw = archive.get_entry(way).expect("entry");
        let data = match entry.compression_method() {
            rawzip::CompressionMethod::STORE => raw.data().to_vec(),
            _ => miniz_oxide::inflate::decompress_to_vec(raw.data()).expect("deflate"),
        };
        to.entry(class.to_owned()).or_insert(data);
    }
}

/// Every class file below a folder, by its class's name.
fn list(folder: &Path, package: &str, to: &mut HashMap<String, PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            list(&path, &format!("{package}{name}/"), to);
        } else if let Some(class) = name.strip_suffix(".class") {
            to.entry(format!("{package}{class}")).or_insert(path);
        }
    }
}
