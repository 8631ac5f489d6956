//! Goes through everything that happened and notes what the rules mean: values of fields, arguments, results, what is
//! put under a key that is called so, and what texts say of themselves. What holds a secret makes what it is put into
//! one, so it is gone through until nothing more is found.

use std::collections::HashMap;

use trace::record::{self, Record};
use trace::tables::{Detail, TableRecord};
use trace::{
    BulkWrite, Elements, Event, EventKind, MethodId, ObjectId, Read, ReadKind, Recording, Site, StreamId,
    Then, Value, Visitor,
};

use super::arrays::{self, Arrays};
use super::known::{Known, OfMethod};
use super::rules::{Meant, Rules};
use super::secrets::Secrets;
use crate::error::{Error, Result};

/// What is nested more deeply is hardly a secret, and each round reads everything.
const ROUNDS: usize = 24;
/// Characters that one instruction gave, of which the last are kept.
const RUN: usize = 256;

const NUMBER: &str = "a number or a truth value: what is computed from it would show it again";
const SINGLE: &str = "single characters of a redacted text: what is computed from them would show them again";

/// All secrets of a recording. Tells when it begins to go through everything once more.
pub fn collect(
    recording: &Recording,
    rules: &Rules,
    secrets: &mut Secrets,
    begins: &mut dyn FnMut(),
) -> Result<()> {
    secrets.texts.extend(rules.texts.iter().cloned());
    manifest(recording, rules, secrets);
    constants(recording, rules, secrets);
    each_text(recording, &mut |text| say_themselves(rules, secrets, text))?;
    for _ in 0..ROUNDS {
        let before = secrets.size();
        secrets.sharpen();
        begins();
        round(recording, rules, secrets)?;
        if secrets.size() == before {
            return Ok(());
        }
    }
    Err(Error::Unsound {
        what: "what the rules name holds other objects more deeply than is followed".to_owned(),
        remedy: "name the classes and fields with the texts themselves".to_owned(),
    })
}

/// The command line: `--password x`, `-Dtoken=x`.
fn manifest(recording: &Recording, rules: &Rules, secrets: &mut Secrets) {
    let command = &recording.manifest().command;
    for (at, word) in command.iter().enumerate() {
        say_themselves(rules, secrets, word);
        let is_option = word.starts_with('-') && !word.contains('=') && rules.name(word);
        if let Some(next) = command.get(at + 1).filter(|next| is_option && !next.starts_with('-')) {
            secrets.add_text(rules, next);
        }
    }
}

fn say_themselves(rules: &Rules, secrets: &mut Secrets, text: &str) {
    for found in rules.within(text) {
        secrets.add_text(rules, found);
    }
}

/// Fields that are constants are written nowhere; and what the literals of classes say of themselves.
fn constants(recording: &Recording, rules: &Rules, secrets: &mut Secrets) {
    let program = recording.program();
    for class in program.classes() {
        for field in program.model(class).map_or(&[][..], |model| &model.fields) {
            let (Some(meant), Some(value)) = (rules.field(&class.name, &field.name), field.constant) else {
                continue;
            };
            match value {
                Value::Literal { class, index } => {
                    if let Some(text) = program.literal(class, index) {
                        secrets.add_text(rules, text);
                    }
                }
                _ if meant == Meant::Exactly => {
                    secrets.refuse(NUMBER, format!("{}.{}", class.name.replace('/', "."), field.name));
                }
                _ => {}
            }
        }
        for text in super::class_file::literals(&class.bytes) {
            say_themselves(rules, secrets, &text);
        }
    }
}

/// Shows every text that the log defines, and the names of threads.
fn each_text(recording: &Recording, see: &mut dyn FnMut(&str)) -> Result<()> {
    let frames = recording.frames();
    for stream in frames.streams() {
        for piece in frames.pieces(stream) {
            let trace::frame_reader::Piece::Frame(frame) = piece else { continue };
            let bytes = frames.load(frame).ok_or_else(damaged)?;
            if stream == StreamId::TABLES {
                continue;
            }
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (found, length) = record::decode(rest).ok_or_else(damaged)?;
                if let Record::String { flags, data, .. } = found {
                    let wide = flags & trace::codes::string_flag::UTF16 != 0;
                    see(&trace::text::from_java(data, wide));
                }
                rest = &rest[length..];
            }
        }
    }
    trace::tables::for_each(&tables(recording)?, &mut |found: TableRecord<'_>| match found {
        TableRecord::String { flags, data, .. } => {
            let wide = flags & trace::codes::string_flag::UTF16 != 0;
            see(&trace::text::from_java(data, wide));
        }
        TableRecord::Thread(thread) => see(&trace::text::from_modified(thread.name)),
        TableRecord::Note { text, .. } => see(&trace::text::from_modified(text)),
        _ => {}
    });
    Ok(())
}

/// The table stream as a whole.
pub fn tables(recording: &Recording) -> Result<Vec<u8>> {
    let frames = recording.frames();
    let mut bytes = Vec::new();
    for piece in frames.pieces(StreamId::TABLES) {
        let trace::frame_reader::Piece::Frame(frame) = piece else { return Err(damaged()) };
        bytes.extend(frames.load(frame).ok_or_else(damaged)?);
    }
    Ok(bytes)
}

pub fn damaged() -> Error {
    Error::Unsound {
        what: "a part of the recording is damaged and cannot be looked into (`inquest verify` names it)"
            .to_owned(),
        remedy: "pack it without --redact, or record again".to_owned(),
    }
}

fn round(recording: &Recording, rules: &Rules, secrets: &mut Secrets) -> Result<()> {
    let (mut arrays, mut known) = (Arrays::default(), Known::default());
    for thread in recording.threads() {
        let watch = Watch {
            recording,
            rules,
            secrets: &mut *secrets,
            arrays: &mut arrays,
            known: &mut known,
            calls: Vec::new(),
            runs: HashMap::new(),
        };
        let mut replay = recording.replay(thread.stream, watch);
        replay.run(u64::MAX);
        if let Some(gap) = replay.outcome().gaps.first() {
            let place =
                gap.site.map_or("outside of calls".to_owned(), |site| recording.method_name(site.method));
            return Err(Error::Unsound {
                what: format!(
                    "a call could not be followed to its end ({place}), so it is not known what it handled"
                ),
                remedy: "leave that class out when recording (--exclude), or pack without --redact"
                    .to_owned(),
            });
        }
    }
    Ok(())
}

/// A call of program code, and the one that it makes.
#[derive(Default)]
struct Open {
    /// What the call that is out gives.
    meant: Option<Meant>,
    /// It gives single characters of a secret.
    picks: bool,
    /// See [`OfMethod::name`].
    name: u64,
}

/// Who gives values one after the other, which may be the characters of a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    /// An argument of a method that a library calls.
    Argument(MethodId, usize),
    /// An instruction.
    Site(Site),
    /// All calls of a method of this name: a loop may have one before it and one in it.
    Callee(u64),
    Array(ObjectId),
}

struct Watch<'r> {
    recording: &'r Recording,
    rules: &'r Rules,
    secrets: &'r mut Secrets,
    arrays: &'r mut Arrays,
    known: &'r mut Known,
    calls: Vec<Open>,
    /// The last characters that each of them gave.
    runs: HashMap<Source, String>,
}

impl Visitor for Watch<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let depth = event.depth as usize;
        self.calls.resize_with(depth + 1, Open::default);
        match event.kind {
            EventKind::Enter { args, .. } => {
                self.calls[depth] = Open::default();
                if let Some(site) = event.site {
                    self.entered(site, args);
                }
            }
            EventKind::Exit { value: Some(value) } => {
                if let Some(site) = event.site
                    && let Some(meant) = self.known.method(self.rules, self.recording, site.method).result
                {
                    let recording = self.recording;
                    self.mark(value, meant, || where_in(recording, Some(site)));
                }
            }
            EventKind::Call { callee, args } => self.called(event.site, callee, args, depth),
            EventKind::Return { value: Some(value) } => {
                let open = std::mem::take(&mut self.calls[depth]);
                if open.picks {
                    self.refuse(SINGLE, event.site);
                }
                if let Some(meant) = open.meant {
                    let (recording, site) = (self.recording, event.site);
                    self.mark(value, meant, || where_in(recording, site));
                }
                self.run(event.site, Source::Callee(open.name), value);
                self.run_at(event.site, value);
            }
            EventKind::FieldWrite { object, field, value } => {
                self.field(event.site, Some(object), field, value);
            }
            EventKind::StaticWrite { field, value } => {
                self.field(event.site, None, field, value);
            }
            EventKind::LocalWrite { slot, value } => {
                if let Some(site) = event.site
                    && self.known.local(self.rules, self.recording, site, slot)
                {
                    self.mark(value, Meant::ByName, String::new);
                }
            }
            EventKind::ArrayWrite { array, index, value } => {
                self.element_written(event.site, array, index, value)
            }
            EventKind::BulkWrite(bulk) => self.bulk(bulk),
            EventKind::ArrayContents { array, from, elements, .. } => self.contents(array, from, elements),
            EventKind::ObjectContents { object, values } => self.object_contents(object, values),
            _ => {}
        }
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        match read.kind {
            ReadKind::Field { object, field, value } => {
                self.field(Some(read.site), Some(object), field, value);
            }
            ReadKind::Static { field, value } => {
                self.field(Some(read.site), None, field, value);
            }
            ReadKind::Element { array: Value::Object(array), value, .. } => {
                if self.secrets.arrays.contains(&array) {
                    self.refuse(SINGLE, Some(read.site));
                }
                if self.secrets.objects.contains(&array) {
                    self.mark(value, Meant::ByName, String::new);
                }
                self.run(Some(read.site), Source::Array(array), value);
                self.run_at(Some(read.site), value);
            }
            ReadKind::Element { .. } => {}
        }
    }
}

impl Watch<'_> {
    fn entered(&mut self, site: Site, args: &[Value]) {
        for (at, &value) in args.iter().enumerate() {
            let method = self.known.method(self.rules, self.recording, site.method);
            if let Some(meant) = method.arguments.get(at).copied().flatten() {
                let recording = self.recording;
                self.mark(value, meant, || where_in(recording, Some(site)));
            }
            self.run(Some(site), Source::Argument(site.method, at), value);
        }
    }

    fn called(&mut self, site: Option<Site>, callee: &trace::Callee, args: &[Value], depth: usize) {
        let (rules, recording) = (self.rules, self.recording);
        let rest = if callee.receiver() { args.get(1..).unwrap_or_default() } else { args };
        let OfMethod { result, keyed, picks, name, .. } = *self.known.callee(rules, callee);
        let mut open = Open { meant: result, picks: false, name };
        for (at, &value) in rest.iter().enumerate() {
            if let Some(meant) = self.known.callee(rules, callee).arguments.get(at).copied().flatten() {
                self.mark(value, meant, || where_in(recording, site));
            }
        }
        let key = rest.iter().position(|&value| keyed && self.known.key(rules, recording, value));
        if let Some(key) = key {
            open.meant = Some(open.meant.unwrap_or(Meant::ByName));
            for &value in &rest[key + 1..] {
                self.mark(value, Meant::ByName, String::new);
            }
        }
        open.picks = picks && args.first().is_some_and(|&value| self.is_secret(value));
        self.calls[depth] = open;
    }

    fn field(&mut self, site: Option<Site>, object: Option<Value>, field: &trace::FieldRef, value: Value) {
        let holder = match object {
            Some(Value::Object(id)) => Some(id),
            _ => None,
        };
        let meant = self.known.field(self.rules, field);
        if let Some(meant) = meant.or_else(|| self.meant_by_holder(holder)) {
            let recording = self.recording;
            let at = || {
                format!("{}.{} in {}", field.owner.replace('/', "."), field.name, where_in(recording, site))
            };
            self.mark(value, meant, at);
        }
    }

    /// Are the texts of an object secret, because it was met under a name that says so?
    fn meant_by_holder(&self, holder: Option<ObjectId>) -> Option<Meant> {
        let id = holder?;
        if self.secrets.objects.contains(&id) {
            return Some(Meant::ByName);
        }
        if !self.rules.has_classes() {
            return None;
        }
        let ty = self.recording.objects().type_of(id)?;
        let class = &self.recording.program().type_info(ty)?.name;
        self.rules.class(class).then_some(Meant::Exactly)
    }

    fn object_contents(&mut self, object: ObjectId, values: &[Value]) {
        let holder = self.meant_by_holder(Some(object));
        let recording = self.recording;
        let fields = recording.objects().type_of(object).map_or(&[][..], |ty| recording.program().fields(ty));
        for (at, &value) in values.iter().enumerate() {
            let named = fields.get(at).and_then(|field| self.known.field(self.rules, field));
            if let Some(meant) = named.or(holder) {
                let at = || fields.get(at).map_or(String::new(), |field| field.owner.replace('/', "."));
                self.mark(value, meant, at);
            }
        }
    }

    fn contents(&mut self, array: ObjectId, from: u32, elements: Elements<'_>) {
        match elements {
            Elements::References(values) => {
                if self.secrets.objects.contains(&array) {
                    values.iter().for_each(|&value| self.mark(value, Meant::ByName, String::new));
                }
            }
            Elements::Primitive { kind, data } => {
                let Some(units) = arrays::units(kind, data).filter(|_| from < LARGEST) else { return };
                let known = self.arrays.put(array, from as usize, &units);
                let spelled = arrays::spellings(known);
                let text = arrays::text(known);
                say_themselves(self.rules, self.secrets, &text);
                self.secrets.sharpen();
                if spelled.iter().any(|bytes| self.secrets.needles.is_in(bytes)) {
                    self.secrets.arrays.insert(array);
                }
                if self.secrets.marked.contains(&array) && matches!(kind, b'B' | b'C') {
                    self.secrets.add_text(self.rules, &text);
                }
            }
        }
    }

    /// Is what the program puts together element by element a secret?
    fn element_written(&mut self, site: Option<Site>, array: Value, index: i32, value: Value) {
        let Value::Object(array) = array else { return };
        let unit = match value {
            Value::Int(value) => u16::try_from(value).or(u16::try_from(value & 0xff)).unwrap_or(u16::MAX),
            value => {
                if self.secrets.objects.contains(&array) {
                    self.mark(value, Meant::ByName, String::new);
                }
                return;
            }
        };
        let Ok(index) = u32::try_from(index) else { return };
        if index < LARGEST {
            let around = arrays::spellings(self.arrays.put_one(array, index as usize, unit));
            if around.iter().any(|bytes| self.secrets.needles.is_in(bytes)) {
                self.secrets.arrays.insert(array);
                self.refuse(SINGLE, site);
            }
        }
    }

    fn bulk(&mut self, bulk: BulkWrite) {
        let (source, from, target, to, length) = match bulk {
            BulkWrite::Copy { source, from, target, to, length } => (source, from, target, to, length),
            BulkWrite::Clone { source, target } => (source, 0, target, 0, i32::MAX),
            BulkWrite::Fill { .. } => return,
        };
        let (Value::Object(source), Value::Object(target)) = (source, target) else { return };
        if self.secrets.objects.contains(&source) {
            self.secrets.objects.insert(target);
        }
        let place = |at: i32| u32::try_from(at).ok().filter(|&at| at < LARGEST);
        let (Some(from), Some(to), Ok(length)) = (place(from), place(to), usize::try_from(length)) else {
            return;
        };
        let known = self.arrays.copy((source, from as usize), (target, to as usize), length);
        if arrays::spellings(known).iter().any(|bytes| self.secrets.needles.is_in(bytes)) {
            self.secrets.arrays.insert(target);
        }
    }

    fn run_at(&mut self, site: Option<Site>, value: Value) {
        if let Some(at) = site {
            self.run(site, Source::Site(at), value);
        }
    }

    /// A value came from there: do those that came one after the other make a secret?
    fn run(&mut self, site: Option<Site>, source: Source, value: Value) {
        let (Value::Int(value) | Value::Box { bits: value, .. }) = value else { return };
        let Some(c) = u32::try_from(value).ok().and_then(char::from_u32) else { return };
        let run = self.runs.entry(source).or_default();
        run.push(c);
        if run.len() > 2 * RUN {
            let from = run.char_indices().map(|(at, _)| at).find(|&at| run.len() - at <= RUN).unwrap_or(0);
            run.drain(..from);
        }
        let from = run.len().saturating_sub(RUN);
        let from = (from..=run.len()).find(|&at| run.is_char_boundary(at)).unwrap_or(0);
        if self.secrets.ends(&run[from..]) {
            self.refuse(SINGLE, site);
        }
    }

    /// Notes what belongs to a value that is meant.
    fn mark(&mut self, value: Value, meant: Meant, place: impl FnOnce() -> String) {
        match value {
            Value::Str(_) | Value::Literal { .. } => {
                let Some(text) = self.text(value).filter(|text| !text.is_empty()) else { return };
                if self.rules.keep.contains(text.trim()) {
                    return;
                }
                if let Value::Str(id) = value {
                    self.secrets.strings.insert(id);
                }
                self.secrets.add_text(self.rules, &text);
            }
            Value::Object(id) => self.mark_object(id, meant),
            Value::Int(_)
            | Value::Long(_)
            | Value::Float(_)
            | Value::Double(_)
            | Value::Box { .. }
            | Value::Box64 { .. }
                if meant == Meant::Exactly =>
            {
                self.secrets.refuse(NUMBER, place());
            }
            _ => {}
        }
    }

    fn mark_object(&mut self, id: ObjectId, meant: Meant) {
        let (objects, program) = (self.recording.objects(), self.recording.program());
        let Some(ty) = objects.type_of(id).and_then(|ty| program.type_info(ty)) else { return };
        match ty.name.as_bytes() {
            [b'[', b'Z' | b'B' | b'C' | b'S' | b'I' | b'J' | b'F' | b'D'] => {
                self.secrets.arrays.insert(id);
                self.secrets.marked.insert(id);
                let text = arrays::text(self.arrays.known(id));
                if ty.name == "[B" || ty.name == "[C" {
                    self.secrets.add_text(self.rules, &text);
                }
            }
            _ => {
                let class = ty.class.and_then(|class| program.class(class));
                let of_program = class.is_some_and(|class| class.detail != Detail::Library);
                // Whatever is called a token may lead to all of the program.
                if ty.name.starts_with('[') || !of_program || meant == Meant::Exactly {
                    self.secrets.objects.insert(id);
                }
            }
        }
    }

    fn text(&self, value: Value) -> Option<String> {
        match value {
            Value::Str(id) => self.recording.objects().string(id).map(|text| text.text),
            Value::Literal { class, index } => {
                self.recording.program().literal(class, index).map(str::to_owned)
            }
            _ => None,
        }
    }

    fn is_secret(&self, value: Value) -> bool {
        match value {
            Value::Object(id) => self.secrets.objects.contains(&id),
            Value::Str(id) if self.secrets.strings.contains(&id) => true,
            value => self.text(value).is_some_and(|text| self.secrets.needles.is_in(text.as_bytes())),
        }
    }

    fn refuse(&mut self, how: &str, site: Option<Site>) {
        let place = where_in(self.recording, site);
        self.secrets.refuse(how, place);
    }
}

/// Elements behind this are not looked at one by one.
const LARGEST: u32 = 1 << 24;

fn place(class: &trace::Class, method: &str) -> String {
    format!("{}.{method}", class.name.replace('/', "."))
}

fn where_in(recording: &Recording, site: Option<Site>) -> String {
    let Some(site) = site else { return "outside of calls".to_owned() };
    let Some((class, method)) = recording.program().method(site.method) else { return "a call".to_owned() };
    match method.line(site.bci) {
        Some(line) => format!("{} (line {line})", place(class, &method.name)),
        None => place(class, &method.name),
    }
}
