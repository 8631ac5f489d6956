//! The generator of a thread's identity hash codes. Programs print such codes and iterate over hash sets in their order,
//! and on the main thread they are the same in every run. What the agent does on that thread while it starts must
//! not use any of them up, so the state is put back. And an object that is locked gets its name from the VM, as
//! its hash code: the generator is made to give that number next.
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

    /// Where the generator is in each thread, seen from the thread's JNI environment: both are in one structure.
    pub fn distance(&self, jni: Jni) -> isize {
        self.at as isize - jni.address() as isize
    }

    /// Puts the state back; to be called on the thread that it was saved on.
    pub fn restore(self) {
        for (i, word) in self.saved.iter().enumerate() {
            // SAFETY: the four words of the current thread's generator, which only this thread uses.
            unsafe { self.at.add(i).write_volatile(*word) };
        }
    }
}

/// Has the VM compute the hash code of `object`; if it has none yet, it becomes `code`. The hash code, and whether it was
/// given now. `distance` is that of [`HashState::distance`].
pub fn hash_as(jni: Jni, distance: isize, hash: impl FnOnce() -> u32, code: u32) -> (u32, bool) {
    let at = (jni.address() as isize + distance) as *mut u32;
    // SAFETY: the four words of the current thread's generator, which only this thread uses.
    let read = || std::array::from_fn(|i| unsafe { at.add(i).read_volatile() });
    let write = |state: [u32; 4]| {
        for (i, word) in state.iter().enumerate() {
            // SAFETY: as above.
            unsafe { at.add(i).write_volatile(*word) };
        }
    };
    let saved: [u32; 4] = read();
    let prepared = giving(code, saved[3]);
    write(prepared);
    let got = hash();
    let drawn = read() != prepared;
    write(saved);
    (got, drawn && got == code)
}

/// A state after which the next hash code is `code`: with x = 0 the next w is w ^ w >> 19, which undoes itself.
fn giving(code: u32, z: u32) -> [u32; 4] {
    [code ^ code >> 19, 0, !code, z]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_can_be_made_to_give_any_number() {
        for code in [1, 2, 0x1234, 0x7_ffff, 0x8_0000, 0x1234_5678, 0x7fff_fffe] {
            let [w, x, y, z] = giving(code, 7);
            assert_eq!(next(x, w), code);
            // A draw changes the state, so that it can be told from none.
            assert_ne!([next(x, w), y, z, w], [w, x, y, z]);
        }
    }
}
