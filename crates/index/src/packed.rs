//! Values in the index: a kind and eight bytes; and numbers in a row of bytes.

use base::{ClassId, ObjectId, PendingId, StringId, TypeId, Value};

/// A value as (kind, bits). Kinds are below 16; they are part of the index's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    pub kind: u8,
    pub bits: u64,
}

pub(crate) mod kind {
    pub const TOP: u8 = 0;
    pub const INT: u8 = 1;
    pub const LONG: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const DOUBLE: u8 = 4;
    pub const NULL: u8 = 5;
    pub const OBJECT: u8 = 6;
    pub const UNIDENTIFIED: u8 = 7;
    pub const STR: u8 = 8;
    pub const LITERAL: u8 = 9;
    pub const BOX: u8 = 10;
    pub const BOX_LONG: u8 = 11;
    pub const BOX_DOUBLE: u8 = 12;
    pub const CLASS: u8 = 13;
    pub const ENUM: u8 = 14;
    pub const PENDING: u8 = 15;
}

impl Packed {
    pub const NOTHING: Packed = Packed { kind: kind::TOP, bits: 0 };
}

impl From<Value> for Packed {
    #[inline]
    fn from(value: Value) -> Packed {
        Packed::from(&value)
    }
}

/// By reference: a value that was just made is not copied as a whole, for which its parts would have to arrive in memory first.
impl From<&Value> for Packed {
    #[inline]
    fn from(value: &Value) -> Packed {
        let (kind, bits) = match *value {
            Value::Int(value) => (kind::INT, u64::from(value as u32)),
            Value::Long(value) => (kind::LONG, value as u64),
            Value::Float(value) => (kind::FLOAT, u64::from(value.to_bits())),
            Value::Double(value) => (kind::DOUBLE, value.to_bits()),
            Value::Null => (kind::NULL, 0),
            Value::Object(id) => (kind::OBJECT, u64::from(id.0)),
            Value::Unidentified => (kind::UNIDENTIFIED, 0),
            Value::Str(id) => (kind::STR, u64::from(id.0)),
            Value::Literal { class, index } => (kind::LITERAL, u64::from(class.0) << 16 | u64::from(index)),
            Value::Box { kind, bits } => (kind::BOX, u64::from(kind) << 32 | u64::from(bits as u32)),
            Value::Box64 { kind: b'D', bits } => (kind::BOX_DOUBLE, bits as u64),
            Value::Box64 { bits, .. } => (kind::BOX_LONG, bits as u64),
            Value::Class(ty) => (kind::CLASS, u64::from(ty.0)),
            Value::Enum { ty, ordinal } => (kind::ENUM, u64::from(ty.0) << 16 | u64::from(ordinal)),
            Value::Pending(id) => (kind::PENDING, u64::from(id.0)),
            Value::ReturnAddress(_) | Value::Top => (kind::TOP, 0),
        };
        Packed { kind, bits }
    }
}

impl From<Packed> for Value {
    fn from(packed: Packed) -> Value {
        let Packed { kind, bits } = packed;
        let low = bits as u32;
        match kind {
            kind::INT => Value::Int(low as i32),
            kind::LONG => Value::Long(bits as i64),
            kind::FLOAT => Value::Float(f32::from_bits(low)),
            kind::DOUBLE => Value::Double(f64::from_bits(bits)),
            kind::NULL => Value::Null,
            kind::OBJECT => Value::Object(ObjectId(low)),
            kind::UNIDENTIFIED => Value::Unidentified,
            kind::STR => Value::Str(StringId(low)),
            kind::LITERAL => Value::Literal { class: ClassId((bits >> 16) as u32), index: bits as u16 },
            kind::BOX => Value::Box { kind: (bits >> 32) as u8, bits: low as i32 },
            kind::BOX_LONG => Value::Box64 { kind: b'J', bits: bits as i64 },
            kind::BOX_DOUBLE => Value::Box64 { kind: b'D', bits: bits as i64 },
            kind::CLASS => Value::Class(TypeId(low)),
            kind::ENUM => Value::Enum { ty: TypeId((bits >> 16) as u32), ordinal: bits as u16 },
            kind::PENDING => Value::Pending(PendingId(low)),
            _ => Value::Top,
        }
    }
}

/// Numbers with few significant bits take few bytes: seven bits per byte, the lowest first.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads what `put` wrote; none where the bytes end or the number is longer than any.
#[inline]
pub(crate) fn get(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    let mut value = u64::from(first & 0x7f);
    let mut shift = 7;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

/// Numbers near zero, on both sides, as small ones.
#[inline]
pub(crate) fn zigzag(value: u64) -> u64 {
    let value = value as i64;
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline]
pub(crate) fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i32>().prop_map(Value::Int),
            any::<i64>().prop_map(Value::Long),
            (-1e9f64..1e9).prop_map(Value::Double),
            (-1e9f32..1e9).prop_map(Value::Float),
            Just(Value::Null),
            Just(Value::Unidentified),
            any::<u32>().prop_map(|id| Value::Object(ObjectId(id))),
            any::<u32>().prop_map(|id| Value::Str(StringId(id))),
            (any::<u32>(), any::<u16>())
                .prop_map(|(class, index)| Value::Literal { class: ClassId(class), index }),
            any::<i32>().prop_map(|bits| Value::Box { kind: b'C', bits }),
            any::<i64>().prop_map(|bits| Value::Box64 { kind: b'J', bits }),
            any::<i64>().prop_map(|bits| Value::Box64 { kind: b'D', bits }),
            any::<u32>().prop_map(|ty| Value::Class(TypeId(ty))),
            (any::<u32>(), any::<u16>()).prop_map(|(ty, ordinal)| Value::Enum { ty: TypeId(ty), ordinal }),
            any::<u32>().prop_map(|id| Value::Pending(PendingId(id))),
        ]
    }

    proptest! {
        #[test]
        fn every_value_comes_back(value in any_value()) {
            let packed = Packed::from(value);
            prop_assert_eq!(Value::from(packed), value);
            prop_assert_eq!(unzigzag(zigzag(packed.bits)), packed.bits);
            let mut bytes = Vec::new();
            put(&mut bytes, packed.bits);
            let mut at = 0;
            prop_assert_eq!(get(&bytes, &mut at), Some(packed.bits));
            prop_assert_eq!(at, bytes.len());
        }
    }
}
