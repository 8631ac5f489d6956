//! Plays a JVM with inquest's agent in it, for tests of the recorder that need no Java: announces itself as the agent
//! does, writes records, and ends as its arguments say: `fake_jvm CHUNKS exit N|kill|hang [children N]`.

use std::path::Path;
use std::process::Command;

use pool::{AgentState, Lock, Pool, Setup};
use trace::Manifest;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<i32>().ok()
    };
    let chunks: u32 = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("out");
    eprintln!("err");
    let agent = start();
    for chunk_number in 0..chunks {
        let Ok(chunk) = agent.0.acquire(1, chunk_number) else { break };
        for at in 0..1000 {
            // SAFETY: the chunk is ours, and 9 * 1000 bytes fit into it.
            unsafe {
                chunk.data.add(at * 9).write(trace::record::tag::I64);
                chunk
                    .data
                    .add(at * 9 + 1)
                    .cast::<u64>()
                    .write_unaligned(u64::from(chunk_number) * 1000 + at as u64);
            }
        }
        // The last chunk stays in our hands, as a thread's does that is still running.
        if chunk_number + 1 < chunks {
            agent.0.publish(chunk.index, 9000, false);
        }
    }
    for _ in 0..number("children").unwrap_or(0) {
        let itself = std::env::current_exe().expect("a path of our own");
        let status = Command::new(itself).args(["3", "exit", "0"]).status().expect("a child");
        assert!(status.success());
    }
    if arguments.iter().any(|argument| argument == "kill") {
        // SAFETY: plain system call on ourselves.
        unsafe { libc::kill(std::process::id() as i32, libc::SIGKILL) };
    }
    if arguments.iter().any(|argument| argument == "hang") {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
    agent.0.set_agent_state(AgentState::Ended);
    std::process::exit(number("exit").unwrap_or(0));
}

/// What the agent does when its JVM loads it.
fn start() -> (Pool, Lock) {
    let injected = std::env::var("JAVA_TOOL_OPTIONS").expect("the recorder's options");
    let options = injected.split_once(".so=").expect("an options file").1;
    let options = std::fs::read_to_string(options).expect("options");
    let option = |name: &str| {
        let value = options.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.expect("an option").to_owned()
    };
    let pid = std::process::id();
    let dir = Path::new(&option("dir")).join(format!("jvm-{pid}"));
    std::fs::create_dir(&dir).expect("a folder");
    let lock = Lock::try_hold(&dir.join(Lock::DEBUGGEE)).expect("a lock").expect("our lock");
    let manifest = Manifest { pid, detail: option("detail"), ..Manifest::default() };
    manifest.store(&dir).expect("a manifest");
    let fallback = dir.join("pool.data");
    let capacity = option("memory").parse::<u64>().expect("bytes") / pool::CHUNK_SIZE as u64;
    let collector = option("collector").parse().expect("a pid");
    let setup = Setup { capacity: capacity as u32, debuggee: pid, collector, fallback: &fallback };
    let pool = Pool::create(setup).expect("a pool");
    pool.set_agent_state(AgentState::Recording);
    std::fs::write(dir.join("pool.tmp"), pool.path().to_str().expect("a plain path")).expect("a pointer");
    std::fs::rename(dir.join("pool.tmp"), dir.join("pool")).expect("a pointer");
    (pool, lock)
}
