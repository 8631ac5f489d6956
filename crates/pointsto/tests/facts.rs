//! Java programs with the facts beside them, in comments: `@A` names what a line creates; `= A B` is all that the
//! argument of `use` there may be (a name, or a class for what has none), `⊇ A` is among it; `calls C.m D.m` is all that
//! the line's last call may reach; `writes A` and `reads A` say whether that call may change it; `reached` and `unreached` are about the method that the line is in.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use classfile::{ClassFile, opcode as op};
use pointsto::{
    ClassLookup, CodePoint, Error, MemberName, MethodNo, ObjectNo, Observed, OperandNo, SeenAt, Solution,
    solve,
};

struct World {
    own: HashMap<String, Vec<u8>>,
    jdk: &'static HashMap<String, Vec<u8>>,
}

impl ClassLookup for World {
    fn bytes(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        if let Some(own) = self.own.get(name) {
            return Some(Cow::Borrowed(own));
        }
        let packed = self.jdk.get(name)?;
        miniz_oxide::inflate::decompress_to_vec(packed).ok().map(Cow::Owned)
    }

    fn is_program(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }
}

fn home() -> PathBuf {
    let found = Command::new(root().join("scripts/jdk")).arg("javac").output().expect("scripts/jdk");
    PathBuf::from(String::from_utf8(found.stdout).expect("a path").trim_end())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The classes of the JDK's base module, still packed.
fn jdk() -> &'static HashMap<String, Vec<u8>> {
    static JDK: OnceLock<HashMap<String, Vec<u8>>> = OnceLock::new();
    JDK.get_or_init(|| {
        let bytes = std::fs::read(home().join("jmods/java.base.jmod")).expect("the JDK's base module");
        let archive = rawzip::ZipArchive::from_slice(&bytes[4..]).expect("a zip after its head");
        let mut all = HashMap::new();
        for entry in archive.entries() {
            let entry = entry.expect("entry");
            let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            let name = path.strip_prefix("classes/").and_then(|p| p.strip_suffix(".class"));
            if let (Some(name), rawzip::CompressionMethod::DEFLATE) = (name, entry.compression_method()) {
                let raw = archive.get_entry(entry.wayfinder()).expect("content");
                all.insert(name.to_owned(), raw.data().to_vec());
            }
        }
        all
    })
}

fn compile(program: &str) -> World {
    let folder = tempfile::tempdir().expect("folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{program}.java"));
    let ran = Command::new(home().join("bin/javac"))
        .args(["-g", "-nowarn", "--release", "17", "-d"])
        .arg(folder.path())
        .arg(source)
        .output()
        .expect("javac");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let mut own = HashMap::new();
    for file in std::fs::read_dir(folder.path()).expect("folder") {
        let path = file.expect("file").path();
        let name = path.file_stem().expect("name").to_string_lossy().into_owned();
        own.insert(name, std::fs::read(path).expect("class"));
    }
    World { own, jdk: jdk() }
}

fn main_of(class: &str) -> MemberName {
    member(class, "main", "([Ljava/lang/String;)V")
}

fn member(class: &str, name: &str, descriptor: &str) -> MemberName {
    MemberName { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}

/// An instruction of the program, by its line.
struct At {
    line: u16,
    method: MemberName,
    bci: u16,
    op: u8,
    callee: String,
}

fn instructions(world: &World) -> Vec<At> {
    let mut all = Vec::new();
    for (name, bytes) in &world.own {
        let class = ClassFile::parse(bytes).expect("class");
        for m in &class.methods {
            let Some(code) = m.code(&class).expect("code") else { continue };
            let mut lines = code.lines();
            lines.sort_unstable();
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            for insn in code.insns().map(|i| i.expect("insn")) {
                let at = lines.partition_point(|l| l.0 as u32 <= insn.pc);
                let callee = if op::is_invoke(insn.op) {
                    text(class.pool.member(code.index(insn)).expect("member").name)
                } else {
                    String::new()
                };
                all.push(At {
                    line: lines[at - 1].1,
                    method: member(name, &text(m.name), &text(m.descriptor)),
                    bci: insn.pc as u16,
                    op: insn.op,
                    callee,
                });
            }
        }
    }
    all.sort_by_key(|a| (a.method.clone(), a.bci));
    all
}

/// Compares all facts of a program with the analysis.
fn check(program: &str) {
    let world = compile(program);
    let observed = Observed { entries: vec![main_of(program)], ..Default::default() };
    let solution = solve(&world, &observed, &mut |_, _| {}).expect("solved");
    let again = Solution::decode(&solution.encode(&[1; 32]), &[1; 32]).expect("what was kept");
    for s in [&solution, &again] {
        check_facts(program, &world, s);
    }
}

fn check_facts(program: &str, world: &World, s: &Solution) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{program}.java"));
    let source = std::fs::read_to_string(path).expect("source");
    let instructions = instructions(world);
    let facts: Vec<(u16, &str)> = source
        .lines()
        .enumerate()
        .filter_map(|(n, l)| Some((n as u16 + 1, l.split_once("; // ")?.1.trim())))
        .collect();
    let mut named: HashMap<ObjectNo, String> = HashMap::new();
    for &(line, fact) in &facts {
        if let Some(label) = fact.strip_prefix('@') {
            let creates = |a: &&At| {
                a.line == line
                    && matches!(
                        a.op,
                        op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY | op::INVOKEDYNAMIC
                    )
            };
            let mut any = false;
            for a in instructions.iter().filter(creates) {
                let method = s.method(&a.method).expect("a method");
                for o in s.created_at(method, a.bci) {
                    any = true;
                    named.insert(o, label.to_owned());
                }
            }
            assert!(any, "{program}:{line} creates something");
        }
    }
    let name =
        |o: &ObjectNo| named.get(o).cloned().unwrap_or_else(|| s.class_name(s.object(*o).class).to_owned());
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<String>>();
    let mut checked = 0;
    let mut wrong: Vec<String> = Vec::new();
    for &(line, fact) in &facts {
        let here = || instructions.iter().filter(|a| a.line == line);
        let reached = || here().filter_map(|a| s.method(&a.method)).any(|m| s.is_reached(m));
        let used = || -> BTreeSet<String> {
            let a =
                here().find(|a| a.callee == "use").unwrap_or_else(|| panic!("{program}:{line} uses nothing"));
            s.points_to(s.method(&a.method).expect("a method"), a.bci, OperandNo(0))
                .iter()
                .map(name)
                .collect()
        };
        if let Some(expected) = fact.strip_prefix('=') {
            assert_eq!(used(), words(expected), "{program}:{line}");
        } else if let Some(expected) = fact.strip_prefix('⊇') {
            assert!(used().is_superset(&words(expected)), "{program}:{line}: {:?}", used());
        } else if let Some(expected) = fact.strip_prefix("calls") {
            let a = here().rfind(|a| op::is_invoke(a.op)).expect("a call");
            let method = s.method(&a.method).expect("a method");
            let callees = s.callees(method, a.bci).iter().map(|&m| {
                assert!(
                    s.callers(m).contains(&(method, a.bci)),
                    "{program}:{line}: callers and callees agree"
                );
                let m = s.member(m);
                format!("{}.{}", m.class, m.name)
            });
            assert_eq!(callees.collect::<BTreeSet<_>>(), words(expected), "{program}:{line}");
        } else if let Some((writes, label)) =
            fact.split_once(' ').filter(|(word, _)| matches!(*word, "writes" | "reads"))
        {
            let calls = |a: &&At| op::is_invoke(a.op) && !a.method.name.starts_with("lambda$");
            let a = here().rfind(calls).expect("a call");
            let method = s.method(&a.method).expect("a method");
            let (object, _) = named.iter().find(|(_, name)| *name == label).expect("an object of that name");
            if s.may_write(method, a.bci, *object) != (writes == "writes") {
                wrong.push(format!("{program}:{line} {fact}"));
            }
        } else if fact == "reached" || fact == "unreached" {
            assert_eq!(reached(), fact == "reached", "{program}:{line}");
        } else if !fact.starts_with('@') {
            continue;
        }
        checked += 1;
    }
    assert!(checked > 5, "{program} has facts");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(s.left_out(), [], "{program}");
}

#[test]
fn calls_that_change_an_object_are_told_from_those_that_look() {
    check("Effects");
}

#[test]
fn variables_are_told_apart_and_joined() {
    check("Locals");
}

#[test]
fn fields_and_elements_belong_to_their_objects() {
    check("Fields");
}

#[test]
fn calls_reach_what_receivers_choose() {
    check("Dispatch");
}

#[test]
fn lambdas_call_their_implementations() {
    check("Lambdas");
}

#[test]
fn exceptions_reach_handlers_and_callers() {
    check("Throwing");
}

#[test]
fn objects_pass_through_the_jdk() {
    check("Library");
}

#[test]
fn what_the_run_saw_makes_up_for_reflection() {
    let world = compile("Reflecting");
    let main = main_of("Reflecting");
    let instructions = instructions(&world);
    let at = |callee: &str| {
        let a = instructions.iter().find(|a| a.callee == callee && a.method == main).expect("a call");
        CodePoint { method: main.clone(), bci: a.bci }
    };
    let called = member("Reflecting", "secret", "(Ljava/lang/Object;)V");
    let mut observed = Observed { entries: vec![main.clone()], ..Default::default() };
    let points = |observed: &Observed| {
        let s = solve(&world, observed, &mut |_, _| {}).expect("solved");
        let m = s.method(&main).expect("main");
        let classes: Vec<String> = s
            .points_to(m, at("use").bci, OperandNo(0))
            .iter()
            .map(|&o| s.class_name(s.object(o).class).to_owned())
            .collect();
        let secret = s.method(&called).expect("a method");
        let given: Vec<String> =
            s.parameter(secret, 0).iter().map(|&o| s.class_name(s.object(o).class).to_owned()).collect();
        (classes, given, s.callers(secret).to_vec(), m)
    };
    let (classes, given, callers, _) = points(&observed);
    assert!(!classes.contains(&"Reflecting".to_owned()) && given.is_empty() && callers.is_empty());
    observed.seen.push((SeenAt::Result(at("newInstance")), "Reflecting".to_owned()));
    observed.seen.push((SeenAt::Argument(called.clone(), 0), "java/lang/Thread".to_owned()));
    observed.calls.push((at("invoke"), called.clone()));
    let (classes, given, callers, m): (_, _, Vec<(MethodNo, u16)>, _) = points(&observed);
    assert!(classes.contains(&"Reflecting".to_owned()), "{classes:?}");
    assert!(given.contains(&"java/lang/Thread".to_owned()), "{given:?}");
    assert_eq!(callers, [(m, at("invoke").bci)]);
}

#[test]
fn missing_and_damaged_classes_are_listed_and_the_rest_goes_on() {
    let mut world = compile("Dispatch");
    world.own.remove("Dispatch$Circle");
    let square = world.own.get_mut("Dispatch$Square").expect("a class");
    square.truncate(square.len() / 2);
    let observed = Observed { entries: vec![main_of("Dispatch")], ..Default::default() };
    let s = solve(&world, &observed, &mut |_, _| {}).expect("solved");
    let left: Vec<&str> = s.left_out().iter().map(|l| l.0.as_str()).collect();
    assert_eq!(left, ["Dispatch$Circle", "Dispatch$Square"]);
    let make = s.method(&member("Dispatch$Lazy", "make", "()Ljava/lang/Object;")).expect("a method");
    assert!(s.is_reached(make));
}

#[test]
fn damaged_bytes_anywhere_are_no_panic() {
    let whole = compile("Lambdas");
    let bytes = whole.own["Lambdas"].clone();
    let observed = Observed { entries: vec![main_of("Lambdas")], ..Default::default() };
    // The JDK is left away: this is about reading one class.
    let empty: &'static HashMap<String, Vec<u8>> = Box::leak(Box::default());
    for at in (0..bytes.len()).step_by(7) {
        for change in [0x01, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            let world = World { own: HashMap::from([("Lambdas".to_owned(), damaged)]), jdk: empty };
            let _ = solve(&world, &observed, &mut |_, _| {});
        }
    }
}

#[test]
fn nothing_to_start_from_is_said() {
    let world = compile("Fields");
    assert!(matches!(solve(&world, &Observed::default(), &mut |_, _| {}), Err(Error::NothingObserved)));
}

#[test]
fn a_kept_solution_of_another_key_or_damaged_is_none() {
    let world = compile("Fields");
    let observed = Observed { entries: vec![main_of("Fields")], ..Default::default() };
    let s = solve(&world, &observed, &mut |_, _| {}).expect("solved");
    let whole = s.encode(&[1; 32]);
    assert!(Solution::decode(&whole, &[1; 32]).is_some());
    assert!(Solution::decode(&whole, &[2; 32]).is_none());
    for (at, len) in
        [(0, whole.len()), (45, whole.len()), (whole.len() / 2, whole.len()), (0, 20), (0, whole.len() - 1)]
    {
        let mut damaged = whole[..len].to_vec();
        damaged[at] ^= (len == whole.len()) as u8;
        assert!(Solution::decode(&damaged, &[1; 32]).is_none(), "{at} {len}");
    }
}
