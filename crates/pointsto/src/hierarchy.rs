//! Classes by number: read when first needed, each with its methods, fields and supertypes. What cannot be found or read
//! becomes an empty class below `Object` and is listed; whatever extends it counts as a subtype of anything.

use std::borrow::Cow;

use classfile::{Bootstrap, ClassFile, ConstantPool, access};

use crate::hash::Map;
use crate::input::ClassLookup;
use crate::names::{Name, Names};
use crate::signature::{SigId, Sigs};
use crate::store::Store;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassIndex(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodIndex(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldIndex(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassState {
    /// Only its name was met.
    Named,
    Loaded,
    Array,
    /// Made here: a lambda, or an array of which only the run knows the class.
    Made,
    Missing,
}

pub struct Class<'s> {
    pub name: Name,
    pub state: ClassState,
    pub access: u16,
    pub superclass: Option<ClassIndex>,
    pub interfaces: Box<[ClassIndex]>,
    pub methods: std::ops::Range<u32>,
    pub fields: std::ops::Range<u32>,
    pub program: bool,
    pub initialised: bool,
    pub pool: Option<ConstantPool<'s>>,
    pub bootstraps: Vec<Bootstrap>,
    /// What constants mean here, by index, once a body asked: a number that depends on the constant's kind, plus 1.
    pub resolved: Vec<u32>,
    /// Itself and all its supertypes, ascending; filled when first asked.
    supers: Box<[ClassIndex]>,
    /// A supertype is missing, so that nobody knows what it is a subtype of.
    pub incomplete: bool,
}

pub struct Method<'s> {
    pub class: ClassIndex,
    pub sig: SigId,
    pub access: u16,
    /// The content of its Code attribute.
    pub code: Option<&'s [u8]>,
    /// The content of its Exceptions attribute.
    pub exceptions: &'s [u8],
}

impl Method<'_> {
    pub fn is(&self, flag: u16) -> bool {
        self.access & flag != 0
    }
}

pub struct Field {
    pub class: ClassIndex,
    pub name: Name,
    pub access: u16,
    /// Its class, if it is a reference.
    pub holds: Option<ClassIndex>,
}

pub struct Hierarchy<'s> {
    source: &'s dyn ClassLookup,
    store: &'s Store,
    pub names: Names,
    pub sigs: Sigs,
    pub classes: Vec<Class<'s>>,
    pub methods: Vec<Method<'s>>,
    pub fields: Vec<Field>,
    by_name: Map<Name, ClassIndex>,
    declared: Map<(ClassIndex, SigId), MethodIndex>,
    pub left_out: Vec<(String, String)>,
    pub object: ClassIndex,
    /// An array the class of which only the run knows: a subtype of every array.
    pub any_array: ClassIndex,
    clinit: SigId,
}

/// How far a chain of superclasses is followed; a damaged one may be a circle.
const DEEPEST: usize = 1000;

impl<'s> Hierarchy<'s> {
    pub fn new(source: &'s dyn ClassLookup, store: &'s Store) -> Self {
        let mut h = Hierarchy {
            source,
            store,
            names: Names::new(),
            sigs: Sigs::default(),
            classes: Vec::new(),
            methods: Vec::new(),
            fields: Vec::new(),
            by_name: Map::default(),
            declared: Map::default(),
            left_out: Vec::new(),
            object: ClassIndex(0),
            any_array: ClassIndex(0),
            clinit: SigId(0),
        };
        h.object = h.class(b"java/lang/Object");
        h.any_array = h.make(b"[?", h.object, Box::default(), false);
        h.clinit = h.sig(b"<clinit>", b"()V");
        h
    }

    pub fn class(&mut self, name: &[u8]) -> ClassIndex {
        class_number(&mut self.names, &mut self.classes, &mut self.by_name, name)
    }

    pub fn class_name(&self, class: ClassIndex) -> &[u8] {
        self.names.get(self.classes[class.0 as usize].name)
    }

    pub fn sig(&mut self, name: &[u8], descriptor: &[u8]) -> SigId {
        let name = self.names.intern(name);
        let descriptor = self.names.intern(descriptor);
        self.sig_of(name, descriptor)
    }

    fn sig_of(&mut self, name: Name, descriptor: Name) -> SigId {
        let (classes, by_name) = (&mut self.classes, &mut self.by_name);
        self.sigs.intern(&mut self.names, name, descriptor, |names, text| {
            class_number(names, classes, by_name, text)
        })
    }

    /// A class that no file describes.
    pub fn make(
        &mut self,
        name: &[u8],
        superclass: ClassIndex,
        interfaces: Box<[ClassIndex]>,
        program: bool,
    ) -> ClassIndex {
        let name = self.names.intern(name);
        let id = ClassIndex(self.classes.len() as u32);
        let mut class = Class::named(name);
        class.state = ClassState::Made;
        class.superclass = Some(superclass);
        class.interfaces = interfaces;
        class.program = program;
        self.classes.push(class);
        self.by_name.entry(name).or_insert(id);
        id
    }

    pub fn add_method(&mut self, class: ClassIndex, sig: SigId, access: u16) -> MethodIndex {
        let id = MethodIndex(self.methods.len() as u32);
        self.methods.push(Method { class, sig, access, code: None, exceptions: &[] });
        self.declared.insert((class, sig), id);
        id
    }

    /// The class with its file read.
    pub fn load(&mut self, id: ClassIndex) -> &Class<'s> {
        if self.classes[id.0 as usize].state == ClassState::Named {
            self.read(id);
        }
        &self.classes[id.0 as usize]
    }

    fn read(&mut self, id: ClassIndex) {
        let text = self.names.text(self.classes[id.0 as usize].name);
        if text.starts_with('[') {
            let class = &mut self.classes[id.0 as usize];
            class.state = ClassState::Array;
            class.superclass = Some(self.object);
            return;
        }
        let why = match self.source.bytes(&text) {
            None => "not found".to_owned(),
            Some(bytes) => match self.parse(id, &text, bytes) {
                Ok(()) => return,
                Err(e) => e.to_string(),
            },
        };
        self.left_out.push((text, why));
        let class = &mut self.classes[id.0 as usize];
        class.state = ClassState::Missing;
        class.incomplete = true;
        if id != self.object {
            class.superclass = Some(self.object);
        }
    }

    fn parse(&mut self, id: ClassIndex, text: &str, bytes: Cow<'s, [u8]>) -> classfile::Result<()> {
        let file = ClassFile::parse(self.store.keep(bytes))?;
        let superclass = file.super_name()?.map(|n| self.class(n));
        let mut interfaces = Vec::with_capacity(file.interfaces.len());
        for &i in &file.interfaces {
            interfaces.push(self.class(file.pool.class_name(i)?));
        }
        let methods = self.methods.len() as u32..(self.methods.len() + file.methods.len()) as u32;
        for m in &file.methods {
            let sig = self.sig(m.name, m.descriptor);
            let content = |name: &str| m.attribute(name).map(|a| a.info);
            let method = MethodIndex(self.methods.len() as u32);
            self.declared.insert((id, sig), method);
            self.methods.push(Method {
                class: id,
                sig,
                access: m.access,
                code: content("Code"),
                exceptions: if m.is(access::NATIVE) { content("Exceptions").unwrap_or(&[]) } else { &[] },
            });
        }
        let fields = self.fields.len() as u32..(self.fields.len() + file.fields.len()) as u32;
        for f in &file.fields {
            let name = self.names.intern(f.name);
            let holds = match f.descriptor {
                [b'L', inner @ .., b';'] => Some(self.class(inner)),
                array @ [b'[', ..] => Some(self.class(array)),
                _ => None,
            };
            self.fields.push(Field { class: id, name, access: f.access, holds });
        }
        let class = &mut self.classes[id.0 as usize];
        class.state = ClassState::Loaded;
        class.access = file.access;
        class.superclass = superclass.filter(|&s| s != id);
        class.interfaces = interfaces.into();
        class.methods = methods;
        class.fields = fields;
        class.program = self.source.is_program(text);
        class.bootstraps = file.bootstraps().unwrap_or_default();
        class.pool = Some(file.pool);
        Ok(())
    }

    pub fn method(&self, id: MethodIndex) -> &Method<'s> {
        &self.methods[id.0 as usize]
    }

    pub fn field(&self, id: FieldIndex) -> &Field {
        &self.fields[id.0 as usize]
    }

    pub fn is_program(&self, method: MethodIndex) -> bool {
        self.classes[self.method(method).class.0 as usize].program
    }

    /// The method that a class declares itself.
    pub fn declared(&mut self, class: ClassIndex, sig: SigId) -> Option<MethodIndex> {
        self.load(class);
        self.declared.get(&(class, sig)).copied()
    }

    pub fn initialiser(&mut self, class: ClassIndex) -> Option<MethodIndex> {
        self.declared(class, self.clinit)
    }

    /// Itself and its superclasses, nearest first.
    pub fn chain(&mut self, class: ClassIndex) -> Vec<ClassIndex> {
        let mut chain = vec![class];
        let mut at = class;
        while let Some(s) = self.load(at).superclass {
            if chain.len() >= DEEPEST {
                break;
            }
            chain.push(s);
            at = s;
        }
        chain
    }

    /// Itself and all its supertypes, ascending.
    pub fn supers(&mut self, class: ClassIndex) -> Box<[ClassIndex]> {
        let known = &self.classes[class.0 as usize].supers;
        if !known.is_empty() {
            return known.clone();
        }
        self.load(class);
        let mut all = vec![class];
        let mut incomplete = false;
        let mut at = 0;
        while at < all.len() {
            let one = all[at];
            at += 1;
            let c = self.load(one);
            incomplete |= c.incomplete;
            let next: Vec<ClassIndex> = c.superclass.iter().chain(c.interfaces.iter()).copied().collect();
            for s in next {
                if !all.contains(&s) {
                    all.push(s);
                }
            }
        }
        if self.classes[class.0 as usize].state == ClassState::Array {
            let name = self.names.text(self.classes[class.0 as usize].name);
            all.extend(jdk::machine::ABOVE_ARRAYS.map(|name| self.class(name.as_bytes())));
            let element = name[1..].to_owned();
            let inner =
                if element.starts_with('[') { Some(element.as_str()) } else { element_class(&element) };
            if let Some(inner) = inner {
                let inner = self.class(inner.as_bytes());
                for s in self.supers(inner) {
                    all.push(self.array_of(s));
                }
                incomplete |= self.classes[inner.0 as usize].incomplete;
            }
        } else if self.classes[class.0 as usize].access & access::INTERFACE != 0 || class == self.any_array {
            all.push(self.object);
        }
        all.sort_unstable();
        all.dedup();
        let all: Box<[ClassIndex]> = all.into();
        let c = &mut self.classes[class.0 as usize];
        c.supers = all.clone();
        c.incomplete = incomplete;
        all
    }

    pub fn is_subtype(&mut self, class: ClassIndex, of: ClassIndex) -> bool {
        class == of
            || self.supers(class).binary_search(&of).is_ok()
            || self.classes[class.0 as usize].incomplete
            || class == self.any_array && self.is_array(of)
    }

    pub fn is_array(&self, class: ClassIndex) -> bool {
        self.class_name(class).first() == Some(&b'[')
    }

    pub fn array_of(&mut self, class: ClassIndex) -> ClassIndex {
        let name = self.class_name(class);
        let text =
            if name.first() == Some(&b'[') { [b"[", name].concat() } else { [b"[L", name, b";"].concat() };
        self.class(&text)
    }

    /// What an array's elements are, if they are references.
    pub fn element(&mut self, array: ClassIndex) -> Option<ClassIndex> {
        let name = self.names.text(self.classes[array.0 as usize].name);
        let element = name.strip_prefix('[')?;
        if array == self.any_array {
            return Some(self.object);
        }
        if element.starts_with('[') {
            Some(self.class(element.as_bytes()))
        } else {
            element_class(element).map(|e| self.class(e.as_bytes()))
        }
    }

    /// The field that a name means, looked for in the class, its interfaces, then its superclasses.
    pub fn find_field(&mut self, class: ClassIndex, name: Name) -> Option<FieldIndex> {
        for c in self.chain(class) {
            if let Some(f) = self.own_field(c, name) {
                return Some(f);
            }
            if !self.classes[c.0 as usize].interfaces.is_empty() {
                for s in self.supers(c) {
                    if self.classes[s.0 as usize].access & access::INTERFACE != 0
                        && let Some(f) = self.own_field(s, name)
                    {
                        return Some(f);
                    }
                }
            }
        }
        None
    }

    fn own_field(&self, class: ClassIndex, name: Name) -> Option<FieldIndex> {
        let fields = self.classes[class.0 as usize].fields.clone();
        fields.into_iter().find(|&f| self.fields[f as usize].name == name).map(FieldIndex)
    }

    /// A field that only its use tells of: its class is missing.
    pub fn add_field(
        &mut self,
        class: ClassIndex,
        name: Name,
        holds: Option<ClassIndex>,
        access: u16,
    ) -> FieldIndex {
        let id = FieldIndex(self.fields.len() as u32);
        self.fields.push(Field { class, name, access, holds });
        id
    }
}

impl Class<'_> {
    fn named(name: Name) -> Self {
        Class {
            name,
            state: ClassState::Named,
            access: 0,
            superclass: None,
            interfaces: Box::default(),
            methods: 0..0,
            fields: 0..0,
            program: false,
            initialised: false,
            pool: None,
            bootstraps: Vec::new(),
            resolved: Vec::new(),
            supers: Box::default(),
            incomplete: false,
        }
    }
}

fn class_number(
    names: &mut Names,
    classes: &mut Vec<Class<'_>>,
    by_name: &mut Map<Name, ClassIndex>,
    text: &[u8],
) -> ClassIndex {
    let name = names.intern(text);
    *by_name.entry(name).or_insert_with(|| {
        classes.push(Class::named(name));
        ClassIndex(classes.len() as u32 - 1)
    })
}

/// The class in a descriptor of a class.
fn element_class(descriptor: &str) -> Option<&str> {
    descriptor.strip_prefix('L')?.strip_suffix(';')
}
