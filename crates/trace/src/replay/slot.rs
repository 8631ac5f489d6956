//! Locals and operands while they are replayed: eight bytes each, without type, because the code says what it
//! takes them for. Copying a value is then one load and one store, which is most of what bytecode does.

use std::collections::HashMap;

use crate::ids::{ClassId, ObjectId, PendingId, StringId, TypeId};
use crate::value::Value;

/// An int or float has its bits in the lower half, a long or double in all of it (and a second slot that holds
/// `TOP`). A reference has its kind in the top byte; null is 0.
pub(super) type Slot = u64;

pub(super) const TOP: Slot = 11 << 56;
/// A local or operand that was not written yet.
pub(super) const EMPTY: Slot = 12 << 56;
const OBJECT: u64 = 1;
const UNIDENTIFIED: u64 = 2;
const STR: u64 = 3;
const LITERAL: u64 = 4;
const BOX: u64 = 5;
const BOX64: u64 = 6;
const CLASS: u64 = 7;
const ENUM: u64 = 8;
const PENDING: u64 = 9;
const RETURN_ADDRESS: u64 = 10;

#[inline]
pub(super) fn int(value: i32) -> Slot {
    u64::from(value as u32)
}

#[inline]
pub(super) fn reference(id: u32) -> Slot {
    match id {
        0 => 0,
        ObjectId::UNIDENTIFIED => UNIDENTIFIED << 56,
        id => OBJECT << 56 | u64::from(id),
    }
}

#[inline]
pub(super) fn string(id: u32) -> Slot {
    STR << 56 | u64::from(id)
}

pub(super) fn pending(pending: PendingId) -> Slot {
    PENDING << 56 | u64::from(pending.0)
}

pub(super) fn return_address(ip: u32) -> Slot {
    RETURN_ADDRESS << 56 | u64::from(ip)
}

pub(super) fn as_return_address(slot: Slot) -> Option<u32> {
    (slot >> 56 == RETURN_ADDRESS).then_some(slot as u32)
}

#[inline]
pub(super) fn as_object(slot: Slot) -> Option<ObjectId> {
    (slot >> 56 == OBJECT).then_some(ObjectId(slot as u32))
}

pub(super) fn as_pending(slot: Slot) -> Option<PendingId> {
    (slot >> 56 == PENDING).then_some(PendingId(slot as u32))
}

/// Boxed longs and doubles: the only references that do not fit a slot. A slot holds their number in here. A box
/// keeps its number while a slot may hold it: the bits of a long may look like one and must not change.
#[derive(Default)]
pub(super) struct Boxes {
    list: Vec<(u8, i64)>,
    numbers: HashMap<(u8, i64), u32>,
    /// Numbers that are not in use.
    free: Vec<u32>,
    /// Many enough to see which are still in use.
    limit: usize,
}

/// More boxes than any stack holds; so many are still no burden.
const MAX_BOXES: u32 = 1 << 22;

impl Boxes {
    pub fn is_full(&self) -> bool {
        self.numbers.len() > self.limit.max(1 << 16)
    }

    /// Forgets the boxes that no slot holds.
    pub fn collect(&mut self, slots: &[Slot]) {
        let mut used = vec![false; self.list.len()];
        self.numbers.clear();
        for &slot in slots {
            if let Some((number, kind, bits)) = self.held(slot) {
                used[number as usize] = true;
                self.numbers.insert((kind, bits), number);
            }
        }
        self.free = unused(&used);
        self.limit = self.numbers.len() * 2;
    }

    /// Number and content of the box that a slot holds, if it holds one.
    pub fn held(&self, slot: Slot) -> Option<(u32, u8, i64)> {
        let number = slot as u32;
        let &(kind, bits) = self.list.get(number as usize).filter(|_| slot >> 32 == BOX64 << 24)?;
        Some((number, kind, bits))
    }

    /// The same boxes under the same numbers; none if there is a number that no box can have.
    pub fn restore(held: impl Iterator<Item = (u32, u8, i64)>) -> Option<Boxes> {
        let mut boxes = Boxes::default();
        let mut used = Vec::new();
        for (number, kind, bits) in held {
            let at = number as usize;
            if number >= MAX_BOXES {
                return None;
            }
            if used.len() <= at {
                used.resize(at + 1, false);
                boxes.list.resize(at + 1, (0, 0));
            }
            used[at] = true;
            boxes.list[at] = (kind, bits);
            boxes.numbers.insert((kind, bits), number);
        }
        boxes.free = unused(&used);
        Some(boxes)
    }

    pub fn pack(&mut self, value: Value) -> Slot {
        match value {
            Value::Int(value) => int(value),
            Value::Float(value) => u64::from(value.to_bits()),
            Value::Long(value) => value as u64,
            Value::Double(value) => value.to_bits(),
            Value::Null => 0,
            Value::Object(id) => OBJECT << 56 | u64::from(id.0),
            Value::Unidentified => UNIDENTIFIED << 56,
            Value::Str(id) => string(id.0),
            Value::Literal { class, index } => LITERAL << 56 | u64::from(class.0) << 16 | u64::from(index),
            Value::Box { kind, bits } => BOX << 56 | u64::from(kind) << 32 | u64::from(bits as u32),
            Value::Box64 { kind, bits } => {
                let number = *self.numbers.entry((kind, bits)).or_insert_with(|| match self.free.pop() {
                    Some(number) => {
                        self.list[number as usize] = (kind, bits);
                        number
                    }
                    None => {
                        self.list.push((kind, bits));
                        self.list.len() as u32 - 1
                    }
                });
                BOX64 << 56 | u64::from(number)
            }
            Value::Class(ty) => CLASS << 56 | u64::from(ty.0),
            Value::Enum { ty, ordinal } => ENUM << 56 | u64::from(ty.0) << 16 | u64::from(ordinal),
            Value::Pending(id) => pending(id),
            Value::ReturnAddress(ip) => return_address(ip),
            Value::Top => TOP,
        }
    }

    /// The value in a slot, taken for one of a descriptor letter.
    #[inline]
    pub fn unpack(&self, slot: Slot, kind: u8) -> Value {
        match kind {
            b'L' => self.unpack_reference(slot),
            b'J' => Value::Long(slot as i64),
            b'D' => Value::Double(f64::from_bits(slot)),
            b'F' => Value::Float(f32::from_bits(slot as u32)),
            _ => Value::Int(slot as i32),
        }
    }

    #[inline]
    pub fn unpack_reference(&self, slot: Slot) -> Value {
        let low = slot as u32;
        match slot >> 56 {
            OBJECT => Value::Object(ObjectId(low)),
            0 => Value::Null,
            STR => Value::Str(StringId(low)),
            LITERAL => Value::Literal { class: ClassId((slot >> 16) as u32), index: slot as u16 },
            BOX => Value::Box { kind: (slot >> 32) as u8, bits: low as i32 },
            BOX64 => match self.list.get(low as usize) {
                Some(&(kind, bits)) => Value::Box64 { kind, bits },
                None => Value::Top,
            },
            CLASS => Value::Class(TypeId(low)),
            ENUM => Value::Enum { ty: TypeId((slot >> 16) as u32), ordinal: slot as u16 },
            PENDING => Value::Pending(PendingId(low)),
            UNIDENTIFIED => Value::Unidentified,
            RETURN_ADDRESS => Value::ReturnAddress(low),
            _ => Value::Top,
        }
    }
}

fn unused(used: &[bool]) -> Vec<u32> {
    let numbers = used.iter().enumerate();
    numbers.filter(|&(_, &used)| !used).map(|(number, _)| number as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives_a_slot() {
        let mut boxes = Boxes::default();
        let cases = [
            (Value::Int(-5), b'I'),
            (Value::Long(i64::MIN), b'J'),
            (Value::Float(-0.5), b'F'),
            (Value::Double(1e300), b'D'),
            (Value::Null, b'L'),
            (Value::Object(ObjectId(u32::MAX)), b'L'),
            (Value::Unidentified, b'L'),
            (Value::Str(StringId(7)), b'L'),
            (Value::Literal { class: ClassId(u32::MAX), index: 9 }, b'L'),
            (Value::Box { kind: b'F', bits: -1 }, b'L'),
            (Value::Box64 { kind: b'J', bits: i64::MIN }, b'L'),
            (Value::Class(TypeId(3)), b'L'),
            (Value::Enum { ty: TypeId(u32::MAX), ordinal: 65535 }, b'L'),
            (Value::Pending(PendingId(4)), b'L'),
            (Value::ReturnAddress(5), b'L'),
            (Value::Top, b'L'),
        ];
        for (value, kind) in cases {
            let slot = boxes.pack(value);
            assert_eq!(boxes.unpack(slot, kind), value);
        }
    }

    #[test]
    fn boxes_that_no_slot_holds_are_forgotten() {
        let mut boxes = Boxes::default();
        let mut slots: Vec<Slot> =
            (0..10).map(|bits| boxes.pack(Value::Box64 { kind: b'J', bits })).collect();
        slots.drain(..8);
        boxes.collect(&slots);
        assert_eq!((boxes.numbers.len(), boxes.free.len()), (2, 8));
        assert_eq!(boxes.unpack(slots[1], b'L'), Value::Box64 { kind: b'J', bits: 9 });
        let new = boxes.pack(Value::Box64 { kind: b'D', bits: 1 });
        assert_eq!(boxes.unpack(new, b'L'), Value::Box64 { kind: b'D', bits: 1 });
        assert_eq!(boxes.list.len(), 10);
    }

    #[test]
    fn boxes_are_restored_under_their_numbers() {
        let mut boxes = Boxes::default();
        let slots: Vec<Slot> = (0..4).map(|bits| boxes.pack(Value::Box64 { kind: b'J', bits })).collect();
        let held = slots[2..].iter().filter_map(|&slot| boxes.held(slot));
        let mut restored = Boxes::restore(held).unwrap();
        let new = restored.pack(Value::Box64 { kind: b'D', bits: 7 });
        assert_eq!(restored.unpack(slots[3], b'L'), Value::Box64 { kind: b'J', bits: 3 });
        assert_eq!(restored.unpack(slots[2], b'L'), Value::Box64 { kind: b'J', bits: 2 });
        assert_eq!(restored.unpack(new, b'L'), Value::Box64 { kind: b'D', bits: 7 });
        assert!(Boxes::restore([(u32::MAX, b'J', 1)].into_iter()).is_none());
    }
}
