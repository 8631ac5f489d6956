//! Which operands of a method's stores and calls come from its parameters: are one of them, were read from one, or were
//! given by a call that got one. Noted while the body is at hand, for each method by itself.

use classfile::opcode::INVOKESTATIC;

use crate::body::{Body, ESCAPE, Local, NONE, Op};

/// Parameters by position, the receiver first; all from the sixteenth on share a bit.
pub type Positions = u16;

/// An operand that comes from parameters of its method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    pub bci: u16,
    pub operand: u8,
    pub from: Positions,
}

pub fn bit(position: usize) -> Positions {
    1 << position.min(15)
}

/// What operands of calls and stores come from which parameters. `position` is that of a reference parameter.
pub fn given(body: &Body, references: usize, position: impl Fn(u32) -> usize, out: &mut Vec<Given>) {
    if references == 0 {
        return;
    }
    let mut from: Vec<Positions> = vec![0; body.locals as usize];
    for (at, mask) in from.iter_mut().enumerate().take(references) {
        *mask = bit(position(at as u32));
    }
    let of = |from: &[Positions], local: Local| match local {
        NONE | ESCAPE => 0,
        local => from.get(local as usize).copied().unwrap_or(0),
    };
    loop {
        let mut changed = false;
        for one in &body.ops {
            let (to, more) = match *one {
                Op::Copy { from: base, to } | Op::Load { base, to, .. } | Op::LoadElement { base, to } => {
                    (to, of(&from, base))
                }
                Op::Call { opcode, arguments, count, to, .. } => {
                    // What a method gives comes from what it was called on. What it was called with is mostly put
                    // away, or compared.
                    let count = if opcode == INVOKESTATIC { count } else { count.min(1) };
                    let all = &body.arguments[arguments as usize..arguments as usize + usize::from(count)];
                    (to, all.iter().fold(0, |sum, &one| sum | of(&from, one)))
                }
                _ => continue,
            };
            if let Some(known) = from.get_mut(to as usize)
                && *known | more != *known
            {
                *known |= more;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for used in body.used.iter().filter(|used| used.written) {
        out.push(Given { bci: used.bci, operand: used.operand, from: of(&from, used.local) });
    }
    for one in &body.ops {
        if let Op::Call { bci, arguments, count, .. } = *one {
            for operand in 0..count {
                let argument = body.arguments[arguments as usize + usize::from(operand)];
                out.push(Given { bci, operand: operand.min(255) as u8, from: of(&from, argument) });
            }
        }
    }
    out.retain(|one| one.from != 0);
    out.sort_by_key(|one| (one.bci, one.operand));
    out.dedup();
}
