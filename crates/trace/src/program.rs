//! The program as the table stream describes it: classes with their original bytes, types, threads, sites.
//! Class files are read when first asked for; after that every lookup is a plain table access.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};

use classfile::{ClassFile, opcode as op};

use crate::class_model::{ClassModel, Method, kind_letter};
use crate::code::Code;
use crate::event::{FieldRef, Site};
use crate::fields::Declared;
use crate::ids::{CalleeId, ClassId, MethodId, SiteId, StreamId, TypeId};
use crate::library_fields::LibraryFields;
use crate::outline::Outline;
use crate::tables::{self, ClassRecord, Detail, LayoutRecord, TableRecord};
use crate::text;

#[derive(Default)]
pub struct Program {
    classes: Vec<Class>,
    /// Classes of libraries of which only the fields are in the recording. Found by name and number like the others.
    layouts: Vec<Class>,
    /// (first method, position in `classes`), ascending; the same for sites.
    by_method: Vec<(u32, usize)>,
    by_site: Vec<(u32, usize)>,
    by_name: HashMap<String, Vec<usize>>,
    by_id: HashMap<ClassId, usize>,
    types: HashMap<TypeId, Type>,
    fields: HashMap<TypeId, Vec<FieldRef>>,
    threads: BTreeMap<StreamId, Thread>,
    notes: Vec<Note>,
    outline: Outline,
    pub(crate) library_fields: LibraryFields,
    /// Name and descriptor of methods as one number.
    keys: Mutex<HashMap<(String, String), u32>>,
}

/// A class in scope: what the tables say of it, and what its class file says.
pub struct Class {
    pub id: ClassId,
    pub first_method: MethodId,
    pub detail: Detail,
    pub recorded: bool,
    pub loader: u32,
    /// With slashes.
    pub name: String,
    /// Where it was loaded from.
    pub source: String,
    /// (index of the method in its class, reason)
    pub degraded: Vec<(u16, u8)>,
    /// The original class file; empty if only the fields are known.
    pub bytes: Vec<u8>,
    /// Whether its writes by offset and by handle are recorded.
    pub swaps: bool,
    /// Whether it is the class that a link by its name means.
    links: bool,
    /// Indices of the methods in its constant pool that are announced before they are called.
    announced: Vec<u16>,
    methods: u16,
    first_site: SiteId,
    sites: Vec<(u16, u16)>,
    model: OnceLock<Option<ClassModel>>,
    codes: OnceLock<Vec<Option<Code>>>,
    literals: OnceLock<HashMap<u16, String>>,
    /// Owner, name and descriptor of what the code calls, by index in the constant pool.
    pub(crate) callees: OnceLock<HashMap<u16, (String, String, String)>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub name: String,
    pub loader: u32,
    pub class: Option<ClassId>,
    pub super_type: Option<TypeId>,
    /// See `tables::type_flag`.
    pub flags: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub stream: StreamId,
    pub thread: u64,
    pub name: String,
    pub daemon: bool,
    pub is_virtual: bool,
    /// Nanoseconds since the recording's start.
    pub started: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// See `tables::note`.
    pub code: u8,
    pub text: String,
}

impl Program {
    /// Takes a record of the table stream in. Strings are not the program's and are left to the caller.
    pub fn define(&mut self, record: &TableRecord<'_>) {
        match record {
            TableRecord::Class(class) => self.classes.push(Class::new(class)),
            TableRecord::Layout(layout) => self.layouts.push(Class::of_layout(layout)),
            TableRecord::Type(ty) => {
                let described = Type {
                    name: text::from_modified(ty.name).replace('.', "/"),
                    loader: ty.loader,
                    class: Some(ty.class).filter(|&class| class != ClassId::NONE),
                    super_type: Some(ty.super_type).filter(|&ty| ty != TypeId::NONE),
                    flags: ty.flags,
                };
                self.types.insert(ty.ty, described);
            }
            TableRecord::Thread(thread) => {
                let described = Thread {
                    stream: thread.stream,
                    thread: thread.thread,
                    name: text::from_modified(thread.name),
                    daemon: thread.flags & tables::thread_flag::DAEMON != 0,
                    is_virtual: thread.flags & tables::thread_flag::VIRTUAL != 0,
                    started: thread.started,
                };
                self.threads.insert(thread.stream, described);
            }
            TableRecord::Note { code, text } => {
                self.notes.push(Note { code: *code, text: text::from_modified(text) });
            }
            TableRecord::Fields { ty, fields } => {
                let field = |(at, &(name, descriptor)): (usize, &(&[u8], &[u8]))| {
                    let before = fields[..at].iter().filter(|&&one| one == (name, descriptor)).count();
                    FieldRef {
                        owner: String::new(),
                        name: text::from_modified(name),
                        descriptor: text::from_modified(descriptor),
                        kind: kind_letter(descriptor),
                        volatile: false,
                        declared: Declared::by_type(*ty, before),
                    }
                };
                self.fields.insert(*ty, fields.iter().enumerate().map(field).collect());
            }
            TableRecord::Numbers(numbers) => self.outline.add_numbers(numbers),
            TableRecord::Mark(mark) => self.outline.add_mark(mark),
            TableRecord::Failed(failed) => self.outline.add_failed(failed),
            TableRecord::String { .. } => {}
        }
    }

    /// To be called when something was defined: makes the lookups. What was worked out of class files is forgotten,
    /// because it may depend on classes that were not there yet.
    pub fn seal(&mut self) {
        for class in &mut self.classes {
            class.model = OnceLock::new();
            class.codes = OnceLock::new();
        }
        self.by_name.clear();
        self.by_id.clear();
        let columns = |key: fn(&Class) -> u32, classes: &[Class]| {
            let mut column: Vec<_> = classes.iter().enumerate().map(|(at, class)| (key(class), at)).collect();
            column.sort_unstable();
            column
        };
        self.by_method = columns(|class| class.first_method.0, &self.classes);
        self.by_site = columns(|class| class.first_site.0, &self.classes);
        // A class without methods or sites has the same first number as the next one.
        self.by_method.retain(|&(_, at)| self.classes[at].methods > 0);
        self.by_site.retain(|&(_, at)| !self.classes[at].sites.is_empty());
        for (at, class) in self.classes.iter().chain(&self.layouts).enumerate() {
            self.by_name.entry(class.name.clone()).or_default().push(at);
            self.by_id.insert(class.id, at);
        }
    }

    /// The classes whose code is in the recording.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    pub fn class(&self, id: ClassId) -> Option<&Class> {
        self.by_id.get(&id).map(|&at| self.at(at)).or_else(|| self.library_class(id))
    }

    fn at(&self, at: usize) -> &Class {
        self.classes.get(at).unwrap_or_else(|| &self.layouts[at - self.classes.len()])
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub(crate) fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    /// What is known of streams without reading them.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    pub fn threads(&self) -> impl Iterator<Item = &Thread> {
        self.threads.values()
    }

    pub fn thread(&self, stream: StreamId) -> Option<&Thread> {
        self.threads.get(&stream)
    }

    pub fn type_info(&self, id: TypeId) -> Option<&Type> {
        self.types.get(&id)
    }

    /// The instance fields of a library class whose objects' contents are recorded.
    pub fn fields(&self, id: TypeId) -> &[FieldRef] {
        self.fields.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Is the type, or one of its superclasses, called `name`?
    pub fn is_subtype(&self, mut id: TypeId, name: &str) -> bool {
        for _ in 0..MAX_SUPERS {
            let Some(ty) = self.types.get(&id) else { return false };
            if ty.name == name {
                return true;
            }
            let Some(up) = ty.super_type else { return false };
            id = up;
        }
        false
    }

    /// Is there no more than one class with this name in the recording?
    pub(crate) fn is_sole(&self, name: &str) -> bool {
        self.by_name.get(name).is_none_or(|found| found.len() < 2)
    }

    /// The class and the method with this number.
    pub fn method(&self, id: MethodId) -> Option<(&Class, &Method)> {
        let (class, index) = self.locate(id)?;
        let method = self.model(class)?.methods.get(usize::from(index))?;
        Some((class, method))
    }

    /// The method's code in the form that replay wants; none if it has none or it cannot be understood.
    pub(crate) fn code(&self, id: MethodId) -> Option<&Code> {
        let (class, index) = self.locate(id)?;
        self.codes(class).get(usize::from(index))?.as_ref()
    }

    pub(crate) fn codes<'a>(&'a self, class: &'a Class) -> &'a [Option<Code>] {
        class.codes.get_or_init(|| Code::of_class(self, class))
    }

    /// The opcode at a place; short and wide forms as they stand in the class file are told as one.
    pub fn opcode(&self, site: Site) -> Option<u8> {
        self.code(site.method)?.at(site.bci).map(|insn| insn.op)
    }

    /// Where the jump at a place leads to, if it is taken.
    pub fn jump_target(&self, site: Site) -> Option<Site> {
        let code = self.code(site.method)?;
        let insn = code.at(site.bci)?;
        let jumps = matches!(insn.op, op::IFEQ..=op::JSR | op::IFNULL | op::IFNONNULL);
        let target = u32::try_from(insn.b).ok().filter(|_| jumps)?;
        Some(Site { bci: code.bci(target), ..site })
    }

    /// Where a site is: its class, and the place in the code.
    pub fn site(&self, id: SiteId) -> Option<(&Class, Site)> {
        let at = self.by_site.partition_point(|&(first, _)| first <= id.0).checked_sub(1)?;
        let (first, at) = self.by_site[at];
        let class = &self.classes[at];
        let &(method, bci) = class.sites.get((id.0 - first) as usize)?;
        Some((class, Site { method: MethodId(class.first_method.0.checked_add(u32::from(method))?), bci }))
    }

    pub fn model<'a>(&'a self, class: &'a Class) -> Option<&'a ClassModel> {
        class.model.get_or_init(|| ClassModel::parse(self, class)).as_ref()
    }

    /// A string constant of a class, by its index in the constant pool.
    pub fn literal(&self, class: ClassId, index: u16) -> Option<&str> {
        let class = self.class(class)?;
        let literals = class.literals.get_or_init(|| {
            let Ok(file) = ClassFile::parse(&class.bytes) else { return HashMap::new() };
            let indices = (1..file.pool.len()).filter_map(|index| u16::try_from(index).ok());
            let text = |index| Some((index, text::from_modified(file.pool.string(index).ok()?)));
            indices.filter_map(text).collect()
        });
        literals.get(&index).map(String::as_str)
    }

    /// A class by name, of this loader if there is one of it.
    pub fn class_named(&self, name: &str, loader: u32) -> Option<&Class> {
        let candidates = self.by_name.get(name)?;
        let own = candidates.iter().find(|&&at| self.at(at).loader == loader);
        own.or(candidates.first()).map(|&at| self.at(at))
    }

    /// The class that a link by this name means.
    pub(crate) fn linking_class(&self, name: &str) -> Option<&Class> {
        self.by_name.get(name)?.iter().map(|&at| self.at(at)).find(|class| class.links)
    }

    /// The class called `name` and its superclasses, as far as they are in the recording.
    pub(crate) fn supers<'a>(&'a self, name: &str, loader: u32) -> impl Iterator<Item = &'a Class> + 'a {
        let first = self.class_named(name, loader);
        std::iter::successors(first, move |class| {
            self.class_named(self.model(class)?.super_name.as_deref()?, class.loader)
        })
        .take(MAX_SUPERS)
    }

    /// Can it be that initialising the class called `name` initialises this one: is it that class, or above it? Interfaces
    /// with default methods are initialised with the classes that implement them.
    pub(crate) fn initialises(&self, name: &str, loader: u32, sought: ClassId) -> bool {
        let mut left: Vec<&Class> = self.class_named(name, loader).into_iter().collect();
        let mut seen = 0;
        while let Some(class) = left.pop() {
            seen += 1;
            if class.id == sought {
                return true;
            }
            if seen > MAX_SUPERS {
                break;
            }
            let Some(model) = self.model(class) else { continue };
            let above = model.super_name.iter().chain(&model.interfaces);
            left.extend(above.filter_map(|name| self.class_named(name, class.loader)));
        }
        false
    }

    /// Owner, name and descriptor of what an instruction calls, as its class file has them.
    pub fn callee(&self, id: CalleeId) -> Option<(String, String, String)> {
        let class = self.class(id.class)?;
        let callees = class.callees.get_or_init(|| {
            let Ok(file) = ClassFile::parse(&class.bytes) else { return HashMap::new() };
            let indices = (1..file.pool.len()).filter_map(|index| u16::try_from(index).ok());
            let member = |index: u16| {
                let member = file.pool.member(index).ok()?;
                let [owner, name, descriptor] =
                    [member.class, member.name, member.descriptor].map(text::from_modified);
                Some((index, (owner, name, descriptor)))
            };
            indices.filter_map(member).collect()
        });
        callees.get(&id.index).cloned()
    }

    /// One number per name and descriptor.
    pub(crate) fn key(&self, name: &str, descriptor: &str) -> u32 {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let next = keys.len() as u32;
        *keys.entry((name.to_owned(), descriptor.to_owned())).or_insert(next)
    }

    fn locate(&self, id: MethodId) -> Option<(&Class, u16)> {
        let at = self.by_method.partition_point(|&(first, _)| first <= id.0).checked_sub(1)?;
        let (first, at) = self.by_method[at];
        let index = u16::try_from(id.0 - first).ok()?;
        (index < self.classes[at].methods).then_some((&self.classes[at], index))
    }
}

/// More superclasses than any class has: guards against a circle in damaged tables.
pub(crate) const MAX_SUPERS: usize = 1000;

impl Class {
    /// Is the method at this index of the constant pool announced before it is called?
    pub(crate) fn announces(&self, index: u16) -> bool {
        self.announced.binary_search(&index).is_ok()
    }

    fn new(record: &ClassRecord<'_>) -> Class {
        Class {
            id: record.class,
            first_method: record.first_method,
            detail: record.detail,
            recorded: record.flags & tables::CLASS_NOT_RECORDED == 0,
            loader: record.loader,
            name: text::from_modified(record.name),
            source: text::from_modified(record.source),
            degraded: record.degraded.to_vec(),
            bytes: record.bytes.to_vec(),
            swaps: record.flags & tables::CLASS_SWAPS_RECORDED != 0,
            links: record.flags & tables::CLASS_LINKS != 0,
            announced: record.announced.to_vec(),
            methods: record.methods,
            first_site: record.first_site,
            sites: record.sites.to_vec(),
            model: OnceLock::new(),
            codes: OnceLock::new(),
            literals: OnceLock::new(),
            callees: OnceLock::new(),
        }
    }

    /// A class without code. What its fields hold is recorded whenever it may have changed.
    pub(crate) fn of_layout(layout: &LayoutRecord<'_>) -> Class {
        Class {
            model: OnceLock::from(Some(ClassModel::of_layout(layout))),
            ..Class::new(&ClassRecord {
                class: layout.class,
                first_method: MethodId(0),
                methods: 0,
                detail: Detail::Library,
                flags: tables::CLASS_SWAPS_RECORDED,
                loader: layout.loader,
                name: layout.name,
                source: b"",
                degraded: Cow::Borrowed(&[]),
                first_site: SiteId(0),
                sites: Cow::Borrowed(&[]),
                bytes: b"",
                announced: Cow::Borrowed(&[]),
            })
        }
    }
}
