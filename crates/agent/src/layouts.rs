//! Where an object of a library has what it holds: the native method by which the recorder asks for the fields of a class,
//! once per class. What the recording must know of them goes to the table stream.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::Ordering;

use jdk::contents::is_content;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject};
use trace::tables::{self, LayoutRecord, layout_flag};
use trace::{ClassId, TypeId};

use crate::agent::Agent;
use crate::jvm::{Field, Jni};

/// A class that an object is of, with the fields whose values are recorded when the object is first seen.
struct Holder {
    class: jclass,
    name: String,
    fields: Vec<Field>,
}

/// `name:kind` of each field, of the class itself and those above it, with a `^` for each step upwards. Empty if there is
/// nothing to record.
pub extern "system" fn fields(env: *mut JNIEnv, _: jclass, class: jclass, id: jint) -> jobject {
    let Some(agent) = Agent::get() else { return ptr::null_mut() };
    catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM passed the current thread's environment to this native method.
        let jni = unsafe { Jni::new(env) };
        let holders = holders(agent, jni, class);
        if holders.is_empty() {
            return jni.new_string("");
        }
        let list: Vec<String> = holders
            .iter()
            .map(|holder| {
                let kind = |field: &Field| field.descriptor.chars().next().unwrap_or('L');
                holder.fields.iter().map(|field| format!("{}:{}", field.name, kind(field))).collect()
            })
            .collect();
        let mut out = Vec::new();
        describe(agent, &holders, &mut out);
        let all: Vec<(&[u8], &[u8])> = holders.iter().flat_map(names).collect();
        tables::encode_fields(&mut out, TypeId(id as u32), &all);
        agent.tables.append(&agent.pool, &out);
        jni.new_string(&list.join("^"))
    }))
    .unwrap_or(ptr::null_mut())
}

/// The class and those above it, up to the last that has something to record.
fn holders(agent: &Agent, jni: Jni, class: jclass) -> Vec<Holder> {
    let mut holders = Vec::new();
    let mut at = Some(class);
    while let Some(class) = at {
        let name = agent.jvmti.class_name(class).unwrap_or_default();
        let mut fields = Vec::new();
        if jdk::owner::is_jdk(&name) {
            fields = agent.jvmti.instance_fields(class);
            fields.retain(|field| is_content(&name, &field.name, &field.descriptor));
        }
        holders.push(Holder { class, name, fields });
        at = jni.super_class(class);
    }
    while holders.last().is_some_and(|holder| holder.fields.is_empty()) {
        holders.pop();
    }
    holders
}

fn names(holder: &Holder) -> impl Iterator<Item = (&[u8], &[u8])> {
    holder.fields.iter().map(|field| (field.name.as_bytes(), field.descriptor.as_bytes()))
}

/// Writes down what classes are like whose class files are not in the recording.
fn describe(agent: &Agent, holders: &[Holder], out: &mut Vec<u8>) {
    for (at, holder) in holders.iter().enumerate() {
        let name = holder.name.as_bytes();
        if agent.is_program(name) || !agent.describe(name) {
            continue;
        }
        let above = holders.get(at + 1).map_or("", |above| &above.name);
        let hashes = agent.jvmti.declares(holder.class, c"hashCode", c"()I");
        let layout = LayoutRecord {
            class: ClassId(agent.next_class.fetch_add(1, Ordering::Relaxed)),
            loader: 0,
            flags: if hashes { layout_flag::HASHES } else { 0 },
            name,
            super_name: above.as_bytes(),
            fields: names(holder).collect(),
        };
        tables::encode_layout(out, &layout);
    }
}
