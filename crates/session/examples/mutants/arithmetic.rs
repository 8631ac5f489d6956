//! What an instruction makes of its operands, as far as they are numbers. A mutated instruction is active where this and
//! what the original instruction would have made differ.

use base::Value;
use classfile::opcode as op;

/// The result; none if an operand is not known, if the operation fails, or if it is none that computes.
pub fn evaluate(code: u8, operands: &[Value]) -> Option<Value> {
    match *operands {
        [Value::Int(a)] => unary_int(code, a),
        [Value::Long(a)] => unary_long(code, a),
        [Value::Float(a)] => Some(match code {
            op::FNEG => Value::Float(-a),
            op::F2I => Value::Int(a as i32),
            op::F2L => Value::Long(a as i64),
            op::F2D => Value::Double(a.into()),
            _ => return None,
        }),
        [Value::Double(a)] => Some(match code {
            op::DNEG => Value::Double(-a),
            op::D2I => Value::Int(a as i32),
            op::D2L => Value::Long(a as i64),
            op::D2F => Value::Float(a as f32),
            _ => return None,
        }),
        [Value::Int(a), Value::Int(b)] => ints(code, a, b).map(Value::Int),
        [Value::Long(a), Value::Long(b)] => longs(code, a, b),
        [Value::Long(a), Value::Int(b)] => Some(Value::Long(match code {
            op::LSHL => a.wrapping_shl(b as u32),
            op::LSHR => a.wrapping_shr(b as u32),
            op::LUSHR => (a as u64).wrapping_shr(b as u32) as i64,
            _ => return None,
        })),
        [Value::Float(a), Value::Float(b)] => match code {
            op::FCMPL | op::FCMPG => Some(compared(a.into(), b.into(), code == op::FCMPG)),
            _ => floating(code.wrapping_sub(op::FADD), a.into(), b.into())
                .map(|result| Value::Float(result as f32)),
        },
        [Value::Double(a), Value::Double(b)] => match code {
            op::DCMPL | op::DCMPG => Some(compared(a, b, code == op::DCMPG)),
            _ => floating(code.wrapping_sub(op::DADD), a, b).map(Value::Double),
        },
        _ => None,
    }
}

/// Does a conditional jump jump? None if that is not known.
pub fn jumps(code: u8, operands: &[Value]) -> Option<bool> {
    let by = |order: std::cmp::Ordering, kind: u8| match kind {
        0 => order.is_eq(),
        1 => order.is_ne(),
        2 => order.is_lt(),
        3 => order.is_ge(),
        4 => order.is_gt(),
        _ => order.is_le(),
    };
    match (code, operands) {
        (op::IFEQ..=op::IFLE, &[Value::Int(a)]) => Some(by(a.cmp(&0), code - op::IFEQ)),
        (op::IF_ICMPEQ..=op::IF_ICMPLE, &[Value::Int(a), Value::Int(b)]) => {
            Some(by(a.cmp(&b), code - op::IF_ICMPEQ))
        }
        (_, &[Value::Top]) => None,
        (op::IFNULL, &[a]) => Some(a.is_null()),
        (op::IFNONNULL, &[a]) => Some(!a.is_null()),
        _ => None,
    }
}

fn unary_int(code: u8, a: i32) -> Option<Value> {
    Some(match code {
        op::INEG => Value::Int(a.wrapping_neg()),
        op::I2L => Value::Long(a.into()),
        op::I2F => Value::Float(a as f32),
        op::I2D => Value::Double(a.into()),
        op::I2B => Value::Int((a as i8).into()),
        op::I2C => Value::Int((a as u16).into()),
        op::I2S => Value::Int((a as i16).into()),
        _ => return None,
    })
}

fn unary_long(code: u8, a: i64) -> Option<Value> {
    Some(match code {
        op::LNEG => Value::Long(a.wrapping_neg()),
        op::L2I => Value::Int(a as i32),
        op::L2F => Value::Float(a as f32),
        op::L2D => Value::Double(a as f64),
        _ => return None,
    })
}

fn ints(code: u8, a: i32, b: i32) -> Option<i32> {
    Some(match code {
        op::IADD => a.wrapping_add(b),
        op::ISUB => a.wrapping_sub(b),
        op::IMUL => a.wrapping_mul(b),
        op::IDIV if b != 0 => a.wrapping_div(b),
        op::IREM if b != 0 => a.wrapping_rem(b),
        op::ISHL => a.wrapping_shl(b as u32),
        op::ISHR => a.wrapping_shr(b as u32),
        op::IUSHR => (a as u32).wrapping_shr(b as u32) as i32,
        op::IAND => a & b,
        op::IOR => a | b,
        op::IXOR => a ^ b,
        _ => return None,
    })
}

fn longs(code: u8, a: i64, b: i64) -> Option<Value> {
    Some(Value::Long(match code {
        op::LADD => a.wrapping_add(b),
        op::LSUB => a.wrapping_sub(b),
        op::LMUL => a.wrapping_mul(b),
        op::LDIV if b != 0 => a.wrapping_div(b),
        op::LREM if b != 0 => a.wrapping_rem(b),
        op::LAND => a & b,
        op::LOR => a | b,
        op::LXOR => a ^ b,
        op::LCMP => return Some(Value::Int(a.cmp(&b) as i32)),
        _ => return None,
    }))
}

/// `+ - * / %` by their distance from the addition: the four kinds of numbers take turns.
fn floating(distance: u8, a: f64, b: f64) -> Option<f64> {
    Some(match distance {
        0 => a + b,
        4 => a - b,
        8 => a * b,
        12 => a / b,
        16 => a % b,
        _ => return None,
    })
}

fn compared(a: f64, b: f64, greater: bool) -> Value {
    Value::Int(a.partial_cmp(&b).map_or(if greater { 1 } else { -1 }, |order| order as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_as_java_makes_them() {
        let int = Value::Int;
        for (code, operands, expected) in [
            (op::IADD, vec![int(i32::MAX), int(1)], Some(int(i32::MIN))),
            (op::IDIV, vec![int(7), int(0)], None),
            (op::IUSHR, vec![int(-1), int(28)], Some(int(15))),
            (op::ISHL, vec![int(1), int(33)], Some(int(2))),
            (op::LCMP, vec![Value::Long(3), Value::Long(9)], Some(int(-1))),
            (op::FREM, vec![Value::Float(5.5), Value::Float(2.0)], Some(Value::Float(1.5))),
            (op::DSUB, vec![Value::Double(1.0), Value::Double(0.25)], Some(Value::Double(0.75))),
            (op::DCMPG, vec![Value::Double(f64::NAN), Value::Double(1.0)], Some(int(1))),
            (op::I2B, vec![int(200)], Some(int(-56))),
            (op::IADD, vec![Value::Top, int(1)], None),
        ] {
            assert_eq!(evaluate(code, &operands), expected, "{code} of {operands:?}");
        }
    }

    #[test]
    fn a_jump_is_decided_by_its_operands_and_only_if_these_are_known() {
        let int = Value::Int;
        assert_eq!(jumps(op::IF_ICMPLE, &[int(2), int(2)]), Some(true));
        assert_eq!(jumps(op::IF_ICMPLT, &[int(2), int(2)]), Some(false));
        assert_eq!(jumps(op::IFGE, &[int(-1)]), Some(false));
        assert_eq!(jumps(op::IFNULL, &[Value::Null]), Some(true));
        assert_eq!(jumps(op::IFNULL, &[Value::Top]), None);
        assert_eq!(jumps(op::IFEQ, &[Value::Top]), None);
    }
}
