//! The constant pool: entries by their offset in the class bytes, and a builder that appends new ones.

use std::collections::HashMap;

use crate::bytes::{Cursor, put_u2, put_u4};
use crate::{Error, Result};

/// A constant pool as it stands in the class: one offset per index (0 = no entry: index 0 and the second half
/// of longs and doubles).
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    offsets: Vec<u32>,
}

/// One constant, with its references still as indices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant<'a> {
    Utf8(&'a [u8]),
    Integer(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    Class { name: u16 },
    String { value: u16 },
    Field { class: u16, name_and_type: u16 },
    Method { class: u16, name_and_type: u16 },
    InterfaceMethod { class: u16, name_and_type: u16 },
    NameAndType { name: u16, descriptor: u16 },
    MethodHandle { kind: u8, reference: u16 },
    MethodType { descriptor: u16 },
    Dynamic { bootstrap: u16, name_and_type: u16 },
    InvokeDynamic { bootstrap: u16, name_and_type: u16 },
    Module { name: u16 },
    Package { name: u16 },
}

/// A field or method reference with its names looked up. `class` is empty for `invokedynamic`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberRef<'a> {
    pub class: &'a [u8],
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
}

impl<'a> ConstantPool<'a> {
    pub(crate) fn parse(cursor: &mut Cursor<'a>) -> Result<Self> {
        let count = cursor.u2()? as usize;
        let mut offsets = vec![0u32; count.max(1)];
        let mut i = 1;
        while i < count {
            offsets[i] = cursor.pos as u32;
            let tag = cursor.u1()?;
            let wide = match tag {
                1 => {
                    let n = cursor.u2()? as usize;
                    cursor.take(n)?;
                    false
                }
                3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => cursor.take(4).map(|_| false)?,
                5 | 6 => cursor.take(8).map(|_| true)?,
                7 | 8 | 16 | 19 | 20 => cursor.take(2).map(|_| false)?,
                15 => cursor.take(3).map(|_| false)?,
                other => return Err(Error::ConstantTag(other)),
            };
            i += if wide { 2 } else { 1 };
        }
        Ok(ConstantPool { bytes: cursor.bytes, offsets })
    }

    /// Number of indices, including the unused index 0.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.offsets.len() <= 1
    }

    pub fn get(&self, index: u16) -> Result<Constant<'a>> {
        let offset = match self.offsets.get(index as usize) {
            Some(&o) if o != 0 => o as usize,
            _ => return Err(Error::Constant(index, "constant")),
        };
        let mut c = Cursor::at(self.bytes, offset, "the constant pool");
        Ok(match c.u1()? {
            1 => {
                let n = c.u2()? as usize;
                Constant::Utf8(c.take(n)?)
            }
            3 => Constant::Integer(c.u4()? as i32),
            4 => Constant::Float(c.u4()?),
            5 => Constant::Long(((c.u4()? as i64) << 32) | c.u4()? as i64),
            6 => Constant::Double(((c.u4()? as u64) << 32) | c.u4()? as u64),
            7 => Constant::Class { name: c.u2()? },
            8 => Constant::String { value: c.u2()? },
            9 => Constant::Field { class: c.u2()?, name_and_type: c.u2()? },
            10 => Constant::Method { class: c.u2()?, name_and_type: c.u2()? },
            11 => Constant::InterfaceMethod { class: c.u2()?, name_and_type: c.u2()? },
            12 => Constant::NameAndType { name: c.u2()?, descriptor: c.u2()? },
            15 => Constant::MethodHandle { kind: c.u1()?, reference: c.u2()? },
            16 => Constant::MethodType { descriptor: c.u2()? },
            17 => Constant::Dynamic { bootstrap: c.u2()?, name_and_type: c.u2()? },
            18 => Constant::InvokeDynamic { bootstrap: c.u2()?, name_and_type: c.u2()? },
            19 => Constant::Module { name: c.u2()? },
            20 => Constant::Package { name: c.u2()? },
            other => return Err(Error::ConstantTag(other)),
        })
    }

    /// The bytes (modified UTF-8) of a Utf8 constant.
    pub fn utf8(&self, index: u16) -> Result<&'a [u8]> {
        match self.get(index)? {
            Constant::Utf8(bytes) => Ok(bytes),
            _ => Err(Error::Constant(index, "Utf8")),
        }
    }

    /// The internal name (with slashes) of a Class constant.
    pub fn class_name(&self, index: u16) -> Result<&'a [u8]> {
        match self.get(index)? {
            Constant::Class { name } => self.utf8(name),
            _ => Err(Error::Constant(index, "Class")),
        }
    }

    /// The bytes of a String constant.
    pub fn string(&self, index: u16) -> Result<&'a [u8]> {
        match self.get(index)? {
            Constant::String { value } => self.utf8(value),
            _ => Err(Error::Constant(index, "String")),
        }
    }

    pub fn name_and_type(&self, index: u16) -> Result<(&'a [u8], &'a [u8])> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => Ok((self.utf8(name)?, self.utf8(descriptor)?)),
            _ => Err(Error::Constant(index, "NameAndType")),
        }
    }

    /// A field, method, interface method or dynamic reference with its names.
    pub fn member(&self, index: u16) -> Result<MemberRef<'a>> {
        let (class, name_and_type) = match self.get(index)? {
            Constant::Field { class, name_and_type }
            | Constant::Method { class, name_and_type }
            | Constant::InterfaceMethod { class, name_and_type } => (self.class_name(class)?, name_and_type),
            Constant::InvokeDynamic { name_and_type, .. } | Constant::Dynamic { name_and_type, .. } => {
                (&b""[..], name_and_type)
            }
            _ => return Err(Error::Constant(index, "reference to a field or method")),
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Ok(MemberRef { class, name, descriptor })
    }
}

/// Appends constants to a pool; each is added once. Existing constants are not searched: that would cost more
/// than the few bytes it saves.
#[derive(Debug)]
pub struct PoolBuilder {
    next: usize,
    bytes: Vec<u8>,
    seen: HashMap<Vec<u8>, u16>,
}

impl PoolBuilder {
    pub fn new(pool: &ConstantPool<'_>) -> Self {
        PoolBuilder { next: pool.len(), bytes: Vec::new(), seen: HashMap::new() }
    }

    pub fn utf8(&mut self, text: &[u8]) -> Result<u16> {
        let mut entry = vec![1];
        put_u2(&mut entry, u16::try_from(text.len()).map_err(|_| Error::TooLarge("name"))?);
        entry.extend_from_slice(text);
        self.add(entry)
    }

    pub fn integer(&mut self, value: i32) -> Result<u16> {
        let mut entry = vec![3];
        put_u4(&mut entry, value as u32);
        self.add(entry)
    }

    pub fn class(&mut self, name: &[u8]) -> Result<u16> {
        let name = self.utf8(name)?;
        self.indices(7, &[name])
    }

    pub fn method(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.indices(12, &[name, descriptor])?;
        self.indices(10, &[class, name_and_type])
    }

    /// A handle of a static method.
    pub fn field(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.indices(12, &[name, descriptor])?;
        self.indices(9, &[class, name_and_type])
    }

    pub fn static_handle(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let method = self.method(class, name, descriptor)?;
        let mut entry = vec![15, 6];
        put_u2(&mut entry, method);
        self.add(entry)
    }

    fn indices(&mut self, tag: u8, indices: &[u16]) -> Result<u16> {
        let mut entry = vec![tag];
        for &i in indices {
            put_u2(&mut entry, i);
        }
        self.add(entry)
    }

    fn add(&mut self, entry: Vec<u8>) -> Result<u16> {
        if let Some(&index) = self.seen.get(&entry) {
            return Ok(index);
        }
        if self.next >= 65535 {
            return Err(Error::PoolFull);
        }
        let index = self.next as u16;
        self.next += 1;
        self.bytes.extend_from_slice(&entry);
        self.seen.insert(entry, index);
        Ok(index)
    }

    /// (new constant_pool_count, bytes to append)
    pub(crate) fn finish(&self) -> (u16, &[u8]) {
        (self.next as u16, &self.bytes)
    }
}
