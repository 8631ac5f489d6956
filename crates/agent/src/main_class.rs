//! What the JVM was started with: the main class, or the jar that names it. Where it comes from is the program.

use crate::jvm::{Jni, Jvmti};

/// The main class with slashes, or the path of the main jar.
pub fn of(jvmti: &Jvmti, jni: Jni) -> String {
    let command = jvmti.property(c"sun.java.command").unwrap_or_default();
    let started = started(&command);
    match jvmti.property(c"jdk.module.main") {
        Some(module) if module.replace('.', "/") == started => {
            of_module(jvmti, jni, &module).unwrap_or_default()
        }
        _ => started,
    }
}

/// The first word of a command line: a jar, a class, a module, or a module and a class in it.
fn started(command: &str) -> String {
    let first = command.split(' ').next().unwrap_or("");
    match first.split_once('/') {
        _ if first.ends_with(".jar") => first.to_owned(),
        Some((_module, class)) => class.replace('.', "/"),
        None => first.replace('.', "/"),
    }
}

/// The main class that a module's descriptor names.
fn of_module(jvmti: &Jvmti, jni: Jni, name: &str) -> Option<String> {
    let text = |object| String::from_utf8_lossy(&jni.text(object)).into_owned();
    let class = jni.find(c"java/lang/Module")?;
    let name_of = jni.method(class, c"getName", c"()Ljava/lang/String;")?;
    let is_main = |module: &_| jni.call(*module, name_of).is_some_and(|found| text(found) == name);
    let module = jvmti.modules().into_iter().find(is_main)?;
    let descriptor_of = jni.method(class, c"getDescriptor", c"()Ljava/lang/module/ModuleDescriptor;")?;
    let descriptor = jni.call(module, descriptor_of)?;
    let class = jni.find(c"java/lang/module/ModuleDescriptor")?;
    let main = jni.call(descriptor, jni.method(class, c"mainClass", c"()Ljava/util/Optional;")?)?;
    let class = jni.find(c"java/util/Optional")?;
    let main = jni.call(main, jni.method(class, c"get", c"()Ljava/lang/Object;")?)?;
    Some(text(main).replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_a_class_or_a_jar() {
        for (command, main) in [
            ("", ""),
            ("app.Main x y", "app/Main"),
            ("/opt/app-1.0.jar x", "/opt/app-1.0.jar"),
            ("shop.core/shop.Main", "shop/Main"),
            ("shop.core", "shop/core"),
        ] {
            assert_eq!(started(command), main, "{command}");
        }
    }
}
