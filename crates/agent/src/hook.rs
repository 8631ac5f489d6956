//! The class load hook: decides whether a class is program code, weaves it, and writes its original bytes down.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use classfile::{ClassFile, Member, MemberRef, access};
use instrument::{Linking, OtherClasses, ProgramDetail, Woven};
use jvmti_bindings::sys::jni::jobject;
use trace::codes::note;
use trace::tables::{self, CLASS_LINKS, CLASS_NOT_RECORDED, CLASS_SWAPS_RECORDED, ClassRecord};
use trace::{ClassId, MethodId, SiteId};

use crate::agent::Agent;
use crate::definer;
use crate::jvm::Jni;
use crate::recorder::Recorder;

/// A class that is being loaded.
pub struct Loading<'a> {
    pub name: &'a [u8],
    pub bytes: &'a [u8],
    pub loader: jobject,
    pub domain: jobject,
    /// It is loaded, and an agent has it changed.
    pub redefined: bool,
}

/// The bytes to load instead, if any.
pub fn loading(agent: &Agent, jni: Jni, class: &Loading<'_>) -> Option<Vec<u8>> {
    if let Some(made) = instrument::hide_recorder(class.name, class.bytes) {
        return match made {
            Ok(bytes) => Some(bytes),
            Err(e) => {
                agent.note(
                    note::AGENT_ERROR,
                    &format!("{} shows traces of the recorder: {e}", String::from_utf8_lossy(class.name)),
                );
                None
            }
        };
    }
    if class.name.starts_with(instrument::RECORDERS) {
        return None;
    }
    if class.loader.is_null() && instrument::is_collection(class.name) && !agent.options.weave_only {
        return weave_collection(agent, class);
    }
    let scope = agent.scope.get()?;
    let recorder = agent.recorder.get()?;
    let source = source_of(jni, recorder, class.domain);
    let name = String::from_utf8_lossy(class.name);
    let number = || recorder.loader(jni, class.loader);
    // Who has a class changed has not made it.
    let made_by_program = || match class.redefined {
        true => agent.class_of(class.name, number()).is_some(),
        false => definer::is_program(agent, jni),
    };
    if !scope.contains(&name, &source, class.loader.is_null(), made_by_program) {
        return library(agent, class, &source);
    }
    weave(agent, class, number(), &source)
}

/// A class of a library. Those of the JDK stay as they are: many are in the JVM's archive, and one that is changed while
/// it is loaded counts as a new class, which uses up an identity hash code.
fn library(agent: &Agent, class: &Loading<'_>, source: &str) -> Option<Vec<u8>> {
    if class.loader.is_null() || source.starts_with("jrt:") {
        return None;
    }
    match instrument::translate_hashes(class.bytes)? {
        Ok(bytes) => Some(bytes),
        Err(e) => {
            let name = String::from_utf8_lossy(class.name);
            agent.note(
                note::AGENT_ERROR,
                &format!("{name} sees other identity hash codes than the program: {e}"),
            );
            None
        }
    }
}

fn weave(agent: &Agent, class: &Loading<'_>, loader: u32, source: &str) -> Option<Vec<u8>> {
    let number = agent.next_class.fetch_add(1, Ordering::Relaxed);
    let mut record = ClassRecord {
        class: ClassId(number),
        first_method: MethodId(0),
        methods: 0,
        detail: tables::Detail::Full,
        flags: 0,
        loader,
        name: class.name,
        source: source.as_bytes(),
        degraded: Cow::Borrowed(&[]),
        first_site: SiteId(0),
        sites: Cow::Borrowed(&[]),
        bytes: class.bytes,
        announced: Cow::Borrowed(&[]),
    };
    record.detail = match agent.options.detail {
        ProgramDetail::Calls => tables::Detail::Calls,
        ProgramDetail::Heap => tables::Detail::Heap,
        ProgramDetail::Full => tables::Detail::Full,
    };
    // One class of a name is linked to by name; the code of one that is changed later is not what its objects' class says.
    if !class.redefined && agent.is_first(class.name, number) {
        record.flags = CLASS_LINKS;
    }
    let woven = parse_and_weave(agent, class, &mut record, source);
    let bytes = match woven {
        Ok(woven) => {
            agent.pool.degraded().fetch_add(woven.degraded.len() as u32, Ordering::Relaxed);
            for (method, reason) in &woven.degraded {
                let what = if *reason == instrument::NOT_RECORDED {
                    "not recorded"
                } else {
                    "recorded at detail calls"
                };
                agent.note(
                    note::DEGRADED,
                    &format!(
                        "method {method} of {} is {what}: it grew too large",
                        String::from_utf8_lossy(class.name)
                    ),
                );
            }
            record.degraded = Cow::Owned(woven.degraded);
            record.sites = Cow::Owned(woven.sites);
            record.announced = Cow::Owned(woven.announced);
            Some(woven.bytes)
        }
        Err(e) => {
            record.flags = CLASS_NOT_RECORDED;
            record.announced = Cow::Borrowed(&[]);
            agent.pool.degraded().fetch_add(1, Ordering::Relaxed);
            agent.note(
                note::DEGRADED,
                &format!("{} is not recorded: {e}", String::from_utf8_lossy(class.name)),
            );
            None
        }
    };
    if bytes.is_none() || has_unrecorded(&record) {
        agent.remember_partial(number);
    }
    let mut out = Vec::with_capacity(class.bytes.len() + 256);
    tables::encode_class(&mut out, &record);
    agent.tables.append(&agent.pool, &out);
    agent.remember_class(class.name, loader, number);
    bytes
}

/// Has the class methods that run without a record of ours?
fn has_unrecorded(record: &ClassRecord<'_>) -> bool {
    let native = |method: &Member<'_>| method.is(access::NATIVE) && !method.is(access::STATIC);
    record.degraded.iter().any(|&(_, reason)| reason == instrument::NOT_RECORDED)
        || ClassFile::parse(record.bytes).map_or(true, |file| file.methods.iter().any(native))
}

fn weave_collection(agent: &Agent, class: &Loading<'_>) -> Option<Vec<u8>> {
    let number = agent.next_class.fetch_add(1, Ordering::Relaxed);
    let first_site = agent.next_site.fetch_add(class.bytes.len() as u32, Ordering::Relaxed);
    let woven = match instrument::weave_library(class.bytes, first_site) {
        Ok(woven) => woven,
        Err(e) => {
            agent.note(
                note::DEGRADED,
                &format!("writes in {} are not recorded: {e}", String::from_utf8_lossy(class.name)),
            );
            return None;
        }
    };
    let must_stay = agent.must_stay(class.name);
    let changed = (!must_stay && woven.bytes != class.bytes).then_some(woven.bytes);
    // What does not write at all may be written by what it is nested in.
    let swaps = std::str::from_utf8(class.name).is_ok_and(jdk::contents::swaps);
    let is_seen = changed.is_some() || !must_stay && swaps;
    // A class without writes may still be the superclass of one, or declare fields that objects hold.
    let is_interface =
        || ClassFile::parse(class.bytes).is_ok_and(|file| file.access & access::INTERFACE != 0);
    if woven.sites.is_empty() && is_interface() {
        return changed;
    }
    let record = ClassRecord {
        class: ClassId(number),
        first_method: MethodId(agent.next_method.fetch_add(woven.methods as u32, Ordering::Relaxed)),
        methods: woven.methods,
        detail: tables::Detail::Library,
        flags: if is_seen { CLASS_SWAPS_RECORDED } else { 0 },
        loader: 0,
        name: class.name,
        source: b"jrt:/java.base",
        degraded: Cow::Borrowed(&[]),
        first_site: SiteId(first_site),
        sites: Cow::Owned(woven.sites),
        bytes: class.bytes,
        announced: Cow::Borrowed(&[]),
    };
    let mut out = Vec::with_capacity(class.bytes.len() + 256);
    tables::encode_class(&mut out, &record);
    agent.tables.append(&agent.pool, &out);
    agent.describe(class.name);
    changed
}

fn parse_and_weave(
    agent: &Agent,
    class: &Loading<'_>,
    record: &mut ClassRecord<'_>,
    source: &str,
) -> classfile::Result<Woven> {
    let parsed = ClassFile::parse(class.bytes)?;
    record.methods = parsed.methods.len() as u16;
    record.first_method =
        MethodId(agent.next_method.fetch_add(parsed.methods.len() as u32, Ordering::Relaxed));
    // A site per instruction is more than enough; numbers are plentiful.
    record.first_site = SiteId(agent.next_site.fetch_add(class.bytes.len() as u32, Ordering::Relaxed));
    remember(agent, &parsed)?;
    instrument::weave(
        class.bytes,
        agent.options.detail,
        record.first_method.0,
        record.first_site.0,
        &Known { agent, source, exact: record.flags & CLASS_LINKS != 0, redefined: class.redefined },
    )
}

/// What is known of the classes loaded so far.
struct Known<'a> {
    agent: &'a Agent,
    /// Where the class comes from that is woven.
    source: &'a str,
    /// It is what is meant where its name is.
    exact: bool,
    redefined: bool,
}

impl OtherClasses for Known<'_> {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        self.agent.volatile_fields.read().is_ok_and(|set| set.contains(field.name))
    }

    fn is_program(&self, class: &[u8]) -> bool {
        self.agent.program_packages.read().is_ok_and(|set| set.contains(package(class)))
    }

    /// What is in the same place as the class is as much the program's as that.
    fn is_announced(&self, class: &[u8]) -> bool {
        let name = String::from_utf8_lossy(class);
        let beside = || {
            self.agent.scope.get().is_some_and(|scope| scope.contains(&name, self.source, false, || false))
        };
        !jdk::owner::is_jdk(class) && (self.is_program(class) || beside())
    }

    fn link(&self, linking: Linking, method: MemberRef<'_>) -> u32 {
        let class = if linking == Linking::Exact { method.class } else { b"" };
        self.agent.link([class, method.name, method.descriptor].join(&0))
    }

    fn links(&self, linking: Linking) -> bool {
        !self.redefined && (linking == Linking::Virtual || self.exact)
    }
}

fn remember(agent: &Agent, class: &ClassFile<'_>) -> classfile::Result<()> {
    let name = class.name()?;
    if let Ok(mut set) = agent.program_packages.write() {
        set.insert(package(name).to_vec());
    }
    for field in class.fields.iter().filter(|f| f.is(access::VOLATILE)) {
        if let Ok(mut set) = agent.volatile_fields.write() {
            set.insert(field.name.to_vec());
        }
    }
    Ok(())
}

/// The package of a class, or of the elements of an array class.
fn package(class: &[u8]) -> &[u8] {
    let class = match class.iter().position(|&b| b != b'[') {
        Some(dims) if dims > 0 => &class[dims + 1..],
        _ => class,
    };
    class.iter().rposition(|&b| b == b'/').map_or(b"", |at| &class[..at])
}

/// URL of the place that the class comes from; empty if it has none.
fn source_of(jni: Jni, recorder: &Recorder, domain: jobject) -> String {
    if domain.is_null() {
        return String::new();
    }
    let place = || {
        let source = jni.call(domain, recorder.code_source)?;
        let url = jni.call(source, recorder.location)?;
        let text = jni.call(url, recorder.url_text)?;
        let result = String::from_utf8_lossy(&jni.text(text)).into_owned();
        for object in [text, url, source] {
            jni.drop_local(object);
        }
        Some(result)
    };
    place().unwrap_or_default()
}
