//! Who makes a class that has no file: the code that called for its definition, as the stack says.

use crate::agent::Agent;
use crate::jvm::Jni;

/// Code of the JDK by which classes are defined for somebody else.
const PLUMBING: [&str; 9] = [
    "java/lang/ClassLoader",
    "java/lang/System$",
    "java/lang/invoke/",
    "java/lang/reflect/Method",
    "java/net/URLClassLoader",
    "java/security/",
    "jdk/internal/",
    "sun/misc/Unsafe",
    "sun/reflect/",
];

/// Code of the JDK that compiles what a person wrote and runs it at once: `java Main.java`, and the shell.
const RUNS_SOURCES: [&str; 2] = ["com/sun/tools/javac/launcher/", "jdk/jshell/execution/"];

/// Frames that are looked at.
const DEPTH: usize = 64;

/// Whether the class that is being defined on this thread is made by the program, not by a library or the JDK.
pub fn is_program(agent: &Agent, jni: Jni) -> bool {
    let mut asks = None;
    agent.jvmti.stack_classes(jni, DEPTH, |class| {
        let plumbing = PLUMBING.iter().any(|p| class.starts_with(p));
        if !plumbing {
            let runs_sources = RUNS_SOURCES.iter().any(|p| class.starts_with(p));
            asks = Some(runs_sources || agent.is_program(class.as_bytes()));
        }
        plumbing
    });
    asks == Some(true)
}
