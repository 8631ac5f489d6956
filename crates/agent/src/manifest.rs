//! The manifest as the agent writes it when the JVM starts; the collector completes it. Written by hand: the agent
//! carries no JSON library into the debuggee.

use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use instrument::ProgramDetail;

use crate::jvm::Jvmti;
use crate::options::AgentOptions;

pub fn write(dir: &Path, options: &AgentOptions, jvmti: Jvmti) -> io::Result<()> {
    let property = |name: &std::ffi::CStr| quoted(&jvmti.property(name).unwrap_or_default());
    let command = fs::read("/proc/self/cmdline").unwrap_or_default();
    let command: Vec<String> = command
        .split(|b| *b == 0)
        .filter(|a| !a.is_empty() && !is_ours(a))
        .map(|a| quoted(&String::from_utf8_lossy(a)))
        .collect();
    let list =
        |items: &[String]| items.iter().map(|i| quoted(&i.replace('/', "."))).collect::<Vec<_>>().join(", ");
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
    let detail = match options.detail {
        ProgramDetail::Calls => "calls",
        ProgramDetail::Heap => "heap",
        ProgramDetail::Full => "full",
    };
    let memory = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|t| t.lines().next()?.split_whitespace().nth(1)?.parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024);
    let folder =
        std::env::current_dir().map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned());
    let mut text = String::new();
    let _ = write!(
        text,
        r#"{{
  "format": 3,
  "inquest": "{}",
  "command": [{}],
  "folder": {},
  "jvm": {{"version": {}, "vendor": {}, "home": {}, "name": {}, "class_path": {}, "module_path": {}}},
  "pid": {},
  "started": {started},
  "complete": false,
  "detail": "{detail}",
  "scope": {{"include": [{}], "exclude": [{}], "folders": [], "main": {}}},
  "limits": {{"memory": {}, "string": {}, "array": {}}},
  "host": {{"os": "{}", "cpus": {}, "memory": {memory}}}
}}
"#,
        env!("CARGO_PKG_VERSION"),
        command.join(", "),
        quoted(&folder),
        property(c"java.vm.version"),
        property(c"java.vm.vendor"),
        property(c"java.home"),
        property(c"java.vm.name"),
        property(c"java.class.path"),
        property(c"jdk.module.path"),
        std::process::id(),
        list(&options.include),
        list(&options.exclude),
        property(c"sun.java.command"),
        options.memory,
        options.max_string,
        options.max_array,
        std::env::consts::OS,
        std::thread::available_parallelism().map_or(1, |n| n.get()),
    );
    let temporary = dir.join("manifest.json.new");
    fs::write(&temporary, text)?;
    fs::rename(temporary, dir.join("manifest.json"))
}

/// What `inquest record` added to the command.
fn is_ours(argument: &[u8]) -> bool {
    [&b"-XX:-DontCompileHugeMethods"[..], b"-Xss8188k"].contains(&argument)
        || (argument.starts_with(b"-agentpath:") && argument.windows(13).any(|w| w == b"inquest-agent"))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_is_quoted_for_json() {
        assert_eq!(super::quoted("a\"b\\c\n"), r#""a\"b\\c\u000a""#);
    }
}
