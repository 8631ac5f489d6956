//! What `inquest record` says when the command has ended: where the recording is and what is not in it. To stderr,
//! because stdout is the program's.

use std::path::Path;
use std::time::Duration;

use collector::{JvmSummary, Summary};

use crate::record::options::RecordOptions;
use crate::record::output::Output;
use words::{count, duration, size};

/// `moved` says that the only recording is in the output folder itself.
pub fn print(options: &RecordOptions, output: &Output, summary: &Summary, moved: bool, times: Times) {
    for (dir, problem) in &summary.failed {
        eprintln!("inquest: {} was not recorded: {problem}", dir.file_name().unwrap_or_default().display());
    }
    if summary.jvms.is_empty() {
        eprintln!("inquest: no Java program was recorded: {}", why_nothing(options, summary));
        return;
    }
    let folder = shown(output.dir());
    match &summary.jvms[..] {
        [jvm] => {
            let place = if moved { folder } else { shown(&jvm.dir) };
            eprintln!("inquest: recorded to {place} ({})", measures(jvm.bytes, jvm.threads, times));
        }
        jvms => {
            let bytes = jvms.iter().map(|jvm| jvm.bytes).sum();
            let threads = jvms.iter().map(|jvm| jvm.threads).sum();
            eprintln!(
                "inquest: recorded {} JVMs to {folder} ({})",
                jvms.len(),
                measures(bytes, threads, times)
            );
        }
    }
    if summary.jvms.iter().all(|jvm| jvm.threads == 0) {
        eprintln!(
            "inquest: nothing of the program was recorded: what ran came from libraries (jars other than the main one); \
             name packages of yours with --include"
        );
    }
    for jvm in &summary.jvms {
        let prefix = if summary.jvms.len() > 1 { format!("jvm-{}: ", jvm.pid) } else { String::new() };
        for remark in remarks(jvm) {
            eprintln!("inquest: {prefix}{remark}");
        }
    }
}

/// How long the command ran, and how long it took until everything was written.
#[derive(Clone, Copy)]
pub struct Times {
    pub program: Duration,
    pub all: Duration,
}

fn measures(bytes: u64, threads: usize, times: Times) -> String {
    let noun = if threads == 1 { "thread" } else { "threads" };
    let program = times.program.as_secs_f64();
    let writing = match times.all - times.program {
        short if short < Duration::from_millis(100) => String::new(),
        long => format!(", writing the rest {}", duration(long)),
    };
    format!("{}, {threads} {noun}, program {program:.3} s{writing}", size(bytes))
}

/// Everything about a recording that the user would otherwise find out too late.
fn remarks(jvm: &JvmSummary) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(stopped) = &jvm.stopped {
        remarks.push(format!("recording stopped before the program's end: {stopped}"));
    }
    if jvm.waited_ms > 0 {
        remarks.push(format!(
            "the program's threads waited {} for the recorder in all; --memory gives it more room",
            duration(Duration::from_millis(jvm.waited_ms))
        ));
    }
    if jvm.degraded > 0 {
        let degraded = count(jvm.degraded.into());
        let methods = if jvm.degraded == 1 { "method is" } else { "methods are" };
        remarks.push(format!(
            "{degraded} {methods} recorded in less detail than asked for; `inquest stats` names them"
        ));
    }
    remarks.extend(jvm.problem.clone());
    remarks
}

fn why_nothing(options: &RecordOptions, summary: &Summary) -> String {
    let command = options.command[0].to_string_lossy();
    match &options.launcher {
        _ if !summary.failed.is_empty() => "the agent could not start (see above)".to_owned(),
        Some(_) => format!("{command} ended before its JVM was ready"),
        None => format!(
            "{command} started no JVM that inquest could reach; name the java command itself after `--`"
        ),
    }
}

/// Relative to where the user is, if it is below.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use collector::{StopReason, Stopped};

    #[test]
    fn a_perfect_recording_needs_no_remarks_and_others_get_theirs() {
        let mut jvm = JvmSummary {
            pid: 1,
            dir: "x".into(),
            bytes: 1,
            chunks: 1,
            threads: 1,
            waited_ms: 0,
            degraded: 0,
            complete: true,
            stopped: None,
            problem: None,
        };
        assert!(remarks(&jvm).is_empty());
        jvm.waited_ms = 1200;
        jvm.degraded = 1;
        jvm.stopped = Some(Stopped { reason: StopReason::DiskFull, at: None, detail: None });
        let remarks = remarks(&jvm).join("\n");
        for part in ["the disk is full", "waited 1.2 s", "1 method is"] {
            assert!(remarks.contains(part), "{remarks}");
        }
    }
}
