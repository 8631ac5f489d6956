//! Work that can be done side by side: what is compared lies in two recordings, and calls are looked into one by one. Threads
//! end before the function returns, and what comes out does not depend on how many there were.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

/// Threads, at most: all of them read the same files.
const MAX_THREADS: usize = 4;
/// Items from which on it pays to start a thread.
const MIN_ITEMS: usize = 4;

/// Two things at once.
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        (one, other.join().unwrap_or_else(|fault| panic::resume_unwind(fault)))
    })
}

/// The same for each, in order.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    if threads == 1 || items.len() < MIN_ITEMS {
        return items.iter().map(work).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let run = || {
        let mut own = Vec::new();
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            own.push((at, work(item)));
        }
        if let Ok(mut done) = done.lock() {
            done.extend(own);
        }
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 3, 4, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(each(&items, |item| 2 * item), doubled);
        }
        assert_eq!(both(|| 1, || "x"), (1, "x"));
    }
}
