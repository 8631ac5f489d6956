//! The recorder's Java classes in the JVM: how they get there, and the methods of theirs that the agent calls.

use std::ffi::CStr;
use std::ptr;

use jvmti_bindings::sys::jni::{jclass, jmethodID, jobject};

use crate::jvm::Jni;

// `CLASSES`: name and bytes of each, compiled by the build script.
include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// The class that the agent talks to. It has the native methods, so the name of the first is made of it.
pub const BORDER: &str = "java/lang/InquestAgent";

/// What the agent calls in Java. Looked up once: looking it up while a class is being loaded would ask the program's
/// class loader.
pub struct Recorder {
    border: jclass,
    ended: jmethodID,
    load: jmethodID,
    loader: jmethodID,
    system: jclass,
    identity_hash: jmethodID,
    pub code_source: jmethodID,
    pub location: jmethodID,
    pub url_text: jmethodID,
}

// SAFETY: global references and method ids, valid in every thread.
unsafe impl Send for Recorder {}
// SAFETY: as above.
unsafe impl Sync for Recorder {}

impl Recorder {
    /// Defines the recorder's classes and initialises them all: that draws identity hash codes, so none may be left for
    /// a moment when the program would miss them.
    pub fn define(jni: Jni) -> Result<Recorder, &'static str> {
        let mut ours = Vec::with_capacity(CLASSES.len());
        for (name, bytes) in CLASSES {
            let class = jni.define(name, bytes).ok_or("the JVM does not take the recorder class")?;
            ours.push((name, class));
        }
        let border = ours.iter().find(|(name, _)| *name == BORDER).ok_or("no recorder class")?;
        let border = jni.global(border.1);
        let method = |name: &CStr, descriptor: &CStr| {
            jni.static_method(border, name, descriptor).ok_or("the recorder class cannot be initialised")
        };
        let jdk_method = |class: &CStr, name: &CStr, descriptor: &CStr| {
            jni.find(class)
                .and_then(|c| jni.method(c, name, descriptor))
                .ok_or("a class of the JDK is missing")
        };
        let initialise = method(c"initialise", c"(Ljava/lang/Class;)I")?;
        for (_, class) in ours {
            if jni.call_static_int(border, initialise, class) == 0 {
                return Err("the recorder class cannot be initialised");
            }
            jni.drop_local(class);
        }
        let tells_apart = method(c"tellsApart", c"()I")?;
        if jni.call_static_int(border, tells_apart, ptr::null_mut()) == 0 {
            return Err("the JVM keeps objects in a way that is not known, so they cannot be told apart");
        }
        let system = jni.global(jni.find(c"java/lang/System").ok_or("a class of the JDK is missing")?);
        Ok(Recorder {
            border,
            ended: method(c"ended", c"()V")?,
            load: method(c"load", c"(Ljava/lang/String;)V")?,
            loader: method(c"loader", c"(Ljava/lang/ClassLoader;)I")?,
            system,
            identity_hash: jni
                .static_method(system, c"identityHashCode", c"(Ljava/lang/Object;)I")
                .ok_or("a class of the JDK is missing")?,
            code_source: jdk_method(
                c"java/security/ProtectionDomain",
                c"getCodeSource",
                c"()Ljava/security/CodeSource;",
            )?,
            location: jdk_method(c"java/security/CodeSource", c"getLocation", c"()Ljava/net/URL;")?,
            url_text: jdk_method(c"java/net/URL", c"toExternalForm", c"()Ljava/lang/String;")?,
        })
    }

    /// The current thread ends.
    pub fn ended(&self, jni: Jni) {
        jni.call_static_void(self.border, self.ended, ptr::null_mut());
    }

    /// Loads a class of the JDK without initialising it.
    pub fn load(&self, jni: Jni, name: jobject) {
        jni.call_static_void(self.border, self.load, name);
    }

    /// The number of a class loader.
    pub fn loader(&self, jni: Jni, loader: jobject) -> u32 {
        jni.call_static_int(self.border, self.loader, loader) as u32
    }

    /// The VM's identity hash code of an object, which it draws if there is none yet.
    pub fn identity_hash(&self, jni: Jni, object: jobject) -> u32 {
        jni.call_static_int(self.system, self.identity_hash, object) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classfile::{ClassFile, Constant};

    /// Their numbers are constants that javac copied; a class that has to look one up would not find it.
    #[test]
    fn no_class_needs_the_numbers_of_the_table_at_run_time() {
        for (name, bytes) in CLASSES {
            let class = ClassFile::parse(bytes).expect(name);
            for index in 1..class.pool.len() as u16 {
                if let Ok(Constant::Field { .. } | Constant::Method { .. }) = class.pool.get(index) {
                    let owner = class.pool.member(index).expect(name).class;
                    assert!(!owner.starts_with(b"java/lang/InquestCodes"), "{name}");
                }
            }
        }
    }

    #[test]
    fn the_classes_that_woven_code_calls_are_defined() {
        let is_defined = |wanted: &[u8]| CLASSES.iter().any(|(name, _)| name.as_bytes() == wanted);
        assert!(is_defined(instrument::RECORDER) && is_defined(instrument::CHILDREN));
    }
}
