//! What a class file says about its members, without their code: names, flags, lines, local variables.
//! Owned and compact, so that the class file is read once and never again for a name.

use classfile::{ClassFile, Constant, Member, MethodDescriptor, access};

use crate::event::Site;
use crate::ids::{ClassId, MethodId};
use crate::program::{Class, Program};
use crate::tables::{DEGRADED_TO_CALLS, Detail, LayoutRecord, layout_flag};
use crate::text::from_modified;
use crate::value::Value;

pub struct ClassModel {
    pub super_name: Option<String>,
    pub interfaces: Vec<String>,
    /// The file that the class was compiled from.
    pub source_file: Option<String>,
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
}

pub struct Field {
    pub name: String,
    pub descriptor: String,
    pub access: u16,
    /// The value that a static has from the start.
    pub constant: Option<Value>,
}

impl Field {
    pub fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }
}

/// How a method's events get into the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Replayed from the code.
    Replayed,
    /// Every event is explicit.
    Explicit,
}

pub struct Method {
    pub id: MethodId,
    pub class: ClassId,
    pub name: String,
    pub descriptor: String,
    pub access: u16,
    pub mode: Mode,
    /// Name and descriptor as one number.
    pub(crate) key: u32,
    pub(crate) kinds: Box<[u8]>,
    pub(crate) result: u8,
    /// Replay asks it of every call.
    constructor: bool,
    /// (first bci, line), ascending.
    lines: Vec<(u16, u16)>,
    locals: Vec<Local>,
}

struct Local {
    /// From the store that initialises it on.
    from: u32,
    to: u32,
    slot: u16,
    name: String,
    descriptor: String,
}

impl ClassModel {
    pub(crate) fn parse(program: &Program, class: &Class) -> Option<ClassModel> {
        let file = ClassFile::parse(&class.bytes).ok()?;
        let methods = file.methods.iter().enumerate();
        Some(ClassModel {
            super_name: file.super_name().ok()?.map(from_modified),
            interfaces: file
                .interfaces
                .iter()
                .filter_map(|&index| file.pool.class_name(index).ok().map(from_modified))
                .collect(),
            source_file: file.source_file().map(from_modified),
            fields: file
                .fields
                .iter()
                .map(|field| Field {
                    name: from_modified(field.name),
                    descriptor: from_modified(field.descriptor),
                    access: field.access,
                    constant: constant(class, &file, field),
                })
                .collect(),
            methods: methods.map(|(index, member)| method(program, class, &file, index, member)).collect(),
        })
    }
}

impl ClassModel {
    /// A class of which only the fields are known, and whether it has a hash code of its own: that method is there
    /// without code.
    pub(crate) fn of_layout(layout: &LayoutRecord<'_>) -> ClassModel {
        let field = |&(name, descriptor): &(&[u8], &[u8])| Field {
            name: from_modified(name),
            descriptor: from_modified(descriptor),
            access: 0,
            constant: None,
        };
        let hash = Method {
            id: MethodId(u32::MAX),
            class: layout.class,
            name: "hashCode".to_owned(),
            descriptor: "()I".to_owned(),
            access: access::PUBLIC | access::NATIVE,
            mode: Mode::Explicit,
            key: u32::MAX,
            kinds: Box::default(),
            result: b'I',
            constructor: false,
            lines: Vec::new(),
            locals: Vec::new(),
        };
        ClassModel {
            super_name: Some(from_modified(layout.super_name)).filter(|name| !name.is_empty()),
            interfaces: Vec::new(),
            source_file: None,
            fields: layout.fields.iter().map(field).collect(),
            methods: (layout.flags & layout_flag::HASHES != 0).then_some(hash).into_iter().collect(),
        }
    }
}

impl Method {
    pub fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }

    pub fn is_constructor(&self) -> bool {
        self.constructor
    }

    pub fn is_class_initialiser(&self) -> bool {
        self.name == "<clinit>"
    }

    pub fn is_synchronized(&self) -> bool {
        self.access & access::SYNCHRONIZED != 0
    }

    /// Descriptor letter of each parameter, without receiver; references are all `L`.
    pub fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// Descriptor letter of the result, `V` for void.
    pub fn result(&self) -> u8 {
        self.result
    }

    /// The source line of an instruction.
    pub fn line(&self, bci: u16) -> Option<u16> {
        let at = self.lines.partition_point(|&(from, _)| from <= bci).checked_sub(1)?;
        Some(self.lines[at].1)
    }

    /// Name and descriptor of the variable in a slot, at an instruction that reads or writes it.
    pub fn local(&self, slot: u16, bci: u16) -> Option<(&str, &str)> {
        let bci = u32::from(bci);
        let found =
            self.locals.iter().find(|local| local.slot == slot && (local.from..local.to).contains(&bci));
        found.map(|local| (local.name.as_str(), local.descriptor.as_str()))
    }

    /// (first bci, line), ascending.
    pub fn lines(&self) -> &[(u16, u16)] {
        &self.lines
    }

    /// Slot, name and descriptor of the named variables.
    pub fn locals(&self) -> impl Iterator<Item = (u16, &str, &str)> + '_ {
        self.locals.iter().map(|local| (local.slot, local.name.as_str(), local.descriptor.as_str()))
    }

    pub fn site(&self, bci: u16) -> Site {
        Site { method: self.id, bci }
    }
}

fn constant(class: &Class, file: &ClassFile<'_>, field: &Member<'_>) -> Option<Value> {
    let info = field.attribute("ConstantValue")?.info;
    let index = u16::from_be_bytes([*info.first()?, *info.get(1)?]);
    Some(match file.pool.get(index).ok()? {
        Constant::Integer(value) => Value::Int(value),
        Constant::Long(value) => Value::Long(value),
        Constant::Float(value) => Value::Float(f32::from_bits(value)),
        Constant::Double(value) => Value::Double(f64::from_bits(value)),
        Constant::String { .. } => Value::Literal { class: class.id, index },
        _ => return None,
    })
}

/// `L` for every reference, otherwise the descriptor's letter.
pub(crate) fn kind_letter(descriptor: &[u8]) -> u8 {
    match descriptor.first() {
        Some(b'[') | None => b'L',
        Some(&letter) => letter,
    }
}

fn method(
    program: &Program,
    class: &Class,
    file: &ClassFile<'_>,
    index: usize,
    member: &Member<'_>,
) -> Method {
    let (name, descriptor) = (from_modified(member.name), from_modified(member.descriptor));
    let parsed = MethodDescriptor::parse(member.descriptor).ok();
    let kinds = parsed.iter().flat_map(|parsed| parsed.parameters.iter().map(|one| kind_letter(one)));
    let degraded = class
        .degraded
        .iter()
        .any(|&(method, reason)| usize::from(method) == index && reason == DEGRADED_TO_CALLS);
    let mut lines = Vec::new();
    let mut locals = Vec::new();
    if let Ok(Some(code)) = member.code(file) {
        lines = code.lines();
        lines.sort_unstable();
        if let Some(table) = code.attribute("LocalVariableTable") {
            // A variable's range begins after the store that initialises it: let it begin at that store.
            let starts: Vec<u32> = code.insns().map_while(|insn| insn.ok()).map(|insn| insn.pc).collect();
            for entry in table.info.get(2..).unwrap_or(&[]).chunks_exact(10) {
                let field = |at: usize| u16::from_be_bytes([entry[at], entry[at + 1]]);
                let start = u32::from(field(0));
                let store =
                    starts.partition_point(|&pc| pc < start).checked_sub(1).map_or(start, |at| starts[at]);
                if let (Ok(name), Ok(descriptor)) = (file.pool.utf8(field(4)), file.pool.utf8(field(6))) {
                    locals.push(Local {
                        from: store,
                        to: start + u32::from(field(2)),
                        slot: field(8),
                        name: from_modified(name),
                        descriptor: from_modified(descriptor),
                    });
                }
            }
        }
    }
    Method {
        id: MethodId(class.first_method.0.wrapping_add(index as u32)),
        class: class.id,
        key: program.key(&name, &descriptor),
        kinds: kinds.collect(),
        result: parsed.as_ref().map_or(b'V', |parsed| kind_letter(parsed.result)),
        constructor: name == "<init>",
        name,
        descriptor,
        access: member.access,
        mode: if class.detail == Detail::Full && !degraded { Mode::Replayed } else { Mode::Explicit },
        lines,
        locals,
    }
}
