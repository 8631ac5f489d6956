//! Who makes a class that has no file: the code that called for its definition, as the stack says.

use crate::agent::Agent;
use crate::jvm::Jni;

/// Frames that are looked at.
const DEPTH: usize = 64;

/// Whether the class that is being defined on this thread is made by the program, not by a library or the JDK.
pub fn is_program(agent: &Agent, jni: Jni) -> bool {
    let mut asks = None;
    agent.jvmti.stack_classes(jni, DEPTH, |class| {
        let plumbing = jdk::owner::defines_for_others(class);
        if !plumbing {
            asks = Some(jdk::owner::runs_sources(class) || agent.is_program(class.as_bytes()));
        }
        plumbing
    });
    asks == Some(true)
}
