//! Puts back the state of a thread's identity hash sequence. The VM draws identity hash codes from a generator in
//! each thread; programs print them and iterate over hash sets in their order, and on the main thread they are the
//! same in every run. What the agent does on that thread while it starts must not use any of them up.
//!
//! The generator (Marsaglia's xor-shift, four words) lies somewhere in the VM's thread structure. It is found by
//! drawing once and looking for four words that changed exactly as the generator changes them.

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::Jni;

/// Words of the thread structure that are searched.
const WORDS: usize = 256;

pub struct HashState {
    at: *mut u32,
    saved: [u32; 4],
}

impl HashState {
    /// Remembers the state of the current thread, whose Java object is `thread`.
    pub fn save(jni: Jni, thread: jobject) -> Option<HashState> {
        let start = jni.long_field(thread, c"java/lang/Thread", c"eetop")? as *mut u32;
        if start.is_null() {
            return None;
        }
        let before = words(start);
        jni.draw_identity_hash()?;
        let after = words(start);
        let mut found = (0..WORDS - 3).filter(|&i| {
            let (b, a) = (&before[i..i + 4], &after[i..i + 4]);
            a[..3] == b[1..] && a[3] == next(b[0], b[3])
        });
        let i = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let saved = [before[i], before[i + 1], before[i + 2], before[i + 3]];
        // SAFETY: i lies within the words that were just read.
        Some(HashState { at: unsafe { start.add(i) }, saved })
    }

    /// Puts the state back; to be called on the thread that it was saved on.
    pub fn restore(self) {
        for (i, word) in self.saved.iter().enumerate() {
            // SAFETY: the four words of the current thread's generator, which only this thread uses.
            unsafe { self.at.add(i).write_volatile(*word) };
        }
    }
}

/// The generator's step: the new last word from the first and the last.
fn next(x: u32, w: u32) -> u32 {
    let t = x ^ (x << 11);
    (w ^ (w >> 19)) ^ (t ^ (t >> 8))
}

fn words(start: *mut u32) -> [u32; WORDS] {
    // SAFETY: the VM's thread structure is larger than this and lives as long as the thread.
    std::array::from_fn(|i| unsafe { start.add(i).read_volatile() })
}
