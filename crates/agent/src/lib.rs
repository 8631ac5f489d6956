//! The JVMTI agent: weaves classes as they are loaded and gives the recorder (`java/`) its chunks.
//!
//! It runs inside the debuggee, so whatever goes wrong here must not be noticed there: every entry from the JVM
//! catches panics, and a failure means that less is recorded, never that the program does something else.

mod agent;
mod code_source;
mod definer;
mod hash_state;
mod hook;
mod jvm;
mod layouts;
mod main_class;
mod manifest;
mod memory;
mod natives;
mod options;
mod recorder;
mod scope;
mod sibling;
mod table_stream;

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use jvmti_bindings::sys::jni::{JNIEnv, JavaVM, jclass, jint, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT,
    jvmtiEnv, jvmtiEventCallbacks,
};
use pool::{AgentState, CHUNK_SIZE, Lock, Pool, Setup};
use trace::codes::note;

use crate::agent::Agent;
use crate::hash_state::HashState;
use crate::jvm::{Jni, Jvmti};
use crate::natives::Memory;
use crate::options::AgentOptions;
use crate::recorder::Recorder;
use crate::scope::Scope;

/// Called by the JVM before it starts. Whatever happens, the JVM goes on.
///
/// # Safety
/// Only the JVM calls this, with its own pointers.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *mut c_char, _: *mut c_void) -> jint {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `options` is null or a C string, `vm` is valid, both from the JVM.
        unsafe {
            let path = if options.is_null() {
                String::new()
            } else {
                CStr::from_ptr(options).to_string_lossy().into()
            };
            load(vm, &path)
        }
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(why)) => eprintln!("inquest: not recording: {why}"),
        Err(_) => eprintln!("inquest: not recording: the agent failed while starting"),
    }
    0
}

/// # Safety
/// `vm` must come from the JVM.
unsafe fn load(vm: *mut JavaVM, options: &str) -> Result<(), String> {
    if Agent::get().is_some() {
        return Err("the agent is loaded twice; this one is ignored".into());
    }
    let text = match fs::read_to_string(options) {
        Ok(text) => text,
        // A JVM that outlived the recording it would have been part of.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(format!("cannot read the options file {options}: {e}")),
    };
    let options = AgentOptions::parse(&text)?;
    // SAFETY: as promised by the caller.
    let jvmti = unsafe { Jvmti::get(vm) }
        .ok_or("the JVM has no JVMTI 11: a HotSpot JVM of version 17 or later is needed")?;
    let feature = jvmti
        .property(c"java.specification.version")
        .or_else(|| jvmti.property(c"java.vm.specification.version"))
        .and_then(|v| v.parse::<u16>().ok())
        .unwrap_or(0);
    if feature < 17 {
        return Err(format!("the JVM is of version {feature}; version 17 or later is needed"));
    }
    let dir = options.dir.join(format!("jvm-{}", std::process::id()));
    fs::create_dir_all(&dir).map_err(|e| format!("cannot create {}: {e}", dir.display()))?;
    let lock = Lock::try_hold(&dir.join(Lock::DEBUGGEE))
        .map_err(|e| format!("cannot lock {}: {e}", dir.display()))?
        .ok_or_else(|| format!("{} is in use", dir.display()))?;
    let pool = Pool::create(Setup {
        capacity: (options.memory / CHUNK_SIZE as u64).clamp(64, u32::MAX as u64 / 2) as u32,
        debuggee: std::process::id(),
        collector: options.collector,
        fallback: &dir.join("pool.data"),
    })
    .map_err(|e| e.to_string())?;
    manifest::write(&dir, &options, jvmti)
        .map_err(|e| format!("cannot write the manifest in {}: {e}", dir.display()))?;
    publish_pool(&dir, &pool).map_err(|e| format!("cannot write in {}: {e}", dir.display()))?;
    let memory = Memory::new().ok_or("no memory for the recorder's tables")?;
    if !jvmti.add_capabilities() {
        return Err("the JVM does not let the agent rewrite classes".into());
    }
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(vm_init);
    callbacks.VMDeath = Some(vm_death);
    callbacks.ThreadEnd = Some(thread_end);
    callbacks.ClassFileLoadHook = Some(class_file_load_hook);
    if !jvmti.set_callbacks(&callbacks, feature) || !jvmti.enable(JVMTI_EVENT_VM_INIT) {
        return Err("the JVM does not report its events".into());
    }
    Agent::install(Agent::new(options, jvmti, pool, memory, lock));
    Ok(())
}

/// Tells the collector where the pool is; in one step, so that it never reads half a path.
fn publish_pool(dir: &std::path::Path, pool: &Pool) -> std::io::Result<()> {
    let temporary: PathBuf = dir.join("pool.new");
    fs::write(&temporary, pool.path().as_os_str().as_encoded_bytes())?;
    fs::rename(temporary, dir.join("pool"))
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    let Some(agent) = Agent::get() else { return };
    let started = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM passed the current thread's environment.
        let jni = unsafe { Jni::new(env) };
        let hash_state = HashState::save(jni, thread);
        if let Some(state) = &hash_state {
            let _ = agent.generator.set(state.distance(jni));
        }
        let outcome = start(agent, jni);
        match hash_state {
            Some(state) => state.restore(),
            None => agent.note(
                note::AGENT_ERROR,
                "identity hash codes on the main thread differ from those of an unrecorded run",
            ),
        }
        outcome
    }));
    match started {
        Ok(Ok(())) => agent.pool.set_agent_state(AgentState::Recording),
        Ok(Err(why)) => failed(agent, why),
        Err(_) => failed(agent, "the agent failed while starting"),
    }
}

fn failed(agent: &Agent, why: &str) {
    eprintln!("inquest: not recording: {why}");
    agent.note(note::AGENT_ERROR, why);
    agent.pool.set_agent_state(AgentState::Failed);
}

fn start(agent: &'static Agent, jni: Jni) -> Result<(), &'static str> {
    let _ = agent.recorder.set(Recorder::define(jni)?);
    let _ = agent.scope.set(Scope::new(&agent.options, main_class::of(&agent.jvmti, jni)));
    let list = archive_list(agent);
    let _ = agent.archived_lambdas.set(with_archived_lambdas(&list));
    let events = [JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VM_DEATH];
    if !events.into_iter().all(|event| agent.jvmti.enable(event)) {
        return Err("the JVM does not report its events");
    }
    load_archived(agent, jni, &list);
    weave_loaded(agent, jni);
    Ok(())
}

/// Weaves what is loaded already: what would show traces of the recorder, the collections, and of the program what the
/// JVM had in a cache of linked classes.
fn weave_loaded(agent: &Agent, jni: Jni) {
    let is_wanted = |class: jclass, signature: &str| {
        let name = signature.trim_start_matches('L').trim_end_matches(';').as_bytes();
        signature.starts_with('L')
            && (instrument::hides_recorder(name)
                || (instrument::is_collection(name) && !agent.must_stay(name))
                || (agent.options.weave_only && !jdk::owner::is_core(name))
                || (!jdk::owner::is_jdk(name) && agent.jvmti.has_loader(jni, class)))
    };
    let mut loaded = agent.jvmti.loaded_classes();
    // Where the main class comes from tells what else is of the program.
    let main = agent.scope.get().map(|scope| format!("L{};", scope.main()));
    loaded.sort_by_key(|(_, name)| Some(name) != main.as_ref());
    let wanted: Vec<_> = loaded
        .iter()
        .filter(|(class, name)| is_wanted(*class, name) && agent.jvmti.is_modifiable(*class))
        .collect();
    let all: Vec<jclass> = wanted.iter().map(|(class, _)| *class).collect();
    if agent.jvmti.retransform(&all).is_ok() {
        return;
    }
    // One that the JVM refuses spoils the whole list.
    for (class, name) in wanted {
        if let Err(why) = agent.jvmti.retransform(&[*class]) {
            agent.note(note::AGENT_ERROR, &format!("the JVM does not let the agent change {name}: {why}"));
        }
    }
}

/// The list that the JVM's class archive was made from; empty if the JVM runs without one.
fn archive_list(agent: &Agent) -> String {
    let property = |name: &CStr| agent.jvmti.property(name).unwrap_or_default();
    if !property(c"java.vm.info").contains("sharing") {
        return String::new();
    }
    fs::read_to_string(PathBuf::from(property(c"java.home")).join("lib/classlist")).unwrap_or_default()
}

/// The outermost classes with lambdas that are in the archive. If a class in there is changed, the JVM makes the lambdas
/// anew, and that uses up identity hash codes: the program would see other ones.
fn with_archived_lambdas(list: &str) -> HashSet<Vec<u8>> {
    let owner =
        |line: &str| line.strip_prefix("@lambda-proxy ")?.split(['$', ' ']).next().map(|name| name.into());
    list.lines().filter_map(owner).collect()
}

/// Loads what is to be woven and is in the archive. A class of the archive that is changed while it is loaded counts as
/// a new class, and defining one draws an identity hash code; changing it afterwards does not.
fn load_archived(agent: &Agent, jni: Jni, list: &str) {
    let Some(recorder) = agent.recorder.get() else { return };
    for line in list.lines() {
        let name = line.split(' ').next().unwrap_or("");
        if instrument::is_collection(name.as_bytes()) || instrument::hides_recorder(name.as_bytes()) {
            let text = jni.new_string(&name.replace('/', "."));
            recorder.load(jni, text);
            jni.drop_local(text);
        }
    }
}

/// The JVM ends in good order. Nothing needs to be written: what is in the pool is collected from there.
unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, _: *mut JNIEnv) {
    if let Some(agent) = Agent::get()
        && agent.pool.agent_state() == AgentState::Recording
    {
        agent.pool.set_agent_state(AgentState::Ended);
    }
}

unsafe extern "system" fn thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject) {
    let Some(recorder) = Agent::get().and_then(|a| a.recorder.get()) else { return };
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM passed the current thread's environment.
        recorder.ended(unsafe { Jni::new(env) });
    }));
}

unsafe extern "system" fn class_file_load_hook(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jclass,
    loader: jobject,
    name: *const c_char,
    domain: jobject,
    len: jint,
    data: *const u8,
    new_len: *mut jint,
    new_data: *mut *mut u8,
) {
    let Some(agent) = Agent::get() else { return };
    if name.is_null() || data.is_null() {
        return;
    }
    // SAFETY: name is a C string and data has len bytes, for the time of this call.
    let (name, bytes, jni) = unsafe {
        (CStr::from_ptr(name).to_bytes(), std::slice::from_raw_parts(data, len as usize), Jni::new(env))
    };
    let class = hook::Loading { name, bytes, loader, domain, redefined: !redefined.is_null() };
    match catch_unwind(AssertUnwindSafe(|| hook::loading(agent, jni, &class))) {
        Ok(Some(woven)) => {
            if let Some(memory) = agent.jvmti.allocate(&woven) {
                // SAFETY: the JVM passed places for the new class's length and bytes.
                unsafe {
                    *new_len = woven.len() as jint;
                    *new_data = memory;
                }
            }
        }
        Ok(None) => {}
        Err(_) => agent.note(
            note::AGENT_ERROR,
            &format!("the agent failed on class {}: it is not recorded", String::from_utf8_lossy(name)),
        ),
    }
}
