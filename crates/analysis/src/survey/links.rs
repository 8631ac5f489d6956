//! How a call that ends is tied to the one that its caller made before. A chain of calls is one question because the
//! state after each is the state before the next on all that the chain reads or writes: so its caller must not write
//! any of that in between. Chains are made greedily from the left.

use past::ObjectId;
use tree::Link;

use super::footprint::{Footprint, MAX_FOOTPRINT};
use super::keys::LocationKey;
use trace::MethodId;

/// What is remembered of the last callee of an open call.
#[derive(Clone, Debug, Default)]
pub struct Before {
    pub entry: u64,
    /// None for a library.
    pub method: Option<MethodId>,
    /// Where it was called.
    pub bci: u16,
    pub leaf: bool,
    pub pure: bool,
    pub known: bool,
    /// The object that it gave.
    pub result: Option<ObjectId>,
    /// It touched so little that `Siblings::small` has it.
    small: bool,
}

/// The callees of an open call so far, as far as links need them.
#[derive(Default)]
pub struct Siblings {
    pub before: Option<Before>,
    /// When the first call of the present run began.
    run: u64,
    /// What the last callee touched, if that is not much.
    small: Vec<LocationKey>,
}

/// A call that ends.
pub struct EndedCall {
    pub entry: u64,
    pub exit: u64,
    pub method: Option<MethodId>,
    pub bci: u16,
    pub leaf: bool,
    pub result: Option<ObjectId>,
    /// A value that the call before it gave is among its arguments.
    pub flows: bool,
}

/// Footprints up to this size are looked through from the side of the earlier call.
const SMALL_FOOTPRINT: usize = 32;

impl Siblings {
    pub fn clear(&mut self) {
        (self.before, self.run) = (None, 0);
    }

    /// A callee has ended: says how it is tied to the one before, and puts its footprint into that of its caller.
    pub fn add(&mut self, call: EndedCall, caller: &mut Footprint, footprint: &mut Footprint) -> Link {
        let known = !footprint.unknown && footprint.len() <= MAX_FOOTPRINT;
        let pure = known && call.leaf && !footprint.impure;
        let mut link = Link::None;
        if let Some(before) = &self.before
            && known
            && before.known
            && call.method.is_some()
            && before.method.is_some()
        {
            let shares = self.shares(before, caller, footprint);
            if (shares || call.flows) && !caller.cut && self.is_untouched(caller, footprint) {
                link = Link::Chain;
            } else if !shares
                && !call.flows
                && (before.leaf && call.leaf && before.pure && pure)
                && before.method == call.method
            {
                link = Link::Independent;
            }
        }
        if link != Link::Chain {
            self.run = call.entry;
        }
        let small = known && footprint.len() <= SMALL_FOOTPRINT;
        self.small.clear();
        if small {
            self.small.extend(footprint.iter());
        }
        let EndedCall { entry, exit, method, bci, leaf, result, .. } = call;
        self.before = Some(Before { entry, method, bci, leaf, pure, known, result, small });
        (caller.watching, caller.cut) = (true, false);
        caller.gap.clear();
        if known {
            for (key, _) in footprint.own.iter() {
                footprint.callees.raise(key, exit);
            }
            caller.callees.absorb(&mut footprint.callees);
        } else {
            caller.unknown = true;
        }
        link
    }

    /// Did the caller write nothing during the run that the run, or the call that ends, touches?
    fn is_untouched(&self, caller: &Footprint, footprint: &Footprint) -> bool {
        let in_run = |key: LocationKey| caller.callees.get(key).is_some_and(|at| at >= self.run);
        if caller.gap.iter().any(|&key| in_run(key)) {
            return false;
        }
        let written = |at: u64| at > self.run;
        if caller.own.len() < footprint.len() {
            !caller.own.iter().any(|(key, at)| written(at) && footprint.contains(key))
        } else {
            !footprint.iter().any(|key| caller.own.get(key).is_some_and(written))
        }
    }

    /// Is there a location that the call before and the one that ends have both touched?
    fn shares(&self, before: &Before, caller: &Footprint, footprint: &Footprint) -> bool {
        if before.small {
            return self.small.iter().any(|&key| footprint.contains(key));
        }
        footprint.iter().any(|key| caller.callees.get(key).is_some_and(|at| at >= before.entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caller in which calls end one after the other.
    #[derive(Default)]
    struct Caller {
        siblings: Siblings,
        footprint: Footprint,
        clock: u64,
    }

    impl Caller {
        fn writes(&mut self, key: LocationKey) {
            self.clock += 1;
            self.footprint.write(key, self.clock);
        }

        fn calls(&mut self, reads: &[LocationKey], writes: &[LocationKey]) -> Link {
            self.clock += 1;
            let entry = self.clock;
            let mut own = Footprint::default();
            reads.iter().for_each(|&key| own.read(key));
            writes.iter().for_each(|&key| own.write(key, entry));
            self.clock += 1;
            let method = Some(MethodId(1));
            let ending =
                EndedCall { entry, exit: self.clock, method, bci: 0, leaf: true, result: None, flows: false };
            self.siblings.add(ending, &mut self.footprint, &mut own)
        }
    }

    #[test]
    fn a_write_between_two_calls_parts_them_if_the_run_touches_it() {
        let mut caller = Caller::default();
        assert_eq!(caller.calls(&[1], &[1]), Link::None);
        assert_eq!(caller.calls(&[1], &[1]), Link::Chain);
        caller.writes(2);
        assert_eq!(caller.calls(&[1], &[1]), Link::Chain);
        // Only the third touches what was written between the first two.
        assert_eq!(caller.calls(&[1, 2], &[1]), Link::None);
        assert_eq!(caller.calls(&[2], &[2]), Link::Chain);
        caller.writes(1);
        assert_eq!(caller.calls(&[2], &[2]), Link::None, "an earlier member of the run touched it");
    }

    #[test]
    fn calls_that_only_look_at_different_things_are_independent() {
        let mut caller = Caller::default();
        caller.calls(&[1], &[]);
        assert_eq!(caller.calls(&[2], &[]), Link::Independent);
        assert_eq!(caller.calls(&[2], &[]), Link::Chain);
        assert_eq!(caller.calls(&[], &[3]), Link::None);
    }

    #[test]
    fn a_call_that_touched_too_much_is_not_linked() {
        let many: Vec<LocationKey> = (1..=MAX_FOOTPRINT as u64 + 1).collect();
        let mut caller = Caller::default();
        caller.calls(&[1], &[1]);
        assert_eq!(caller.calls(&many, &[]), Link::None);
        assert_eq!(caller.calls(&[1], &[1]), Link::None);
        assert_eq!(caller.calls(&[1], &[1]), Link::Chain);
        assert!(caller.footprint.unknown, "nor is its caller");
    }

    #[test]
    fn large_footprints_share_what_small_ones_do() {
        let many: Vec<LocationKey> = (1..=1000).collect();
        let mut caller = Caller::default();
        assert_eq!(caller.calls(&many, &[]), Link::None);
        assert_eq!(caller.calls(&[1000], &[1000]), Link::Chain);
        assert_eq!(caller.calls(&many, &[]), Link::Chain);
        caller.writes(2000);
        assert_eq!(caller.calls(&[2000, 5], &[]), Link::None);
    }
}
