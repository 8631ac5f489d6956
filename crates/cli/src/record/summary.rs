//! What `inquest record` says when the command has ended: where the recording is and what is not in it. To stderr,
//! because stdout is the program's.

use std::path::Path;
use std::time::Duration;

use collector::{JvmSummary, Summary};

use crate::record::options::RecordOptions;
use crate::record::output::Output;
use crate::report::shell_word;
use words::{count, duration, size};

/// Failed tests that are named.
const NAMED: usize = 5;

/// `moved` says that the only recording is in the output folder itself.
pub fn print(options: &RecordOptions, output: &Output, summary: &Summary, moved: bool, times: Times) {
    if summary.jvms.is_empty() {
        print_failed(summary);
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
    let failed = failed_tests(summary);
    if !failed.is_empty() {
        let noun = if failed.len() == 1 { "test failed" } else { "tests failed" };
        let named = failed.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if failed.len() > NAMED { ", …" } else { "" };
        let folder = shell_word(&shown(output.dir()));
        eprintln!("inquest: {} {noun}: {named}{more}", count(failed.len() as u64));
        eprintln!(
            "inquest: `inquest ask {folder}` finds out why, `inquest symptoms {folder}` lists what went wrong"
        );
    }
    if summary.jvms.iter().all(|jvm| jvm.threads == 0) {
        eprintln!(
            "inquest: nothing of the program was recorded: what ran came from libraries (jars other than the main one); \
             name packages of yours with --include"
        );
    }
    print_problems(summary);
}

/// The tests that failed, as far as the recordings say it without being read.
fn failed_tests(summary: &Summary) -> Vec<String> {
    let jvms = summary.jvms.iter().filter(|jvm| jvm.threads > 0);
    // Where it lies by now: a single one was moved up.
    let place = |jvm: &JvmSummary| match jvm.dir.exists() {
        true => jvm.dir.clone(),
        false => jvm.dir.parent().unwrap_or(&jvm.dir).to_owned(),
    };
    let glances = jvms.filter_map(|jvm| past::Glance::at(&place(jvm)).ok().flatten());
    glances.flat_map(|glance| session::failed_at_a_glance(&glance)).collect()
}

/// What the user would otherwise find out too late: JVMs that were not recorded, and what is not in the recordings.
pub fn print_problems(summary: &Summary) {
    print_failed(summary);
    for jvm in &summary.jvms {
        let prefix = if summary.jvms.len() > 1 { format!("jvm-{}: ", jvm.pid) } else { String::new() };
        for remark in remarks(jvm) {
            eprintln!("inquest: {prefix}{remark}");
        }
    }
}

fn print_failed(summary: &Summary) {
    for (dir, problem) in &summary.failed {
        eprintln!("inquest: {} was not recorded: {problem}", dir.file_name().unwrap_or_default().display());
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
        None if options.gradle => format!(
            "no test and no program ran in a JVM that {command} started: name the task that runs them, as `{command} test`"
        ),
        None => format!(
            "{command} started no JVM that inquest could reach; name the java command itself after `--`"
        ),
    }
}

/// Relative to where the user is, if it is below.
pub fn shown(path: &Path) -> String {
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
