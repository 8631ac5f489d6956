//! A small assembler for inserted code: straight-line calls of the recorder's static methods.

use classfile::{PoolBuilder, Result, TypeKind, opcode as op};

/// Internal name of the class with the probes, which runs inside the debuggee (`java/`).
pub const RECORDER: &[u8] = b"java/lang/InquestRecorder";

/// Internal name of the class there that sees to processes which the program starts. Only java.lang can call it.
pub const CHILDREN: &[u8] = b"java/lang/InquestChildren";

/// What the names of all our classes in there begin with.
pub const RECORDERS: &[u8] = b"java/lang/Inquest";

/// The recorder's name in descriptors.
macro_rules! recorder {
    () => {
        "Ljava/lang/InquestRecorder;"
    };
}
pub(crate) use recorder;

/// Code under construction.
#[derive(Default)]
pub struct Asm {
    pub code: Vec<u8>,
}

impl Asm {
    pub fn op(&mut self, op: u8) -> &mut Self {
        self.code.push(op);
        self
    }

    fn slot(&mut self, op: u8, slot: u16) -> &mut Self {
        match u8::try_from(slot) {
            Ok(slot) => self.code.extend([op, slot]),
            Err(_) => {
                self.code.extend([op::WIDE, op]);
                self.code.extend(slot.to_be_bytes());
            }
        }
        self
    }

    pub fn aload(&mut self, slot: u16) -> &mut Self {
        if slot < 4 { self.op(op::ALOAD_0 + slot as u8) } else { self.slot(op::ALOAD, slot) }
    }

    pub fn astore(&mut self, slot: u16) -> &mut Self {
        self.slot(op::ASTORE, slot)
    }

    pub fn iload(&mut self, slot: u16) -> &mut Self {
        self.slot(op::ILOAD, slot)
    }

    pub fn istore(&mut self, slot: u16) -> &mut Self {
        self.slot(op::ISTORE, slot)
    }

    pub fn load(&mut self, kind: TypeKind, slot: u16) -> &mut Self {
        self.slot(
            match kind {
                TypeKind::Int | TypeKind::Void => op::ILOAD,
                TypeKind::Long => op::LLOAD,
                TypeKind::Float => op::FLOAD,
                TypeKind::Double => op::DLOAD,
                TypeKind::Reference => op::ALOAD,
            },
            slot,
        )
    }

    pub fn store(&mut self, kind: TypeKind, slot: u16) -> &mut Self {
        self.slot(
            match kind {
                TypeKind::Int | TypeKind::Void => op::ISTORE,
                TypeKind::Long => op::LSTORE,
                TypeKind::Float => op::FSTORE,
                TypeKind::Double => op::DSTORE,
                TypeKind::Reference => op::ASTORE,
            },
            slot,
        )
    }

    pub fn dup(&mut self, kind: TypeKind) -> &mut Self {
        self.op(if kind.slots() == 2 { op::DUP2 } else { op::DUP })
    }

    pub fn int(&mut self, value: i32, pool: &mut PoolBuilder) -> Result<&mut Self> {
        match value {
            -1..=5 => self.code.push((op::ICONST_0 as i32 + value) as u8),
            -128..=127 => self.code.extend([op::BIPUSH, value as u8]),
            -32768..=32767 => {
                self.code.push(op::SIPUSH);
                self.code.extend((value as i16).to_be_bytes());
            }
            _ => {
                let index = pool.integer(value)?;
                self.code.push(op::LDC_W);
                self.code.extend(index.to_be_bytes());
            }
        }
        Ok(self)
    }

    /// Calls a static method of the recorder.
    pub fn call(&mut self, name: &str, descriptor: &str, pool: &mut PoolBuilder) -> Result<&mut Self> {
        self.call_of(RECORDER, name, descriptor, pool)
    }

    /// Takes the recorder off the stack and puts what a field of it holds there.
    pub fn get_field(&mut self, name: &str, descriptor: &str, pool: &mut PoolBuilder) -> Result<&mut Self> {
        let index = pool.field(RECORDER, name.as_bytes(), descriptor.as_bytes())?;
        self.code.push(op::GETFIELD);
        self.code.extend(index.to_be_bytes());
        Ok(self)
    }

    /// Calls a static method of a class.
    pub fn call_of(
        &mut self,
        class: &[u8],
        name: &str,
        descriptor: &str,
        pool: &mut PoolBuilder,
    ) -> Result<&mut Self> {
        let index = pool.method(class, name.as_bytes(), descriptor.as_bytes())?;
        self.code.push(op::INVOKESTATIC);
        self.code.extend(index.to_be_bytes());
        Ok(self)
    }

    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.code)
    }
}

/// Descriptor letter(s) by which the recorder's methods take a value of this kind.
pub fn parameter(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Int | TypeKind::Void => "I",
        TypeKind::Long => "J",
        TypeKind::Float => "F",
        TypeKind::Double => "D",
        TypeKind::Reference => "Ljava/lang/Object;",
    }
}
