//! Mistakes planted into programs, and how the dialogue finds them: what `bench/mutants` is made of.
//!
//!     mutants choose RECORDING --out DIR --seed 1 --count 40 --include org/kxml2
//!         picks mutations of what the recorded run executed; writes each as DIR/N/mutant.json and DIR/N/classes
//!     mutants play RECORDING MUTANT.json --id kxml2-3 --column dq-optimal/none/none ... [--tests DIR] [--earlier DIR]
//!         [--reference DIR] [--output TEXT]
//!         a line of JSON about the mutant, and one for each dialogue with a truthful person
//!     mutants judge RECORDING MUTANT.json
//!         the wrong calls, by name
//!     mutants weigh RECORDING MUTANT.json --oracle reference:DIR [--count 2000]
//!         what an oracle says of calls against the truth: how often, and each time that it says otherwise
//!     mutants patch CLASS MUTANT.json METHOD OUT
//!         the same mutation in another class file, in a method of that name

mod arithmetic;
mod body;
mod forward;
mod mutation;
mod player;
mod truth;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base::{CallId, Target};
use classfile::ClassFile;
use index::Evidence;
use past::{Past, Settings};
use session::{Answer, CodeKind, Oracle, OracleSpec, Subject, Transform, code_kind};

use mutation::{Kind, Mutant};
use player::Column;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first() {
        Some((command, rest)) => match command.as_str() {
            "choose" => choose(&Typed::parse(rest)),
            "play" => play(&Typed::parse(rest)),
            "judge" => judge(&Typed::parse(rest)),
            "weigh" => weigh(&Typed::parse(rest)),
            "patch" => patch(&Typed::parse(rest)),
            _ => {
                Err(format!("`{command}` is no command: there are choose, play, judge, weigh, patch").into())
            }
        },
        None => Err("give a command: choose, play, judge, weigh, patch".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `--name value` in any order, each as often as one likes, and the rest.
struct Typed {
    plain: Vec<String>,
    options: Vec<(String, String)>,
}

impl Typed {
    fn parse(words: &[String]) -> Typed {
        let (mut plain, mut options) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                Some(name) => options.push((name.to_owned(), words.next().cloned().unwrap_or_default())),
                None => plain.push(word.clone()),
            }
        }
        Typed { plain, options }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.options.iter().filter(move |option| option.0 == name).map(|option| option.1.as_str())
    }

    fn one(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|option| option.0 == name).map(|option| option.1.as_str())
    }

    fn place(&self, at: usize, what: &str) -> Result<PathBuf, Failure> {
        self.plain.get(at).map(PathBuf::from).ok_or_else(|| format!("{what} is missing").into())
    }
}

fn open(path: &Path) -> Result<Past, Failure> {
    Ok(Past::open(path, &Settings::default(), &mut |_| {})?)
}

fn choose(typed: &Typed) -> Result<(), Failure> {
    let past = open(&typed.place(0, "the recording")?)?;
    let out = PathBuf::from(typed.one("out").ok_or("--out is missing")?);
    let seed: u64 = typed.one("seed").unwrap_or("1").parse()?;
    let count: usize = typed.one("count").unwrap_or("20").parse()?;
    let includes: Vec<String> = typed.all("include").map(|name| name.replace('.', "/")).collect();
    let executed = forward::executed(&past);
    let program = past.recording().program();
    let mut methods: Vec<_> = executed.keys().copied().collect();
    methods.sort();
    methods.retain(|&id| {
        let found = program.method(id);
        found.is_some_and(|(class, _)| {
            includes.iter().any(|package| class.name.starts_with(package.as_str()))
                && !class.name.contains("$$")
        })
    });
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut seen = BTreeSet::new();
    let mut written = 0;
    for _ in 0..count * 50 {
        if written == count || methods.is_empty() {
            break;
        }
        let id = methods[random.below(methods.len())];
        let Some((class, method)) = program.method(id) else { continue };
        let file = ClassFile::parse(&class.bytes)?;
        let number = (id.0 - class.first_method.0) as usize;
        let counts = &executed[&id];
        let ran = |pc: u32| counts.get(pc as usize).is_some_and(|&count| count > 0);
        let all = mutation::mutations(&file, &file.methods[number], ran)?;
        let kinds: Vec<Kind> = all.iter().map(|one| one.kind).collect::<BTreeSet<_>>().into_iter().collect();
        if kinds.is_empty() {
            continue;
        }
        let kind = kinds[random.below(kinds.len())];
        let points: Vec<_> = all.into_iter().filter(|one| one.kind == kind).collect();
        let chosen = points[random.below(points.len())].clone();
        if !seen.insert((id, chosen.pc, kind, chosen.new.clone())) {
            continue;
        }
        let Ok(bytes) = mutation::mutated(&file, number, &chosen) else { continue };
        let mutant = Mutant {
            class: class.name.clone(),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            line: method.line(chosen.pc as u16),
            said: chosen.said(&file),
            mutation: chosen,
        };
        let folder = out.join(format!("{written:04}"));
        let place = folder.join("classes").join(format!("{}.class", class.name));
        fs::create_dir_all(place.parent().unwrap_or(&folder))?;
        fs::write(&place, bytes)?;
        fs::write(folder.join("mutant.json"), serde_json::to_string_pretty(&mutant)?)?;
        written += 1;
    }
    println!("{written} of {} methods", methods.len());
    Ok(())
}

fn read_mutant(path: &Path) -> Result<Mutant, Failure> {
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

fn play(typed: &Typed) -> Result<(), Failure> {
    let recording = typed.place(0, "the recording")?;
    let mutant = read_mutant(&typed.place(1, "the mutant")?)?;
    let id = typed.one("id").unwrap_or("mutant");
    let cap: usize = typed.one("cap").unwrap_or("100").parse()?;
    let past = open(&recording)?;
    let started = std::time::Instant::now();
    let truth = forward::truth(&past, &mutant);
    let wrong = truth.wrong(&past);
    let calls: u64 =
        past.streams().iter().map(|&stream| u64::from(past.program_calls_before(stream, u32::MAX))).sum();
    let unexplained = unexplained(&past, &wrong, &mutant);
    // Trusted, as code is that nobody writes: a mistake in it cannot be found, and is none that people make.
    let generated = wrong.iter().filter(|&&call| is_mutated(&past, call, &mutant)).any(|&call| {
        past.call_row(call).is_some_and(|row| code_kind(&past, row.target) == CodeKind::Generated)
    });
    let own: Vec<CallId> = wrong.iter().copied().filter(|&call| is_mutated(&past, call, &mutant)).collect();
    let of_method = own.first().and_then(|&call| past.call_row(call)).map_or(0, |first| {
        let rows = past
            .streams()
            .into_iter()
            .flat_map(|stream| (0..past.calls_in(stream)).map(move |index| CallId { stream, index }));
        rows.filter(|&call| past.call_row(call).is_some_and(|row| row.target == first.target)).count()
    });
    let facts = serde_json::json!({
        "mutant": id,
        "calls": calls,
        "active": truth.active.len(),
        "assumed": truth.assumed,
        "lost": truth.lost,
        "wrong": wrong.len(),
        "own_calls": of_method,
        "own_wrong": own.len(),
        "root_wrong": session::symptom(&past, None)?
            .is_some_and(|symptom| truth.call(&past, symptom.call) == Some(true)),
        "generated": generated,
        "unexplained": unexplained.iter().take(5).map(|&call| past.call_name(call)).collect::<Vec<_>>(),
        "took": started.elapsed().as_millis() as u64,
    });
    println!("{facts}");
    if truth.active.is_empty() || wrong.is_empty() {
        return Ok(());
    }
    for name in typed.all("column") {
        let parts: Vec<&str> = name.split('/').collect();
        let [strategy, transforms, evidence] = parts[..] else {
            return Err(format!("`{name}` is no column: STRATEGY/TRANSFORMS/EVIDENCE").into());
        };
        let named = transforms.split(',').filter(|&name| name != "none");
        let folder = |name: &str| typed.one(name).map(PathBuf::from);
        let (evidence, person) = match evidence.strip_suffix("+lists") {
            Some(evidence) => (evidence, true),
            None => (evidence, false),
        };
        let points = evidence == "pointing";
        let evidence = match evidence {
            "tests" => folder("tests").map(OracleSpec::Tests),
            "earlier" => folder("earlier").map(OracleSpec::Tests),
            "reference" => folder("reference").map(OracleSpec::Reference),
            _ => None,
        };
        let column = Column {
            strategy: strategy.parse()?,
            transforms: named.map(str::parse).collect::<Result<Vec<Transform>, _>>()?,
            evidence,
            points,
            person,
            output: typed.one("output").map(str::to_owned),
            name: name.to_owned(),
        };
        match player::play(&recording, id, &mutant, &truth, own.first().copied(), &column, cap) {
            Ok(played) => println!("{}", serde_json::to_string(&played)?),
            Err(error) => println!(
                "{}",
                serde_json::json!({
                    "mutant": id, "column": name, "outcome": "none", "why_none": error.to_string(), "blamed": null,
                    "line": null, "lines": 0, "questions": 0, "known": 0, "seconds": 0.0, "took": 0, "asked": [],
                })
            ),
        }
    }
    Ok(())
}

/// Calls that are wrong although nothing that they called is, and the mutation is not in them: what the truth cannot account
/// for.
fn unexplained(past: &Past, wrong: &[CallId], mutant: &Mutant) -> Vec<CallId> {
    let all: BTreeSet<CallId> = wrong.iter().copied().collect();
    let below = |call: CallId| {
        let size = past.call_row(call).map_or(1, |row| row.size);
        let last = CallId { index: call.index.saturating_add(size), ..call };
        all.range(call..last).nth(1).is_some()
    };
    wrong.iter().copied().filter(|&call| !below(call) && !is_mutated(past, call, mutant)).collect()
}

/// Is it a call of the mutated method?
fn is_mutated(past: &Past, call: CallId, mutant: &Mutant) -> bool {
    past.call_row(call).is_some_and(|row| {
        let (class, method, descriptor) = past.target(row.target);
        matches!(row.target, Target::Method(_))
            && (class == mutant.class && method == mutant.method && descriptor == mutant.descriptor)
    })
}

fn judge(typed: &Typed) -> Result<(), Failure> {
    let past = open(&typed.place(0, "the recording")?)?;
    let mutant = read_mutant(&typed.place(1, "the mutant")?)?;
    let truth = forward::truth(&past, &mutant);
    for call in truth.wrong(&past) {
        println!("{}", past.call_name(call));
    }
    eprintln!("{} active, {} assumed, {} lost", truth.active.len(), truth.assumed, truth.lost);
    Ok(())
}

/// All wrong calls, and of the others so many, spread evenly.
fn weigh(typed: &Typed) -> Result<(), Failure> {
    let past = open(&typed.place(0, "the recording")?)?;
    let mutant = read_mutant(&typed.place(1, "the mutant")?)?;
    let count: usize = typed.one("count").unwrap_or("2000").parse()?;
    let spec: OracleSpec = typed.one("oracle").ok_or("--oracle is missing")?.parse()?;
    let mut oracle = Oracle::open(&spec, &past, None, &Settings::default())?;
    let wrong: BTreeSet<CallId> = forward::truth(&past, &mutant).wrong(&past).into_iter().collect();
    let calls = past.streams().into_iter();
    let calls =
        calls.flat_map(|stream| (0..past.calls_in(stream)).map(move |index| CallId { stream, index }));
    let calls: Vec<CallId> = calls.filter(|&call| past.is_program_call(call)).collect();
    let step = calls.len().div_ceil(count.max(1)).max(1);
    let chosen = calls.iter().enumerate().filter(|(at, call)| at % step == 0 || wrong.contains(call));
    let mut counts = [[0u32; 3]; 2];
    for (_, &call) in chosen {
        let said = oracle.answer(&past, &Subject::Call { call: call.number() }).map(|(answer, _)| answer);
        let is_wrong = wrong.contains(&call);
        let at = match said {
            Some(Answer::Correct) => 0,
            Some(_) => 1,
            None => 2,
        };
        counts[usize::from(is_wrong)][at] += 1;
        if at < 2 && (at == 1) != is_wrong || at == 2 && is_mutated(&past, call, &mutant) {
            println!("{} {}", ["called right", "called wrong", "not known"][at], past.call_name(call));
        }
    }
    for (name, counts) in ["right", "wrong"].iter().zip(counts) {
        println!("{name}: {} called right, {} called wrong, {} not known", counts[0], counts[1], counts[2]);
    }
    Ok(())
}

fn patch(typed: &Typed) -> Result<(), Failure> {
    let bytes = fs::read(typed.place(0, "the class file")?)?;
    let mutant = read_mutant(&typed.place(1, "the mutant")?)?;
    let name = typed.plain.get(2).ok_or("the method is missing")?;
    let file = ClassFile::parse(&bytes)?;
    let fits = |method: &classfile::Member<'_>| {
        method.name == name.as_bytes() && method.descriptor == mutant.descriptor.as_bytes()
    };
    let number = file.methods.iter().position(fits).ok_or("there is no such method")?;
    // The same code names other constants there.
    let mut mutation = mutant.mutation;
    let code = file.methods[number].code(&file)?.ok_or("there is no code")?;
    let there = code.code.get(mutation.pc as usize..mutation.end as usize).ok_or("the code is shorter")?;
    if there.first() != mutation.old.first() {
        return Err("the code is another one".into());
    }
    mutation.old = there.to_vec();
    fs::write(typed.place(3, "where to write")?, mutation::mutated(&file, number, &mutation)?)?;
    Ok(())
}

/// Numbers at random, the same for a seed on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}
