//! How fast replay is, on three kernels: `cargo bench -p trace --bench replay`.

// The recordings are made as the tests of the replay make theirs; not all of that is needed here.
#[allow(dead_code)]
#[path = "../tests/replay/lab.rs"]
mod lab;
#[allow(dead_code)]
#[path = "../tests/replay/resume.rs"]
mod resume;

use std::ops::ControlFlow;

use trace::{ReplayLimits, StreamId};

use lab::Lab;

const KERNELS: &str = "public class Main {
    static int busy(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
    static int sum(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) s += a[i]; return s; }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
}";

fn fib(lab: &mut Lab, method: trace::MethodId, n: i32) -> i32 {
    lab.put(trace::record::Record::Enter(method)).int(n);
    let mut result = n;
    if n >= 2 {
        result = fib(lab, method, n - 1);
        lab.int(result);
        let second = fib(lab, method, n - 2);
        lab.int(second);
        result += second;
    }
    lab.exit();
    result
}

/// Frames of the size that the collector writes.
fn frames(log: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = vec![Vec::new()];
    let mut at = 0;
    while at < log.len() {
        let length = trace::record::length(&log[at..]).unwrap();
        if frames.last().unwrap().len() > 256 << 10 {
            frames.push(Vec::new());
        }
        frames.last_mut().unwrap().extend_from_slice(&log[at..at + length]);
        at += length;
    }
    frames
}

/// Nanoseconds that this thread has run: other work on the machine does not count.
fn cpu_time() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}

const ROUNDS: i32 = 20_000_000;

fn main() {
    speed_of_arithmetic();
    speed_of_array_reads();
    speed_of_calls();
}

fn speed_of_arithmetic() {
    let mut lab = Lab::new(KERNELS);
    lab.enter("Main.busy").int(ROUNDS).exit();
    measure("arithmetic", &lab, 10.0 * f64::from(ROUNDS));
}

fn speed_of_array_reads() {
    let mut lab = Lab::new(KERNELS);
    lab.array(1, "[I", ROUNDS as u32).enter("Main.sum").reference(1);
    for _ in 0..ROUNDS {
        lab.int(3);
    }
    lab.exit();
    measure("array reads", &lab, 11.0 * f64::from(ROUNDS));
}

fn speed_of_calls() {
    let mut lab = Lab::new(KERNELS);
    let method = lab.method("Main.fib");
    fib(&mut lab, method, 32);
    measure("calls", &lab, 3_524_578.0 * 2.0 * 9.5);
}

fn measure(name: &str, lab: &Lab, bytecodes: f64) {
    let mut recording = lab.open_with(frames);
    recording.set_limits(ReplayLimits::default());
    for _ in 0..3 {
        let start = cpu_time();
        let mut sum = 0;
        let outcome = recording.events(StreamId(1), |event| {
            sum += event.kind.index();
            ControlFlow::Continue(())
        });
        let ns = cpu_time() - start;
        assert_eq!(outcome.gap_count, 0);
        let per_event = ns / outcome.events as f64;
        println!("{name}: {:.2} ns per bytecode, {per_event:.2} ns per event ({sum})", ns / bytecodes);
    }
}
