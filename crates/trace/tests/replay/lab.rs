//! Compiles small Java programs and writes the log that recording them would leave, record by record, so that
//! replay can be checked against what the program does. Uses `javac` from the path.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use classfile::ClassFile;
use tempfile::TempDir;
use trace::record::Record;
use trace::tables::{self, ClassRecord, Detail, TypeRecord};
use trace::{
    ClassId, FrameWriter, Manifest, MethodId, ObjectId, Recording, ReplayEnd, ReplayLimits, SiteId, StreamId,
    StringId, TypeId,
};

use crate::resume::{self, recorded::recorded_event};

/// A compiled program, and the log of one thread that is being written.
pub struct Lab {
    dir: TempDir,
    classes: Vec<(String, Vec<u8>)>,
    details: HashMap<String, Detail>,
    types: Vec<(String, TypeId)>,
    pub log: Vec<u8>,
    sites: Vec<(String, u16, u16)>,
    strings: u32,
    /// Calls between the program's classes are announced.
    announcing: bool,
}

/// Any object of the program: ids with the bit that tells them from library objects.
pub fn program(number: u32) -> u32 {
    number | 1 << 31
}

impl Lab {
    /// Compiles the source of one file; its public class is called `Main`.
    pub fn new(source: &str) -> Lab {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("Main.java");
        fs::write(&file, source).unwrap();
        let out = Command::new("javac").arg("-g").arg("-d").arg(dir.path()).arg(&file).output().unwrap();
        assert!(out.status.success(), "javac: {}", String::from_utf8_lossy(&out.stderr));
        let mut classes = Vec::new();
        collect(dir.path(), &mut classes);
        classes.sort();
        let mut lab = Lab {
            dir,
            classes,
            details: HashMap::new(),
            types: Vec::new(),
            log: Vec::new(),
            sites: Vec::new(),
            strings: 0,
            announcing: false,
        };
        lab.ty("java/lang/Object");
        lab
    }

    pub fn detail(mut self, class: &str, detail: Detail) -> Self {
        self.details.insert(class.to_owned(), detail);
        self
    }

    /// As the program would be recorded: what one class of it calls of another is announced.
    pub fn announcing(mut self) -> Self {
        self.announcing = true;
        let names: Vec<String> = self.classes.iter().map(|(name, _)| name.clone()).collect();
        names.iter().for_each(|name| {
            self.ty(name);
        });
        self
    }

    /// The type with this name; made if there is none. The supertypes of the errors that tests use are known.
    pub fn ty(&mut self, name: &str) -> TypeId {
        if let Some(&(_, ty)) = self.types.iter().find(|(known, _)| known == name) {
            return ty;
        }
        let ty = TypeId(self.types.len() as u32);
        self.types.push((name.to_owned(), ty));
        ty
    }

    pub fn put(&mut self, record: Record<'_>) -> &mut Self {
        record.encode(&mut self.log);
        self
    }

    /// `Class.method`, or `Class.method(I)V` where the name is not enough.
    pub fn method(&self, name: &str) -> MethodId {
        let (class, method) = name.split_once('.').unwrap();
        let mut first = 0;
        for (name, bytes) in &self.classes {
            let file = ClassFile::parse(bytes).unwrap();
            if name == class {
                let index = file.methods.iter().position(|member| {
                    let (name, descriptor) = (member.name, member.descriptor);
                    method.as_bytes() == name || method.as_bytes() == [name, descriptor].concat()
                });
                return MethodId(first + index.unwrap_or_else(|| panic!("no {name}.{method}")) as u32);
            }
            first += file.methods.len() as u32;
        }
        panic!("no class {class}");
    }

    pub fn enter(&mut self, method: &str) -> &mut Self {
        self.put(Record::Enter(self.method(method)))
    }

    pub fn exit(&mut self) -> &mut Self {
        self.put(Record::Exit)
    }

    pub fn unlinked(&mut self, links: u32) -> &mut Self {
        self.put(Record::Unlinked { links })
    }

    pub fn links(&mut self, count: u32) -> &mut Self {
        self.put(Record::Links(count))
    }

    pub fn returned(&mut self) -> &mut Self {
        self.put(Record::Return)
    }

    pub fn int(&mut self, value: i32) -> &mut Self {
        self.put(Record::I32(value))
    }

    pub fn long(&mut self, value: i64) -> &mut Self {
        self.put(Record::I64(value))
    }

    pub fn float(&mut self, value: f32) -> &mut Self {
        self.put(Record::I32(value.to_bits() as i32))
    }

    pub fn double(&mut self, value: f64) -> &mut Self {
        self.put(Record::I64(value.to_bits() as i64))
    }

    pub fn reference(&mut self, id: u32) -> &mut Self {
        self.put(Record::Ref(id))
    }

    pub fn null(&mut self) -> &mut Self {
        self.put(Record::Ref(0))
    }

    pub fn seq(&mut self, number: u64) -> &mut Self {
        self.put(Record::Seq(number))
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.strings += 1;
        let id = StringId(self.strings);
        self.put(Record::String { id, chars: text.len() as u32, flags: 0, data: text.as_bytes() });
        self.put(Record::Str(id))
    }

    pub fn object(&mut self, id: u32, ty: &str) -> &mut Self {
        let ty = self.ty(ty);
        self.put(Record::Object { id: ObjectId(id), ty })
    }

    pub fn array(&mut self, id: u32, ty: &str, length: u32) -> &mut Self {
        let ty = self.ty(ty);
        self.put(Record::Array { id: ObjectId(id), ty, length })
    }

    pub fn unwind(&mut self, depth: u32, exception: u32) -> &mut Self {
        self.put(Record::Unwind { depth }).reference(exception)
    }

    pub fn catch(&mut self, depth: u32, handler: u16, exception: u32) -> &mut Self {
        self.put(Record::Catch { depth, handler }).reference(exception)
    }

    /// A site: the n-th instruction of a method with an opcode of this name.
    pub fn site(&mut self, method: &str, opcode: u8, nth: usize) -> SiteId {
        let (class, name) = method.split_once('.').unwrap();
        let (_, bytes) = self.classes.iter().find(|(known, _)| known == class).unwrap();
        let file = ClassFile::parse(bytes).unwrap();
        let index = file.methods.iter().position(|member| member.name == name.as_bytes()).unwrap();
        let code = file.methods[index].code(&file).unwrap().unwrap();
        let found = code.insns().map(Result::unwrap).filter(|insn| insn.op == opcode).nth(nth).unwrap();
        let (class, bci) = (class.to_owned(), found.pc as u16);
        self.sites.push((class, index as u16, bci));
        SiteId(self.sites.len() as u32 - 1)
    }

    /// Writes the recording and opens it.
    pub fn open(&self) -> Recording {
        self.open_with(|_| vec![self.log.clone()])
    }

    /// As `open`, with the log cut into frames; an empty frame is left out, as if it were damaged.
    pub fn open_with(&self, cut: impl FnOnce(&[u8]) -> Vec<Vec<u8>>) -> Recording {
        let dir = tempfile::tempdir_in(self.dir.path()).unwrap().keep();
        Manifest::default().store(&dir).unwrap();
        let mut writer = FrameWriter::create(&dir).unwrap();
        writer.write(0, 0, 1, false, &self.tables()).unwrap();
        for (chunk_number, frame) in cut(&self.log).iter().enumerate() {
            if !frame.is_empty() {
                writer.write(1, chunk_number as u32, 1, false, frame).unwrap();
            }
        }
        let mut recording = Recording::open(&dir).unwrap();
        recording.set_limits(ReplayLimits { at_end: 10_000, elsewhere: 10 });
        recording
    }

    /// The events of the thread, as lines; without those of the thread itself.
    pub fn lines(&self) -> Vec<String> {
        lines(&self.open()).0
    }

    /// Checks the events of the thread, and that log and code fit everywhere.
    #[track_caller]
    pub fn check(&self, expected: &str) {
        let (found, outcome) = lines(&self.open());
        compare(&found, expected);
        assert_eq!(outcome.gap_count, 0, "{:?}", outcome.gaps);
        self.check_resuming();
    }

    /// Whatever is done to the replay of this log, the events stay the same.
    pub fn check_resuming(&self) {
        let (recording, stream) = (self.open(), StreamId(1));
        resume::check(&recording, stream, &[1, 2, 7, 1000]);
        resume::check(&self.open_with(each_record), stream, &[1, 3]);
        let cuts = 1..self.log.len();
        resume::a_growing_log_tells_only_what_stays(&recording, stream, cuts, |cut| {
            self.open_with(|log| vec![log[..cut].to_vec()])
        });
    }

    /// The methods in a class's constant pool that are the program's.
    fn announced(&self, bytes: &[u8]) -> Vec<u16> {
        let file = ClassFile::parse(bytes).unwrap();
        let of_program = |&index: &u16| {
            let Ok(member) = file.pool.member(index) else { return false };
            member.descriptor.starts_with(b"(")
                && self.classes.iter().any(|(name, _)| name.as_bytes() == member.class)
        };
        (1..file.pool.len() as u16).filter(|_| self.announcing).filter(of_program).collect()
    }

    fn tables(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let (mut first_method, mut first_site) = (0, 0);
        for (number, (name, bytes)) in self.classes.iter().enumerate() {
            let methods = ClassFile::parse(bytes).unwrap().methods.len() as u16;
            // Sites were numbered in the order they were asked for: one class may have some.
            let sites: Vec<_> = self
                .sites
                .iter()
                .filter(|site| site.0 == *name)
                .map(|&(_, method, bci)| (method, bci))
                .collect();
            tables::encode_class(
                &mut out,
                &ClassRecord {
                    class: ClassId(number as u32),
                    first_method: MethodId(first_method),
                    methods,
                    detail: self.details.get(name).copied().unwrap_or(Detail::Full),
                    flags: if self.announcing { tables::CLASS_LINKS } else { 0 },
                    loader: 1,
                    name: name.as_bytes(),
                    source: b"test",
                    degraded: Cow::Borrowed(&[]),
                    first_site: SiteId(first_site),
                    sites: Cow::Borrowed(&sites),
                    bytes,
                    announced: Cow::Owned(self.announced(bytes)),
                },
            );
            first_method += u32::from(methods);
            first_site += sites.len() as u32;
        }
        let number = |name: &str| self.types.iter().find(|(known, _)| known == name).map(|&(_, ty)| ty);
        for (name, ty) in &self.types {
            let class = self.classes.iter().position(|(class, _)| class == name).filter(|_| self.announcing);
            let above = class.and_then(|at| {
                let file = ClassFile::parse(&self.classes[at].1).unwrap();
                number(std::str::from_utf8(file.super_name().unwrap()?).unwrap())
            });
            let super_type = match name.as_str() {
                "java/lang/Object" => TypeId::NONE,
                _ => above.unwrap_or_else(|| number("java/lang/Object").unwrap()),
            };
            let class = class.map_or(ClassId::NONE, |at| ClassId(at as u32));
            let flags = if name.starts_with('[') { tables::type_flag::ARRAY } else { 0 };
            let name = name.as_bytes();
            tables::encode_type(&mut out, &TypeRecord { ty: *ty, loader: 0, class, super_type, flags, name });
        }
        out
    }
}

pub fn lines(recording: &Recording) -> (Vec<String>, ReplayEnd) {
    let mut lines = Vec::new();
    let outcome = recording.events(StreamId(1), |event| {
        if event.site.is_some() || event.depth > 0 || !event.kind.name().starts_with("thread") {
            lines.push(format!("{} {}", event.depth, recorded_event(recording, event)));
        }
        ControlFlow::Continue(())
    });
    (lines, outcome)
}

/// Each record in a frame of its own.
fn each_record(mut log: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some(length) = trace::record::length(log) {
        let (record, rest) = log.split_at(length);
        frames.push(record.to_vec());
        log = rest;
    }
    frames
}

/// Lines of `expected` are trimmed; empty ones do not count.
#[track_caller]
pub fn compare(found: &[String], expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected, "\nfound:\n{}\n", found.join("\n"));
}

fn collect(dir: &Path, classes: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, classes);
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let bytes = fs::read(&path).unwrap();
            let name = String::from_utf8(ClassFile::parse(&bytes).unwrap().name().unwrap().to_vec()).unwrap();
            classes.push((name, bytes));
        }
    }
}
