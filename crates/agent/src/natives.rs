//! The recorder class's native methods: settings, chunks, and what goes to the table stream. The JVM finds them by
//! their names, as it looks into the libraries of agents; registering them would make it print a warning.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use pool::CHUNK_SIZE;
use trace::tables::{self, ThreadRecord, TypeRecord};
use trace::{ClassId, StreamId, StringId, TypeId};

use crate::agent::Agent;
use crate::jvm::Jni;

/// Runs the body of a native method; a panic must not reach the JVM.
fn guarded<T: Default>(body: impl FnOnce(&'static Agent) -> T) -> T {
    let Some(agent) = Agent::get() else { return T::default() };
    catch_unwind(AssertUnwindSafe(|| body(agent))).unwrap_or_default()
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_setting")]
extern "system" fn setting(_: *mut JNIEnv, _: jclass, which: jint) -> jlong {
    guarded(|agent| match which {
        0 => agent.pool.seq_address() as jlong,
        1 => agent.memory.klasses as jlong,
        2 => agent.memory.counters as jlong,
        3 => agent.options.max_string as jlong,
        4 => agent.options.max_array as jlong,
        5 => CHUNK_SIZE as jlong,
        6 => agent.memory.sink as jlong,
        7 => agent.options.weave_only as jlong,
        _ => 0,
    })
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_chunk")]
extern "system" fn chunk(
    _: *mut JNIEnv,
    _: jclass,
    base: jlong,
    length: jint,
    stream: jint,
    seq: jint,
    last: jboolean,
) -> jlong {
    guarded(|agent| {
        if base != 0 {
            agent.pool.publish(agent.chunk_index(base), length as usize, last != 0);
        }
        match agent.pool.acquire(stream as u32, seq as u32) {
            Ok(chunk) => chunk.data as jlong,
            Err(_) => 0,
        }
    })
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_finish")]
extern "system" fn finish(_: *mut JNIEnv, _: jclass, base: jlong, length: jint, _stream: jint, _seq: jint) {
    guarded(|agent| agent.pool.publish(agent.chunk_index(base), length as usize, true));
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_stream")]
extern "system" fn stream(
    env: *mut JNIEnv,
    _: jclass,
    _thread: jobject,
    tid: jlong,
    name: jobject,
    flags: jint,
) -> jint {
    guarded(|agent| {
        // SAFETY: the JVM passed the current thread's environment to this native method.
        let jni = unsafe { Jni::new(env) };
        let stream = agent.pool.next_stream();
        let mut out = Vec::with_capacity(64);
        let record = ThreadRecord {
            stream: StreamId(stream),
            thread: tid as u64,
            flags: flags as u8,
            name: &jni.text(name),
            started: agent.started.elapsed().as_nanos() as u64,
        };
        tables::encode_thread(&mut out, &record);
        agent.tables.append(&agent.pool, &out);
        stream as jint
    })
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_type")]
extern "system" fn type_(
    env: *mut JNIEnv,
    _: jclass,
    name: jobject,
    loader: jint,
    super_type: jint,
    flags: jint,
) -> jint {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        let name: Vec<u8> = jni.text(name).iter().map(|&b| if b == b'.' { b'/' } else { b }).collect();
        let ty = agent.next_type();
        let class = agent.class_of(&name, loader as u32).map_or(ClassId::NONE, ClassId);
        let mut out = Vec::with_capacity(64);
        let record = TypeRecord {
            ty: TypeId(ty),
            loader: loader as u32,
            class,
            super_type: TypeId(super_type as u32),
            flags: flags as u8,
            name: &name,
        };
        tables::encode_type(&mut out, &record);
        agent.tables.append(&agent.pool, &out);
        ty as jint
    })
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_text")]
extern "system" fn text(
    env: *mut JNIEnv,
    _: jclass,
    id: jint,
    value: jobject,
    length: jint,
    flags: jint,
    chars: jint,
) {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        let bytes = jni.bytes(value, length as usize);
        let mut out = Vec::with_capacity(bytes.len() + 32);
        tables::encode_string(&mut out, StringId(id as u32), chars as u32, flags as u8, &bytes);
        agent.tables.append(&agent.pool, &out);
    });
}

#[unsafe(export_name = "Java_java_lang_InquestRecorder_note")]
extern "system" fn note(env: *mut JNIEnv, _: jclass, code: jint, message: jobject) {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        agent.note(code as u8, &String::from_utf8_lossy(&jni.text(message)));
    });
}

/// Memory that Java code reaches by address: never freed.
pub struct Memory {
    /// The klass table: 65,536 entries of 8 bytes.
    pub klasses: *mut u8,
    /// Next program object, next library object, next string, unnamed objects: 8 bytes each.
    pub counters: *mut u8,
    /// Where threads write when nothing is recorded.
    pub sink: *mut u8,
}

// SAFETY: plain memory that lives as long as the process; Java code reads and writes it with atomic or benign races.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub fn new() -> Option<Memory> {
        let bytes = 65_536 * 8 + 4096 + CHUNK_SIZE + 4096;
        // SAFETY: an anonymous private mapping, checked below.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start: *mut u8 = start.cast();
        // SAFETY: all within the mapping.
        unsafe {
            let counters = start.add(65_536 * 8);
            // Names start at 1: 0 means none.
            counters.cast::<u64>().write(1);
            counters.add(8).cast::<u64>().write(1);
            counters.add(16).cast::<u64>().write(1);
            Some(Memory { klasses: start, counters, sink: counters.add(4096) })
        }
    }
}
