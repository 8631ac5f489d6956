//! What calls executed: against `fixtures/executed`, line by line, and against a reading of all events, one
//! instruction at a time, on programs that do odd things.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::rc::Rc;

use analysis::code::{Code, Codes};
use analysis::executed::{End, Executed};
use classfile::{ClassFile, Insn, opcode as op};
use index::Evidence;
use past::{CallId, Past, Position};
use shelf::Shelf;
use testkit::{Program, check_all, jdk17, jdks, root};
use trace::{Event, EventKind, MethodId};

/// Calls with the lines that they executed: a capital letter if all of it, a small one if a part. An instruction that
/// failed was executed.
const EXPECTED: [(&str, &str); 43] = [
    ("branch#1", "ABCE"),
    ("branch#2", "ABDE"),
    ("early#1", "AB"),
    ("early#2", "ACD"),
    ("loops#1", "ABCDEF"),
    ("loops#2", "ABCEF"),
    ("loops#3", "aF"),
    ("switched#1", "ABCDEI"),
    ("switched#2", "ABDEI"),
    ("switched#3", "ABHI"),
    ("caught#1", "ABCDI"),
    ("caught#2", "ABcEFI"),
    ("caught#3", "ABcGHI"),
    ("leaves#1", "ABCD"),
    ("leaves#2", "AB"),
    ("leaves#3", "ABCD"),
    ("finallyReturns#1", "ABC"),
    ("finallyReturns#2", "ABDE"),
    ("finallyThrows#1", "Ab"),
    ("both#1", "ABCDEF"),
    ("nothing#1", "a"),
    ("again#1", "AB"),
    ("shift#1", "A"),
    ("Executed$Failing.<init>#1", "Ab"),
    ("fail#1", "AB"),
    ("shortCircuit#1", "aC"),
    ("shortCircuit#2", "AC"),
    ("shortCircuit#3", "AD"),
    ("synchronizedPart#1", "ABCD"),
    ("synchronizedPart#2", "Ab"),
    ("callback#1", "AB"),
    ("one#1", "A"),
    ("swallow#1", "A"),
    ("swallow#2", "ABC"),
    ("swallow#3", "A"),
    ("swallow#4", "ABC"),
    ("swallow#5", "ABC"),
    ("swallow#6", "ABC"),
    ("swallow#7", "ABC"),
    ("swallow#8", "ABC"),
    ("one#2", "A"),
    ("one#3", "A"),
    ("one#4", "A"),
];

#[test]
fn calls_executed_the_lines_that_they_came_to() {
    check_all(&jdks(), |jdk| {
        let past = crate::past(&Program::new("executed", &["Executed"]), jdk);
        let executed = Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap();
        let faults = EXPECTED.iter().filter_map(|(name, expected)| {
            let found = lines(&past, &executed, name);
            (found != *expected).then(|| format!("{name}: {found} instead of {expected}"))
        });
        let faults: Vec<String> = faults.collect();
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
}

#[test]
fn a_call_that_did_not_end_may_still_execute_more() {
    let past = crate::past(&Program::new("executed", &["Executed", "halt"]), &jdk17());
    let executed = Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap();
    for (name, expected) in [("open#1", "ABC"), ("ends#1", "ABC")] {
        assert_eq!(lines(&past, &executed, name), expected, "{name}");
        assert!(executed.shape(executed.shape_of(call(&past, name)).unwrap()).unfinished());
    }
    let ended = executed.shape_of(call(&past, "branch#1")).unwrap();
    assert!(!executed.shape(ended).unfinished());
}

#[test]
fn what_was_executed_is_what_events_and_code_say_one_instruction_at_a_time() {
    let programs = [
        ("executed", "Executed", 30),
        ("loops", "Loops", 25),
        ("links", "Links", 30),
        ("events", "Events", 30),
        ("events", "EventsThreads", 5),
        ("examples", "BottomUpMergeSort", 5),
        ("examples", "Castling", 5),
        ("awkward", "Arithmetic", 10),
        ("awkward", "ConstructorExceptions", 10),
        ("awkward", "Concurrency", 5),
        ("awkward", "FinallyJumps", 10),
        ("awkward", "Patterns", 10),
        ("awkward", "StaticInit", 10),
        ("awkward", "Switches", 10),
        ("awkward", "Synchronization", 5),
        ("awkward", "HugeMethods", 3),
        ("awkward", "UncaughtMain", 2),
        ("awkward", "ExitMidway", 2),
        ("awkward", "Lambdas", 10),
    ];
    check_all(&programs, |&(group, program, at_least)| {
        let past = crate::past(&Program::new(group, &[program]), &jdk17());
        let executed = Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap();
        let fault = compare(&past, &executed, at_least);
        fault.map(|fault| format!("{program}: {fault}"))
    });
}

#[test]
fn it_is_kept_and_made_again_if_it_does_not_fit() {
    let recorded = Program::new("executed", &["Executed"]).record(&jdk17(), &[]).1;
    let past = crate::open(&recorded.path());
    let file = recorded.path().join("analysis/executed");
    let all = |executed: &Executed| {
        let shapes = executed.methods().flat_map(|method| executed.shapes(method).to_vec());
        let shapes = shapes.map(|id| (executed.shape(id).clone(), executed.calls(&past, id).collect()));
        shapes.collect::<Vec<(_, Vec<CallId>)>>()
    };
    let made = all(&Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap());
    assert!(made.iter().all(|(shape, calls)| shape.calls == calls.len() as u64 && shape.first == calls[0]));
    let bytes = fs::read(&file).unwrap();
    let mut told = 0;
    assert!(all(&Executed::open(&past, &past.shelf(), &mut |_| told += 1).unwrap()) == made && told == 0);
    // Damaged in any way, it is made again.
    let spoilt = [&bytes[..bytes.len() - 1], &bytes[..10], &[], &[&[0], &bytes[1..]].concat()];
    for spoilt in spoilt {
        fs::write(&file, spoilt).unwrap();
        assert!(all(&Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap()) == made);
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    let left: Vec<_> = fs::read_dir(recorded.path().join("analysis")).unwrap().collect();
    assert_eq!(left.len(), 1);
    // Another recording of the same program has no use for it.
    let other = Program::new("executed", &["Executed", "halt"]).record(&jdk17(), &[]).1;
    fs::create_dir(other.path().join("analysis")).unwrap();
    fs::copy(&file, other.path().join("analysis/executed")).unwrap();
    let executed =
        Executed::open(&crate::open(&other.path()), &crate::open(&other.path()).shelf(), &mut |_| {})
            .unwrap();
    assert_eq!(lines(&crate::open(&other.path()), &executed, "ends#1"), "ABC");
    // Where nothing can be kept, it is made all the same.
    fs::remove_dir_all(recorded.path().join("analysis")).unwrap();
    fs::write(recorded.path().join("analysis"), "in the way").unwrap();
    assert!(all(&Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap()) == made);
    assert!(all(&Executed::open(&past, &Shelf::nowhere(), &mut |_| {}).unwrap()) == made);
}

#[test]
fn without_branches_nothing_is_said_to_be_unexecuted() {
    let program = Program::new("executed", &["Executed"]).with_options(&["--detail", "heap"]);
    let past = crate::past(&program, &jdk17());
    let executed = Executed::open(&past, &past.shelf(), &mut |_| {}).unwrap();
    let shape = executed.shape(executed.shape_of(call(&past, "branch#1")).unwrap());
    assert!(shape.unknown && shape.calls == 2);
    assert_eq!(lines(&past, &executed, "branch#1"), "ABCDE");
}

fn call(past: &Past, name: &str) -> CallId {
    let name = if name.contains('.') { name.to_owned() } else { format!("Executed.{name}") };
    past.find_call(&name).unwrap()
}

/// The letters of the lines that a call executed.
fn lines(past: &Past, executed: &Executed, name: &str) -> String {
    let source = fs::read_to_string(root().join("fixtures/executed/Executed.java")).unwrap();
    let letters: HashMap<u32, char> = (1..)
        .zip(source.lines())
        .filter_map(|(at, line)| Some((at, line.split_once("// ")?.1.chars().next()?)))
        .collect();
    let call = call(past, name);
    let shape = executed.shape_of(call).unwrap();
    let code = Codes::default().get(past.recording().program(), executed.shape(shape).method).unwrap();
    let mut ran: BTreeMap<char, Vec<bool>> = BTreeMap::new();
    let (_, method) = past.recording().program().method(code.method).unwrap();
    for insn in &code.insns {
        let line = method.line(insn.bci).and_then(|line| letters.get(&u32::from(line)));
        if let Some(&letter) = line {
            ran.entry(letter).or_default().push(executed.ran(shape, &code, insn.bci));
        }
    }
    let shown = ran.into_iter().filter_map(|(letter, ran)| match ran.iter().filter(|ran| **ran).count() {
        0 => None,
        count if count == ran.len() => Some(letter.to_ascii_uppercase()),
        _ => Some(letter),
    });
    shown.collect()
}

/// Compares with what the events say; there must be so many calls of which it is known.
fn compare(past: &Past, executed: &Executed, at_least: usize) -> Option<String> {
    let mut reading = Reading { past, bodies: HashMap::new(), known: 0, faults: Vec::new() };
    for stream in past.streams() {
        let mut open: Vec<Naive> = Vec::new();
        let mut ordinal = 0;
        past.recording().events(stream, |event| {
            reading.event(executed, &mut open, event, Position { stream, ordinal });
            ordinal += 1;
            std::ops::ControlFlow::Continue(())
        });
        for call in open.drain(..).rev() {
            reading.end(executed, call, false);
        }
    }
    if reading.known < at_least {
        reading.faults.push(format!("only {} calls are known", reading.known));
    }
    reading.faults.truncate(10);
    (!reading.faults.is_empty()).then(|| reading.faults.join("\n"))
}

struct Reading<'p> {
    past: &'p Past,
    bodies: HashMap<MethodId, Option<Rc<Body>>>,
    known: usize,
    faults: Vec<String>,
}

/// A method, by instructions.
struct Body {
    code: Code,
    next: HashMap<u16, u16>,
    /// Where a jump, a switch's cases by ascending key, and its default lead.
    targets: HashMap<u16, (Vec<u16>, u16)>,
    opcodes: HashMap<u16, u8>,
}

/// A call, followed from instruction to instruction.
struct Naive {
    call: CallId,
    method: MethodId,
    body: Option<Rc<Body>>,
    at: u16,
    /// The instruction is over.
    done: bool,
    ran: BTreeSet<u16>,
    lost: bool,
}

impl Reading<'_> {
    fn event(&mut self, executed: &Executed, open: &mut Vec<Naive>, event: &Event<'_>, at: Position) {
        let depth = event.depth as usize;
        if let EventKind::Enter { .. } = event.kind {
            while open.len() >= depth {
                let call = open.pop().unwrap();
                self.end(executed, call, false);
            }
            let (site, call) = (event.site.unwrap(), self.past.index().call_at(at).unwrap());
            let body = self.body(site.method);
            let ran = BTreeSet::new();
            open.push(Naive { call, method: site.method, body, at: 0, done: false, ran, lost: false });
            return;
        }
        let Some(call) = depth.checked_sub(1).and_then(|top| open.get_mut(top)) else { return };
        match (event.site, event.kind) {
            (_, EventKind::Gap { .. }) => call.lost = true,
            (Some(site), kind) if !event.library && site.method == call.method => call.step(site.bci, &kind),
            _ => {}
        }
        if matches!(event.kind, EventKind::Exit { .. } | EventKind::Unwind { .. }) {
            assert_eq!(open.len(), depth);
            let call = open.pop().unwrap();
            self.end(executed, call, true);
        }
    }

    fn end(&mut self, executed: &Executed, call: Naive, ended: bool) {
        let name = self.past.call_name(call.call);
        let Some(id) = executed.shape_of(call.call) else {
            self.faults.push(format!("{name} has no shape"));
            return;
        };
        let shape = executed.shape(id);
        if shape.method != call.method {
            self.faults.push(format!("{name} has the shape of another method"));
        }
        let known = call.body.is_some() && !call.lost;
        if shape.unknown == known {
            self.faults.push(format!("{name}: unknown is {}", shape.unknown));
        }
        let Some(body) = call.body.filter(|_| known) else { return };
        self.known += 1;
        let insns = body.code.insns.iter().map(|insn| insn.bci);
        let found: BTreeSet<u16> = insns.filter(|&bci| executed.ran(id, &body.code, bci)).collect();
        if found != call.ran {
            let (more, less) = (found.difference(&call.ran), call.ran.difference(&found));
            let (more, less): (Vec<_>, Vec<_>) = (more.collect(), less.collect());
            self.faults.push(format!("{name}: {more:?} did not run, {less:?} did"));
        }
        if shape.unfinished() == ended {
            self.faults.push(format!("{name}: ended is {ended}"));
        }
        if let End::Returned(at) = shape.end
            && !op::is_return(body.opcodes[&at])
        {
            self.faults.push(format!("{name}: no return at {at}"));
        }
    }

    fn body(&mut self, method: MethodId) -> Option<Rc<Body>> {
        let program = self.past.recording().program();
        let read = || {
            let code = Code::read(program, method).ok()??;
            let (class, _) = program.method(method)?;
            let file = ClassFile::parse(&class.bytes).ok()?;
            let member = &file.methods[(method.0 - class.first_method.0) as usize];
            let source = member.code(&file).ok()??;
            let mut body =
                Body { code, next: HashMap::new(), targets: HashMap::new(), opcodes: HashMap::new() };
            for insn in source.insns().map(|insn| insn.unwrap()) {
                let Insn { pc, len, op: opcode, .. } = insn;
                body.next.insert(pc as u16, (pc + len) as u16);
                body.opcodes.insert(pc as u16, opcode);
                if op::is_short_jump(opcode) || op::is_wide_jump(opcode) {
                    let target = source.jump_target(insn).unwrap() as u16;
                    body.targets.insert(pc as u16, (vec![target], target));
                } else if matches!(opcode, op::TABLESWITCH | op::LOOKUPSWITCH) {
                    let switch = source.switch(insn).unwrap();
                    let cases = switch.cases.iter().map(|case| case.1 as u16).collect();
                    body.targets.insert(pc as u16, (cases, switch.default as u16));
                }
            }
            body.code.replayed.then(|| Rc::new(body))
        };
        self.bodies.entry(method).or_insert_with(read).clone()
    }
}

impl Naive {
    fn step(&mut self, bci: u16, kind: &EventKind<'_>) {
        let Some(body) = self.body.clone().filter(|_| !self.lost) else { return };
        match kind {
            EventKind::OrderingPoint { .. }
            | EventKind::Named { .. }
            | EventKind::BulkWrite(_)
            | EventKind::ArrayContents { .. }
            | EventKind::ObjectContents { .. } => return,
            EventKind::Catch { .. } => {
                (self.at, self.done) = (bci, false);
                return;
            }
            EventKind::Return { .. } => {
                self.done = true;
                return;
            }
            EventKind::Unwind { .. } => return,
            _ => {}
        }
        self.advance(&body);
        let mut left = 100_000;
        while self.at != bci {
            let opcode = body.opcodes[&self.at];
            let chooses = op::is_conditional(opcode) || op::is_return(opcode) || opcode == op::ATHROW;
            left -= 1;
            if chooses || matches!(opcode, op::TABLESWITCH | op::LOOKUPSWITCH) || left == 0 {
                self.lost = true;
                return;
            }
            self.ran.insert(self.at);
            self.done = true;
            self.advance(&body);
        }
        self.ran.insert(bci);
        match kind {
            EventKind::Branch { taken } => {
                self.at = if *taken { body.targets[&bci].1 } else { body.next[&bci] };
            }
            EventKind::Switch { case, .. } => {
                let (cases, default) = &body.targets[&bci];
                self.at = case.map_or(*default, |case| cases[case as usize]);
            }
            EventKind::Call { .. } | EventKind::Throw { .. } | EventKind::Exit { .. } => {}
            _ => self.done = true,
        }
    }

    /// On to what comes next, if the instruction is over.
    fn advance(&mut self, body: &Body) {
        if std::mem::take(&mut self.done) {
            let jumps = matches!(body.opcodes[&self.at], op::GOTO | op::GOTO_W);
            self.at = if jumps { body.targets[&self.at].1 } else { body.next[&self.at] };
        }
    }
}
