//! Whether other work keeps a thread from the processors. Compressing would then take from the program what it still gets
//! of them: what has to be written at once is stored as it is instead, at the price of disk.

use std::fs;

/// Frames between two looks.
const FRAMES: u32 = 8;

/// How the thread that asks was served lately.
#[derive(Default)]
pub(crate) struct Crowd {
    seen: Served,
    frames: u32,
    crowded: bool,
}

/// Nanoseconds that a thread ran, and that it was kept waiting although it could have run.
#[derive(Clone, Copy, Default)]
struct Served {
    ran: u64,
    waited: u64,
}

impl Crowd {
    /// To be asked before each frame, by one thread.
    pub fn is_crowded(&mut self) -> bool {
        self.frames += 1;
        if self.frames >= FRAMES {
            self.frames = 0;
            let now = served().unwrap_or(self.seen);
            self.crowded = crowded(self.crowded, self.seen, now);
            self.seen = now;
        }
        self.crowded
    }
}

/// Begins where a thread waits a quarter as long as it runs (three threads on two processors: half as long), and ends where
/// that is hardly anything.
fn crowded(before: bool, from: Served, to: Served) -> bool {
    let ran = to.ran.saturating_sub(from.ran);
    let waited = to.waited.saturating_sub(from.waited);
    if before { waited > ran / 16 } else { waited > ran / 4 }
}

/// Since the calling thread began; none where the kernel does not count it.
fn served() -> Option<Served> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    Some(Served { ran: numbers.next()?.ok()?, waited: numbers.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_crowded_from_where_it_waits_much_to_where_it_hardly_waits() {
        let start = Served { ran: 1000, waited: 500 };
        let after = |ran: u64, waited: u64| Served { ran: 1000 + ran, waited: 500 + waited };
        let cases = [
            (800, 0, false, false),
            (800, 150, false, true),
            (800, 300, true, true),
            (800, 40, false, false),
        ];
        for (ran, waited, begins, goes_on) in cases {
            assert_eq!(crowded(false, start, after(ran, waited)), begins, "{ran} {waited}");
            assert_eq!(crowded(true, start, after(ran, waited)), goes_on, "{ran} {waited}");
        }
    }

    #[test]
    fn the_kernel_counts_how_long_a_thread_ran() {
        let before = served().unwrap();
        let mut sum = 0_u64;
        while served().unwrap().ran < before.ran + 1_000_000 {
            sum = sum.wrapping_add(std::hint::black_box(1));
        }
        assert!(sum > 0);
    }
}
