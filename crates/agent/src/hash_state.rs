//! Puts back the state of a thread's identity hash sequence. The VM draws identity hash codes from a generator in
//! each thread; programs print them and iterate over hash sets in their order, and on the main thread they are the
//! same in every run. What the agent does on that thread while it starts must not use any of them up.
//!
//! The generator (Marsaglia's xor-shift, four words) lies somewhere in the VM's thread structure. It is found by
//! drawing once and looking for four words that changed exactly as the generator changes them.

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::Jni;

/// Words of the thread structure that are searched.
const WORDS: usize = 512;

pub struct HashState {
    at: *mut u32,
    saved: [u32; 4],
}

impl HashState {
    /// Remembers the state of the current thread, whose Java object is `thread`.
    pub fn save(jni: Jni, thread: jobject) -> Option<HashState> {
        // Nothing before the first look may draw: not even looking up a class by name.
        let start = jni.long_field(thread, c"eetop")? as *mut u32;
        if start.is_null() {
            return None;
        }
        let first = words(start);
        let draw = jni.identity_hash()?;
        let before = words(start);
        draw();
        let after = words(start);
        let mut found = (0..WORDS - 3).filter(|&i| {
            let (b, a) = (&before[i..i + 4], &after[i..i + 4]);
            // In memory: w, x, y, z.
            a != b && a[1..] == [b[2], b[3], b[0]] && a[0] == next(b[1], b[0])
        });
        let i = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let saved = [first[i], first[i + 1], first[i + 2], first[i + 3]];
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

/// The generator's step: the new w.
fn next(x: u32, w: u32) -> u32 {
    let t = x ^ (x << 11);
    w ^ (w >> 19) ^ t ^ (t >> 8)
}

fn words(start: *mut u32) -> [u32; WORDS] {
    // SAFETY: the VM's thread structure is larger than this and lives as long as the thread.
    std::array::from_fn(|i| unsafe { start.add(i).read_volatile() })
}
