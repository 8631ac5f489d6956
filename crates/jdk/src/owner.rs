//! Whose a class is, by its name: the JDK's, the JVM's own, or made while a program runs.

use crate::matching::begins;

/// Packages of the JDK.
pub const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];

/// What the JVM is made of while it starts.
pub const CORE: [&str; 3] = ["java/lang/", "jdk/internal/", "sun/"];

/// The recorder uses them, or the VM depends on their exact shape: never woven as program code.
pub const NEVER_WOVEN: [&str; 6] =
    ["java/lang/", "jdk/internal/", "sun/misc/Unsafe", "sun/reflect/", "java/util/", "sun/nio/"];

/// What the VM, a proxy generator or a JSP compiler makes while the program runs: nobody wrote it.
pub const GENERATED: [&str; 4] = ["jdk/proxy", "com/sun/proxy/", "jdk/internal/", "org/apache/jsp/"];

/// What the JDK makes for reflection and as proxies.
pub const MADE_FOR_CALLS: [&str; 2] = ["jdk/internal/reflect/", "jdk/proxy"];

/// Code of the JDK by which classes are defined for somebody else.
pub const DEFINES_FOR_OTHERS: [&str; 9] = [
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
pub const RUNS_SOURCES: [&str; 2] = ["com/sun/tools/javac/launcher/", "jdk/jshell/execution/"];

/// Code sources of the JDK's modules. Its tools are not the program; a module beside them in a linked image may be.
pub const MODULES: [&str; 2] = ["jrt:/java.", "jrt:/jdk."];

/// In the name of a lambda's class; what follows differs from run to run.
pub const LAMBDA: &str = "$$Lambda";
/// In the name of a proxy's class; what follows is a number.
pub const PROXY: &str = "$Proxy";

/// Does the class belong to the JDK?
pub fn is_jdk(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &JDK)
}

/// Woven as program code, the JVM would not get far.
pub fn is_core(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &CORE)
}

/// Must it never be woven as program code?
pub fn is_never_woven(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &NEVER_WOVEN)
}

/// Did nobody write it?
pub fn is_generated(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &GENERATED)
}

/// Did the JDK make it, for reflection or as a proxy?
pub fn is_made_for_calls(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &MADE_FOR_CALLS)
}

/// Is it code of the JDK that defines classes for whoever called it?
pub fn defines_for_others(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &DEFINES_FOR_OTHERS)
}

/// Is it code of the JDK that runs what a person wrote, so that the classes it defines are the program's?
pub fn runs_sources(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &RUNS_SOURCES)
}

/// Does a code source name a module of the JDK?
pub fn is_jdk_module(source: &str) -> bool {
    begins(source.as_bytes(), &MODULES)
}

pub fn is_lambda(class: &str) -> bool {
    class.contains(LAMBDA)
}

/// The name of a class without what differs from run to run.
pub fn stable_name(class: &str) -> &str {
    let cut = |mark: &str| class.find(mark).map(|at| at + mark.len());
    &class[..cut(LAMBDA).or_else(|| cut(PROXY)).unwrap_or(class.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_a_class_is_its_package_says() {
        assert!(is_jdk("com/sun/net/X") && is_jdk(b"java/sql/Driver") && !is_jdk("javassist/Loader"));
        assert!(is_core("sun/nio/X") && !is_core("java/util/List"));
        assert!(is_made_for_calls("jdk/proxy2/$Proxy9") && is_generated("com/sun/proxy/$Proxy1"));
        assert_eq!(stable_name("demo/Main$$Lambda/0x1"), "demo/Main$$Lambda");
        assert_eq!(stable_name("jdk/proxy1/$Proxy17"), "jdk/proxy1/$Proxy");
        assert_eq!(stable_name("demo/Main"), "demo/Main");
        assert!(is_jdk_module("jrt:/jdk.compiler") && !is_jdk_module("jrt:/shop.core"));
    }
}
