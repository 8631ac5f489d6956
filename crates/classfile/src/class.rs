//! The class as a whole: where its parts stand, so that they can be read lazily and copied verbatim.

use crate::bytes::Cursor;
use crate::constant_pool::ConstantPool;
use crate::{Code, Error, Result};

/// Access flags, as in the specification.
pub mod access {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const VOLATILE: u16 = 0x0040;
    pub const BRIDGE: u16 = 0x0040;
    pub const TRANSIENT: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}

#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    pub bytes: &'a [u8],
    pub minor: u16,
    pub major: u16,
    pub pool: ConstantPool<'a>,
    pub access: u16,
    pub this_class: u16,
    /// 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    pub interfaces: Vec<u16>,
    pub fields: Vec<Member<'a>>,
    pub methods: Vec<Member<'a>>,
    pub attributes: Vec<Attribute<'a>>,
    pub(crate) pool_end: usize,
    pub(crate) methods_at: usize,
    pub(crate) methods_end: usize,
}

/// A field or a method.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    pub access: u16,
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
    pub attributes: Vec<Attribute<'a>>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    pub name: &'a [u8],
    pub info: &'a [u8],
    /// Where the attribute (its name index) starts in the class.
    pub(crate) start: usize,
}

/// A bootstrap method with its arguments, as indices of constants.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    pub method: u16,
    pub arguments: Vec<u16>,
    /// Where the first argument stands in the class.
    pub(crate) at: usize,
}

impl Bootstrap {
    /// Makes an argument another one: to be given to `write_class`.
    pub fn exchange(&self, argument: usize, constant: u16) -> Exchange {
        Exchange { at: self.at + 2 * argument, constant }
    }
}

/// An index, behind the methods of a class, that is to become another one.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    pub(crate) at: usize,
    pub(crate) constant: u16,
}

impl<'a> ClassFile<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut c = Cursor::new(bytes, "the class");
        if c.u4().map_err(|_| Error::Magic)? != 0xCAFE_BABE {
            return Err(Error::Magic);
        }
        let (minor, major) = (c.u2()?, c.u2()?);
        let pool = ConstantPool::parse(&mut c)?;
        let pool_end = c.pos;
        let (access, this_class, super_class) = (c.u2()?, c.u2()?, c.u2()?);
        let count = c.u2()?;
        let interfaces = (0..count).map(|_| c.u2()).collect::<Result<_>>()?;
        let fields = members(&mut c, &pool)?;
        let methods_at = c.pos;
        let methods = members(&mut c, &pool)?;
        let methods_end = c.pos;
        let attributes = attributes(&mut c, &pool)?;
        if !c.at_end() {
            return Err(Error::Trailing(bytes.len() - c.pos));
        }
        Ok(ClassFile {
            bytes,
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
            pool_end,
            methods_at,
            methods_end,
        })
    }

    pub fn name(&self) -> Result<&'a [u8]> {
        self.pool.class_name(self.this_class)
    }

    pub fn super_name(&self) -> Result<Option<&'a [u8]>> {
        if self.super_class == 0 { Ok(None) } else { self.pool.class_name(self.super_class).map(Some) }
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|a| a.name == name.as_bytes())
    }

    /// The `BootstrapMethods` attribute: what `invokedynamic` instructions and dynamic constants are linked by.
    pub fn bootstraps(&self) -> Result<Vec<Bootstrap>> {
        let Some(attribute) = self.attribute("BootstrapMethods") else { return Ok(vec![]) };
        let mut c = Cursor::new(attribute.info, "the bootstrap methods");
        let behind = attribute.start + 6;
        let count = c.u2()?;
        (0..count)
            .map(|_| {
                let (method, count) = (c.u2()?, c.u2()?);
                let at = behind + c.pos;
                let arguments = (0..count).map(|_| c.u2()).collect::<Result<_>>()?;
                Ok(Bootstrap { method, arguments, at })
            })
            .collect()
    }

    /// The `SourceFile` attribute, if there is one.
    pub fn source_file(&self) -> Option<&'a [u8]> {
        let a = self.attribute("SourceFile")?;
        self.pool.utf8(crate::bytes::u2(a.info, 0)?).ok()
    }
}

impl<'a> Member<'a> {
    pub fn is(&self, flag: u16) -> bool {
        self.access & flag != 0
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|a| a.name == name.as_bytes())
    }

    /// The method's code; `None` for abstract and native methods.
    pub fn code(&self, class: &ClassFile<'a>) -> Result<Option<Code<'a>>> {
        self.attribute("Code").map(|a| Code::parse(a.info, &class.pool)).transpose()
    }
}

fn members<'a>(c: &mut Cursor<'a>, pool: &ConstantPool<'a>) -> Result<Vec<Member<'a>>> {
    let count = c.u2()?;
    let mut list = Vec::with_capacity((count as usize).min(4096));
    for _ in 0..count {
        let start = c.pos;
        let (access, name, descriptor) = (c.u2()?, c.u2()?, c.u2()?);
        let attributes = attributes(c, pool)?;
        list.push(Member {
            access,
            name: pool.utf8(name)?,
            descriptor: pool.utf8(descriptor)?,
            attributes,
            start,
            end: c.pos,
        });
    }
    Ok(list)
}

pub(crate) fn attributes<'a>(c: &mut Cursor<'a>, pool: &ConstantPool<'a>) -> Result<Vec<Attribute<'a>>> {
    let count = c.u2()?;
    let mut list = Vec::with_capacity((count as usize).min(64));
    for _ in 0..count {
        let start = c.pos;
        let name = pool.utf8(c.u2()?)?;
        let len = c.u4()? as usize;
        list.push(Attribute { name, info: c.take(len)?, start });
    }
    Ok(list)
}
