//! The recorder's native methods, those of its class `InquestAgent`: settings, chunks, and what goes to the table stream.
//! The JVM finds the first by its name, as it looks into the libraries of agents. That one registers the others:
//! registering makes the JVM print a warning unless a class of the JDK is the caller, and looking up names draws identity
//! hash codes.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use instrument::ProgramDetail;
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use pool::CHUNK_SIZE;
use trace::codes::{child, counter, mark, note, setting, size, stack};
use trace::tables::{self, FailedRecord, MarkRecord, NumbersRecord, ThreadRecord, TypeRecord};
use trace::{ClassId, MethodId, StreamId, StringId, TypeId};

use crate::agent::Agent;
use crate::jvm::Jni;
use crate::layouts::fields;
use crate::{hash_state, memory};

/// Name, signature and function of the native methods other than `setting`.
fn methods() -> [(&'static CStr, &'static CStr, *mut c_void); 15] {
    [
        (c"chunk", c"(JIIIZ)J", chunk as *mut c_void),
        (c"finish", c"(JIII)V", finish as *mut c_void),
        (c"stream", c"(Ljava/lang/Thread;JLjava/lang/String;I)I", stream as *mut c_void),
        (c"numbers", c"(IIII)V", numbers as *mut c_void),
        (c"failed", c"(III)V", failed as *mut c_void),
        (c"type", c"(Ljava/lang/String;III)I", type_ as *mut c_void),
        (c"text", c"(I[BIII)V", text as *mut c_void),
        (c"fields", c"(Ljava/lang/Class;I)Ljava/lang/String;", fields as *mut c_void),
        (c"child", c"(I)Ljava/lang/String;", child as *mut c_void),
        (c"note", c"(ILjava/lang/String;)V", note as *mut c_void),
        (c"peek", c"(J)J", peek as *mut c_void),
        (c"stack", c"(I)J", stack as *mut c_void),
        (c"hashAs", c"(Ljava/lang/Object;I)J", hash_as as *mut c_void),
        (c"whose", c"(Ljava/lang/String;I)I", whose as *mut c_void),
        (c"declaresHash", c"(Ljava/lang/Class;)Z", declares_hash as *mut c_void),
    ]
}

/// Runs the body of a native method; a panic must not reach the JVM.
fn guarded<T: Default>(body: impl FnOnce(&'static Agent) -> T) -> T {
    let Some(agent) = Agent::get() else { return T::default() };
    catch_unwind(AssertUnwindSafe(|| body(agent))).unwrap_or_default()
}

#[unsafe(export_name = "Java_java_lang_InquestAgent_setting")]
extern "system" fn setting(env: *mut JNIEnv, class: jclass, which: jint) -> jlong {
    guarded(|agent| match which {
        // SAFETY: the JVM passed the current thread's environment; the functions have the signatures that stand
        // beside them.
        setting::LINK => jlong::from(unsafe { Jni::new(env).register(class, &methods()) }),
        setting::SEQ => agent.pool.seq_address() as jlong,
        setting::KLASSES => agent.memory.klasses as jlong,
        setting::COUNTERS => agent.memory.counters as jlong,
        setting::MAX_STRING => agent.options.max_string as jlong,
        setting::MAX_ARRAY => agent.options.max_array as jlong,
        setting::CHUNK => CHUNK_SIZE as jlong,
        setting::SINK => agent.memory.sink as jlong,
        setting::SPLIT => agent.options.split as jlong,
        setting::WEAVE_ONLY => agent.options.weave_only as jlong,
        setting::CONTENT_WANTED => (agent.options.detail != ProgramDetail::Calls) as jlong,
        _ => 0,
    })
}

extern "system" fn chunk(
    _: *mut JNIEnv,
    _: jclass,
    base: jlong,
    length: jint,
    stream: jint,
    chunk_number: jint,
    last: jboolean,
) -> jlong {
    guarded(|agent| {
        if base != 0 {
            agent.pool.publish(agent.chunk_index(base), length as usize, last != 0);
        }
        match agent.pool.acquire(stream as u32, chunk_number as u32) {
            Ok(chunk) => chunk.data as jlong,
            Err(why) => {
                agent.note(note::STOPPED, &format!("stream {stream} is not recorded from here on: {why}"));
                0
            }
        }
    })
}

extern "system" fn finish(_: *mut JNIEnv, _: jclass, base: jlong, length: jint, stream: jint, _seq: jint) {
    guarded(|agent| {
        agent.pool.publish(agent.chunk_index(base), length as usize, true);
        mark(agent, stream as u32, mark::ENDS);
    });
}

extern "system" fn failed(_: *mut JNIEnv, _: jclass, stream: jint, method: jint, ty: jint) {
    guarded(|agent| {
        let mut out = Vec::with_capacity(32);
        let (stream, method) = (StreamId(stream as u32), MethodId(method as u32));
        tables::encode_failed(&mut out, &FailedRecord { stream, method, ty: TypeId(ty as u32) });
        agent.tables.append(&agent.pool, &out);
    });
}

/// Says something about a stream in the tables, and when that is.
fn mark(agent: &Agent, stream: u32, what: u8) {
    let mut out = Vec::with_capacity(32);
    let record = MarkRecord { stream: StreamId(stream), what, ordering: agent.pool.ordering() };
    tables::encode_mark(&mut out, &record);
    agent.tables.append(&agent.pool, &out);
}

extern "system" fn numbers(_: *mut JNIEnv, _: jclass, stream: jint, kind: jint, first: jint, end: jint) {
    guarded(|agent| {
        let mut out = Vec::with_capacity(32);
        let stream = StreamId(stream as u32);
        let record = NumbersRecord { stream, kind: kind as u8, first: first as u32, end: end as u32 };
        tables::encode_numbers(&mut out, &record);
        agent.tables.append(&agent.pool, &out);
    });
}

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
        let begins =
            MarkRecord { stream: record.stream, what: mark::BEGINS, ordering: agent.pool.ordering() };
        tables::encode_mark(&mut out, &begins);
        agent.tables.append(&agent.pool, &out);
        stream as jint
    })
}

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
        let name = internal_name(jni, name);
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

/// What a child JVM needs to be recorded, see `codes::child`. Null if children are not recorded.
extern "system" fn child(env: *mut JNIEnv, _: jclass, kind: jint) -> jobject {
    let Some(options) = Agent::get().map(|agent| &agent.options).filter(|o| !o.child_environment.is_empty())
    else {
        return ptr::null_mut();
    };
    catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        if kind == child::ARGUMENTS {
            return jni.new_string(&options.child_arguments.join("\n"));
        }
        if kind == child::INHERITED_ENVIRONMENT {
            // SAFETY: the JVM reads its environment while it starts, and starts children under a lock of its own;
            // this runs right before it starts one.
            unsafe { std::env::set_var("JAVA_TOOL_OPTIONS", &options.child_environment) };
        }
        jni.new_string(&options.child_environment)
    }))
    .unwrap_or(ptr::null_mut())
}

extern "system" fn note(env: *mut JNIEnv, _: jclass, code: jint, message: jobject) {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        agent.note(code as u8, &String::from_utf8_lossy(&jni.text(message)));
    });
}

extern "system" fn peek(_: *mut JNIEnv, _: jclass, address: jlong) -> jlong {
    guarded(|_| memory::read(address as usize).unwrap_or(0) as jlong)
}

extern "system" fn stack(_: *mut JNIEnv, _: jclass, which: jint) -> jlong {
    guarded(|_| {
        let (start, size) = memory::stack().unwrap_or((0, 0));
        if which == stack::START { start as jlong } else { size as jlong }
    })
}

extern "system" fn hash_as(env: *mut JNIEnv, _: jclass, object: jobject, code: jint) -> jlong {
    guarded(|agent| {
        let Some(recorder) = agent.recorder.get() else { return 0 };
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        let hash = || recorder.identity_hash(jni, object);
        let (hash, given) = match agent.generator.get() {
            Some(&distance) => hash_state::hash_as(jni, distance, hash, code as u32),
            None => (hash(), false),
        };
        jlong::from(hash) | jlong::from(given) << 32
    })
}

extern "system" fn whose(env: *mut JNIEnv, _: jclass, name: jobject, loader: jint) -> jint {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let name = internal_name(unsafe { Jni::new(env) }, name);
        match agent.class_of(&name, loader as u32) {
            None => 0,
            Some(class) if agent.is_partial(class) => 1,
            Some(_) => 2,
        }
    })
}

extern "system" fn declares_hash(env: *mut JNIEnv, _: jclass, class: jclass) -> jboolean {
    guarded(|agent| {
        // SAFETY: as in `stream`.
        let jni = unsafe { Jni::new(env) };
        let mut at = class;
        // Object itself, which has no superclass, is where the VM's own hash code comes from.
        while let Some(above) = jni.super_class(at) {
            if agent.jvmti.declares(at, c"hashCode", c"()I") {
                return 1;
            }
            at = above;
        }
        0
    })
}

/// A class's name with slashes.
fn internal_name(jni: Jni, name: jobject) -> Vec<u8> {
    jni.text(name).iter().map(|&b| if b == b'.' { b'/' } else { b }).collect()
}

/// Bytes of the table of class kinds.
const KINDS_BYTES: usize = size::KLASSES * 8;

/// Memory that Java code reaches by address: never freed.
pub struct Memory {
    /// The table of class kinds: `size::KLASSES` entries of 8 bytes.
    pub klasses: *mut u8,
    /// See `codes::counter`.
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
        let bytes = KINDS_BYTES + 4096 + CHUNK_SIZE + 4096;
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
            let counters = start.add(KINDS_BYTES);
            // Names start at 1: 0 means none.
            for counter in [counter::PROGRAM, counter::LIBRARY, counter::STRINGS] {
                counters.add(counter).cast::<u64>().write(1);
            }
            Some(Memory { klasses: start, counters, sink: counters.add(4096) })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use classfile::{ClassFile, access};

    use super::*;
    use crate::recorder::{BORDER, CLASSES};

    /// The JVM refuses them all if one does not fit.
    #[test]
    fn the_native_methods_are_those_of_the_class() {
        let (_, bytes) = CLASSES.into_iter().find(|(name, _)| *name == BORDER).expect("a class");
        let class = ClassFile::parse(bytes).expect("a class file");
        let natives = class.methods.iter().filter(|method| method.is(access::NATIVE));
        let declared: BTreeSet<_> = natives.map(|method| (method.name, method.descriptor)).collect();
        let found_by_name = (&b"setting"[..], &b"(I)J"[..]);
        let registered = methods().map(|(name, descriptor, _)| (name.to_bytes(), descriptor.to_bytes()));
        assert_eq!(declared, registered.into_iter().chain([found_by_name]).collect());
    }
}
