//! What happened, one event at a time: the meaning of a recording. Clients cannot tell an event that was stored
//! from one that was recomputed. Events borrow from the replay, so that making one allocates nothing.

use crate::fields::Declared;
pub use crate::ids::Site;
use crate::ids::{CalleeId, ObjectId, PendingId};
use crate::link::Link;
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Where; none for what happens to the thread as a whole.
    pub site: Option<Site>,
    /// Open calls of program code on the thread, this one included. 0 = outside of any.
    pub depth: u32,
    /// True for a write by library code, below the program's call. `site` is then in the library.
    pub library: bool,
    /// On the first event of a call's end (its `Exit`, or the `Throw` before its `Unwind`): how to get here without
    /// replaying the call. None if what comes later depends on what happened within.
    pub end: Option<Jump>,
    pub kind: EventKind<'a>,
}

/// Where a call ends: what a visitor gives at the call's `Enter` to have the call left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Of the record that ended the call, or from which its end was concluded; of the next one if the call was linked.
    pub offset: u64,
    /// Ordinal of the first event of the end.
    pub events: u64,
    /// The last pending id that was given out before.
    pub pending: u32,
    /// How many calls of the thread were linked before.
    pub links: u32,
    /// Of a call that was linked and returned: what it gave, or which object it made. The log does not say it.
    pub linked: Option<Option<Value>>,
}

/// Objects that are being constructed are `Value::Pending` until their identity is known: in the events of the
/// `new` and of the constructors before `Object()` returned. Then one `Named` event says which object it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind<'a> {
    ThreadStart,
    ThreadEnd,
    /// A call of program code begins. `called`: it is what the caller's open `Call` called; otherwise a
    /// library (or the VM) called it.
    Enter {
        receiver: Option<Value>,
        args: &'a [Value],
        called: bool,
    },
    /// It returned; `value` is none for void, and where the value was not recorded.
    Exit {
        value: Option<Value>,
    },
    /// It ended by an exception. `recorded` is false if that was concluded from what came after.
    Unwind {
        exception: Option<Value>,
        recorded: bool,
    },
    /// An instruction calls something; the receiver is the first argument.
    Call {
        callee: &'a Callee,
        args: &'a [Value],
    },
    /// The open `Call` of this depth came back.
    Return {
        value: Option<Value>,
    },
    FieldWrite {
        object: Value,
        field: &'a FieldRef,
        value: Value,
    },
    StaticWrite {
        field: &'a FieldRef,
        value: Value,
    },
    ArrayWrite {
        array: Value,
        index: i32,
        value: Value,
    },
    LocalWrite {
        slot: u16,
        value: Value,
    },
    Branch {
        taken: bool,
    },
    /// `case` is the number of the case by ascending key, none for the default.
    Switch {
        key: i32,
        case: Option<u32>,
    },
    New {
        class: &'a str,
        object: Value,
    },
    Named {
        pending: PendingId,
        object: Value,
    },
    /// `class` names the array's type as in class files (`[I`).
    NewArray {
        class: &'a str,
        array: Value,
    },
    /// An exception arises at this instruction: an `athrow`, an instruction that failed, or a call that was left by
    /// it. Then it is caught in the same call (`Catch`) or leaves it (`Unwind`), and arises again in the caller.
    Throw {
        exception: Option<Value>,
    },
    Catch {
        exception: Option<Value>,
    },
    MonitorEnter {
        object: Value,
    },
    MonitorExit {
        object: Value,
    },
    /// An ordering point: a number of the recording-wide counter.
    OrderingPoint {
        number: u64,
    },
    BulkWrite(BulkWrite),
    /// Elements of an array as they are now, seen when the array came out of a library.
    ArrayContents {
        array: ObjectId,
        length: u32,
        from: u32,
        elements: Elements<'a>,
    },
    /// What a library object holds, seen when it came out of a library: the values of `Program::fields` of its
    /// type, in that order.
    ObjectContents {
        object: ObjectId,
        values: &'a [Value],
    },
    /// From here to the end of this call (`site.method`) nothing can be said.
    Gap {
        why: GapReason,
    },
    /// Nothing more is recorded of this thread. Reasons as in the pool's header.
    Stop {
        reason: u8,
    },
}

/// Why nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// A part of the log is missing: this concerns all open calls, not only the innermost.
    LostLog,
    // Log and code do not fit.
    NeverBegan,
    NotOpen,
    LeftElsewhere,
    ReturnedElsewhere,
    ExplicitRecord,
    /// A value where the code needs none.
    UnneededValue,
    /// A value that belongs to the record before it is missing, or of another kind.
    MissingValue,
    /// A value of another kind than the code needs.
    OtherValue,
    EndlessLoop,
    ConstructedTwice,
    UnknownLength,
    TooDeep,
    /// A call was linked, and the method that it entered cannot be told.
    NoTarget,
    // The tables lack something.
    UnknownMethod,
    UnknownCall,
    UnknownWrite,
    UnknownCreation,
    // The code is none.
    NoCode,
    UnreadableCode,
    NoInstruction,
    NoHandler,
    NoCallee,
    BadReference,
    TooFewOperands,
    WrongOperands,
}

/// Many elements written at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BulkWrite {
    Copy {
        source: Value,
        from: i32,
        target: Value,
        to: i32,
        length: i32,
    },
    /// All elements of an array, or all fields of an object.
    Clone {
        source: Value,
        target: Value,
    },
    /// `range` is none for the whole array.
    Fill {
        array: Value,
        range: Option<(i32, i32)>,
        value: Value,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elements<'a> {
    /// Little-endian elements of the size of `kind`, a descriptor letter.
    Primitive {
        kind: u8,
        data: &'a [u8],
    },
    References(&'a [Value]),
}

impl Elements<'_> {
    pub fn values(&self) -> Vec<Value> {
        let (kind, data) = match *self {
            Elements::References(values) => return values.to_vec(),
            Elements::Primitive { kind, data } => (kind, data),
        };
        let size = crate::record::element_size(kind).unwrap_or(1);
        let value = |bytes: &[u8]| {
            let mut padded = [0; 8];
            padded[..size].copy_from_slice(bytes);
            let bits = u64::from_le_bytes(padded);
            match kind {
                b'J' => Value::Long(bits as i64),
                b'D' => Value::Double(f64::from_bits(bits)),
                b'F' => Value::Float(f32::from_bits(bits as u32)),
                b'S' => Value::Int(i32::from(bits as i16)),
                b'B' => Value::Int(i32::from(bits as i8)),
                _ => Value::Int(bits as i32),
            }
        };
        data.chunks_exact(size).map(value).collect()
    }
}

/// What an instruction calls, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    pub id: CalleeId,
    /// Empty for `invokedynamic`.
    pub owner: String,
    pub name: String,
    pub descriptor: String,
    pub opcode: u8,
    /// Name and descriptor as one number, to compare with methods.
    pub(crate) key: u32,
    pub(crate) kinds: Box<[u8]>,
    pub(crate) slots: u32,
    pub(crate) receiver: bool,
    pub(crate) result: u8,
    pub(crate) init: Option<crate::probes::Init>,
    pub(crate) orders_threads: bool,
    pub(crate) bulk: Option<BulkCall>,
    pub(crate) link: Link,
}

impl Callee {
    /// Descriptor letter of each argument, the receiver (`L`) first; references are all `L`.
    pub fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// Is the first argument a receiver?
    pub fn receiver(&self) -> bool {
        self.receiver
    }

    /// Descriptor letter of the result, `V` for void.
    pub fn result(&self) -> u8 {
        self.result
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BulkCall {
    Copy,
    Clone,
    Fill,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRef {
    pub owner: String,
    pub name: String,
    pub descriptor: String,
    /// The field's first descriptor letter, `L` for all references.
    pub(crate) kind: u8,
    /// As far as the field's class is in the recording.
    pub(crate) volatile: bool,
    pub(crate) declared: Declared,
}

/// The name of each kind; its place in the list is its number.
macro_rules! names {
    ($($kind:ident: $name:literal,)*) => {
        /// Names of the kinds, by their number.
        pub const KINDS: [&str; [$($name),*].len()] = [$($name),*];

        impl EventKind<'_> {
            /// The kind's name, as `dump` and `stats` show it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(EventKind::$kind { .. } => $name,)*
                }
            }

            /// A number below `KINDS.len()`, for counting.
            #[inline]
            pub fn index(&self) -> usize {
                enum Number {
                    $($kind,)*
                }
                match self {
                    $(EventKind::$kind { .. } => Number::$kind as usize,)*
                }
            }
        }
    };
}

names! {
    ThreadStart: "thread-start",
    ThreadEnd: "thread-end",
    Enter: "enter",
    Exit: "exit",
    Unwind: "unwind",
    Call: "call",
    Return: "return",
    FieldWrite: "field",
    StaticWrite: "static",
    ArrayWrite: "element",
    LocalWrite: "local",
    Branch: "branch",
    Switch: "switch",
    New: "new",
    Named: "named",
    NewArray: "new-array",
    Throw: "throw",
    Catch: "catch",
    MonitorEnter: "monitor-enter",
    MonitorExit: "monitor-exit",
    OrderingPoint: "sync",
    BulkWrite: "bulk",
    ArrayContents: "contents",
    Gap: "gap",
    Stop: "stop",
    ObjectContents: "fields",
}

/// A pattern for events of these kinds, whatever is in them; kinds that belong together have a name in lower case:
/// `kinds! { threads OrderingPoint }`. A match names with it what it leaves out. So whoever adds a kind to a group is
/// led to the places that look into that group, and whoever adds one beside them to all places.
#[macro_export]
macro_rules! kinds {
    ($($name:ident)*) => {
        $($crate::one_of_kinds!($name))|*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! one_of_kinds {
    (threads) => { $crate::kinds!(ThreadStart ThreadEnd) };
    (calls) => { $crate::kinds!(Enter Exit Unwind Call Return) };
    // Of the heap.
    (writes) => { $crate::kinds!(FieldWrite StaticWrite ArrayWrite BulkWrite) };
    (branches) => { $crate::kinds!(Branch Switch) };
    (creations) => { $crate::kinds!(New NewArray Named) };
    (exceptions) => { $crate::kinds!(Throw Catch) };
    (monitors) => { $crate::kinds!(MonitorEnter MonitorExit) };
    (locks) => { $crate::kinds!(monitors OrderingPoint) };
    (contents) => { $crate::kinds!(ArrayContents ObjectContents) };
    // Of what was recorded.
    (losses) => { $crate::kinds!(Gap Stop) };
    ($kind:ident) => { $crate::EventKind::$kind { .. } };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_number() {
        let kinds = [
            EventKind::ThreadStart,
            EventKind::LocalWrite { slot: 1, value: Value::Int(2) },
            EventKind::BulkWrite(BulkWrite::Clone { source: Value::Null, target: Value::Null }),
            EventKind::ObjectContents { object: ObjectId(1), values: &[] },
        ];
        assert_eq!(kinds.map(|kind| kind.name()), ["thread-start", "local", "bulk", "fields"]);
        assert_eq!(kinds.map(|kind| KINDS[kind.index()]), kinds.map(|kind| kind.name()));
        let told = kinds.map(|kind| matches!(kind, kinds! { threads BulkWrite }));
        assert_eq!(told, [true, false, true, false]);
    }
}
