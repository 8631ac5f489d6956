//! What the agent is told: a file of `key=value` lines, written by `inquest record`, whose path is the agent's option.

use std::path::PathBuf;

use instrument::ProgramDetail;

/// Of 16 KiB, so 2 MiB: small enough that a test's stream is read and indexed within a second, large enough that a suite has
/// thousands of streams and not hundreds of thousands.
const DEFAULT_SPLIT: u32 = 128;

#[derive(Debug)]
pub struct AgentOptions {
    /// Folder in which this JVM makes its own.
    pub dir: PathBuf,
    pub detail: ProgramDetail,
    /// Package or class prefixes, with slashes.
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// Bytes that the chunk pool may take.
    pub memory: u64,
    pub max_string: u32,
    pub max_array: u32,
    /// Pid of the process that empties the pool.
    pub collector: u32,
    /// What to add to the command line of a child JVM, to be recorded too.
    pub child_arguments: Vec<String>,
    /// The same for JAVA_TOOL_OPTIONS, for children that may start a JVM in turn.
    pub child_environment: String,
    /// Chunks after which a stream ends with the next outermost call.
    pub split: u32,
    /// Weave everything and record nothing: for checking that every class links.
    pub weave_only: bool,
}

impl AgentOptions {
    pub fn parse(text: &str) -> Result<AgentOptions, String> {
        let mut options = AgentOptions {
            dir: PathBuf::new(),
            detail: ProgramDetail::Full,
            include: vec![],
            exclude: vec![],
            memory: 1 << 30,
            max_string: 1024,
            max_array: 1024,
            collector: 0,
            child_arguments: vec![],
            child_environment: String::new(),
            split: DEFAULT_SPLIT,
            weave_only: false,
        };
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let number = || value.parse::<u64>().map_err(|_| format!("{key} is not a number: {value}"));
            match key {
                "dir" => options.dir = PathBuf::from(value),
                "detail" => {
                    options.detail = match value {
                        "calls" => ProgramDetail::Calls,
                        "heap" => ProgramDetail::Heap,
                        "full" => ProgramDetail::Full,
                        other => return Err(format!("unknown detail {other}")),
                    }
                }
                "include" => options.include.push(value.replace('.', "/")),
                "exclude" => options.exclude.push(value.replace('.', "/")),
                "memory" => options.memory = number()?,
                "max-string" => options.max_string = number()? as u32,
                "max-array" => options.max_array = number()? as u32,
                "collector" => options.collector = number()? as u32,
                "child-argument" => options.child_arguments.push(value.to_owned()),
                "child-environment" => options.child_environment = value.to_owned(),
                "split" => options.split = (number()? as u32).clamp(1, i32::MAX as u32),
                "weave-only" => options.weave_only = value == "1",
                _ => {}
            }
        }
        if options.dir.as_os_str().is_empty() {
            return Err("no folder given".into());
        }
        Ok(options)
    }
}
