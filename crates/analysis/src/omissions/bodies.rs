//! The code of methods by name, whether the run loaded their classes or not, each read once for a question.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use classfile::ClassFile;
use index::Evidence;
use past::Past;
use pointsto::{ClassLookup, MemberName, MethodNo, Solution};
use trace::text::from_modified;
use trace::{Class, MethodId};

use super::origins::{Origins, lambda_behind};
use crate::code::Code;
use crate::observed::RunClasses;

/// A method's code, and where its operands come from.
pub struct MethodBody {
    pub code: Code,
    pub origins: Origins,
    pub is_static: bool,
    /// By a load of a variable: the stores that may have filled it, none for an argument.
    definitions: HashMap<u16, Vec<Option<u16>>>,
}

impl MethodBody {
    pub fn definitions(&self, load: u16) -> &[Option<u16>] {
        self.definitions.get(&load).map_or(&[], Vec::as_slice)
    }

    /// The number of the parameter that a slot holds at the beginning; the receiver is 0 if there is one.
    pub fn parameter(&self, slot: u16) -> Option<u8> {
        self.code.arguments.iter().position(|&own| own == slot).map(|at| at as u8)
    }
}

/// Methods that are kept for the next question.
const KEPT: usize = 4096;

/// What one question read of the code and the next one need not read again.
#[derive(Default)]
pub struct Kept {
    bodies: RefCell<HashMap<MemberName, Option<Arc<MethodBody>>>>,
    /// By method: where the program called the libraries that called it back.
    called_back: RefCell<HashMap<MethodId, CalledFrom>>,
}

/// Methods of the run, and instructions in them.
pub type CalledFrom = Arc<[(MethodId, u16)]>;

pub struct Bodies<'p> {
    past: &'p Past,
    kept: &'p Kept,
    /// Classes that the run did not load.
    others: &'p OnceLock<RunClasses<'p>>,
    recorded: HashMap<&'p str, Vec<&'p Class>>,
    files: HashMap<String, Option<Arc<ClassFile<'p>>>>,
    by_number: HashMap<MethodNo, Option<Arc<MethodBody>>>,
    members: HashMap<MethodNo, Arc<MemberName>>,
    /// Whether classes mention the one word that a question is about.
    mentioned: HashMap<String, bool>,
}

impl<'p> Bodies<'p> {
    pub fn new(past: &'p Past, kept: &'p Kept, others: &'p OnceLock<RunClasses<'p>>) -> Bodies<'p> {
        if kept.bodies.borrow().len() > KEPT {
            kept.bodies.borrow_mut().clear();
        }
        let mut recorded: HashMap<&str, Vec<&Class>> = HashMap::new();
        for class in past.recording().program().classes() {
            recorded.entry(&class.name).or_default().push(class);
        }
        Bodies {
            past,
            kept,
            others,
            recorded,
            files: HashMap::new(),
            by_number: HashMap::new(),
            members: HashMap::new(),
            mentioned: HashMap::new(),
        }
    }

    pub fn get(&mut self, member: &MemberName) -> Option<Arc<MethodBody>> {
        if let Some(known) = self.kept.bodies.borrow().get(member) {
            return known.clone();
        }
        let body = self.read(member).map(Arc::new);
        self.kept.bodies.borrow_mut().insert(member.clone(), body.clone());
        body
    }

    /// The code of a method by its number.
    pub fn of(&mut self, solution: &Solution, method: MethodNo) -> Option<Arc<MethodBody>> {
        if let Some(known) = self.by_number.get(&method) {
            return known.clone();
        }
        let member = self.member(solution, method);
        let body = self.get(&member);
        self.by_number.insert(method, body.clone());
        body
    }

    pub fn member(&mut self, solution: &Solution, method: MethodNo) -> Arc<MemberName> {
        self.members.entry(method).or_insert_with(|| Arc::new(solution.member(method))).clone()
    }

    /// The methods of the recording with this name: several if several loaders defined the class.
    pub fn ids(&mut self, member: &MemberName) -> Vec<MethodId> {
        let Some(classes) = self.recorded.get(member.class.as_str()).cloned() else { return Vec::new() };
        let found = classes.iter().filter_map(|class| {
            let model = self.past.recording().program().model(class)?;
            let is_it = |one: &&trace::Method| one.name == member.name && one.descriptor == member.descriptor;
            model.methods.iter().find(is_it).map(|method| method.id)
        });
        found.collect()
    }

    /// Where a method was called back from, as `find` finds it.
    pub fn called_back(&self, method: MethodId, find: impl FnOnce() -> CalledFrom) -> CalledFrom {
        let known = self.kept.called_back.borrow().get(&method).cloned();
        known.unwrap_or_else(|| {
            let found = find();
            self.kept.called_back.borrow_mut().insert(method, found.clone());
            found
        })
    }

    pub fn opcode(&mut self, member: &MemberName, bci: u16) -> Option<u8> {
        if let Some(Some(known)) = self.kept.bodies.borrow().get(member) {
            return known.code.at(bci).map(|at| known.code.insns[at].op);
        }
        if let Some(file) = self.file(&member.class) {
            let code = method(&file, member)?.code(&file).ok()??;
            return code.code.get(usize::from(bci)).copied();
        }
        let body = self.get(member)?;
        body.code.at(bci).map(|at| body.code.insns[at].op)
    }

    /// The method behind the lambda that an instruction makes.
    pub fn lambda(&mut self, member: &MemberName, bci: u16) -> Option<MemberName> {
        let Some(file) = self.file(&member.class) else {
            return self.get(member)?.origins.lambda(bci).cloned();
        };
        let code = method(&file, member)?.code(&file).ok()??;
        let index = code.code.get(usize::from(bci) + 1..usize::from(bci) + 3)?;
        lambda_behind(&file, u16::from_be_bytes([index[0], index[1]]))
    }

    /// Does the class have this word among its names? A class that is not in the recording may.
    pub fn mentions(&mut self, class: &str, word: &str) -> bool {
        if let Some(&known) = self.mentioned.get(class) {
            return known;
        }
        let known = match self.file(class) {
            Some(file) => (1..file.pool.len() as u16).any(|at| file.pool.utf8(at) == Ok(word.as_bytes())),
            None => true,
        };
        self.mentioned.insert(class.to_owned(), known);
        known
    }

    /// A class of the recording.
    pub fn file(&mut self, class: &str) -> Option<Arc<ClassFile<'p>>> {
        if let Some(known) = self.files.get(class) {
            return known.clone();
        }
        let first = self.recorded.get(class).and_then(|classes| classes.first());
        let file = first.and_then(|class| ClassFile::parse(&class.bytes).ok()).map(Arc::new);
        self.files.insert(class.to_owned(), file.clone());
        file
    }

    fn read(&mut self, member: &MemberName) -> Option<MethodBody> {
        let id = self.ids(member).first().copied();
        let replayed = id.and_then(|id| self.past.recording().program().method(id));
        let replayed = replayed.is_some_and(|(_, method)| method.mode == trace::Mode::Replayed);
        let id = id.unwrap_or(MethodId(u32::MAX));
        if let Some(file) = self.file(&member.class) {
            return body(&file, member, id, replayed);
        }
        let bytes = self.others.get_or_init(|| RunClasses::new(self.past)).bytes(&member.class)?;
        body(&ClassFile::parse(&bytes).ok()?, member, id, replayed)
    }
}

fn method<'a, 'f>(file: &'a ClassFile<'f>, member: &MemberName) -> Option<&'a classfile::Member<'f>> {
    file.methods.iter().find(|one| {
        one.name == member.name.as_bytes() && one.descriptor == member.descriptor.as_bytes()
            || from_modified(one.name) == member.name && from_modified(one.descriptor) == member.descriptor
    })
}

fn body(file: &ClassFile<'_>, member: &MemberName, id: MethodId, replayed: bool) -> Option<MethodBody> {
    let found = method(file, member)?;
    let source = found.code(file).ok()??;
    let code = Code::of(file, found, id, replayed).ok()??;
    let origins = Origins::of(&code, &source, file);
    let mut definitions: HashMap<u16, Vec<Option<u16>>> = HashMap::new();
    for chain in &code.defuse().chains {
        definitions.entry(chain.usage).or_default().push(chain.definition);
    }
    let is_static = found.is(classfile::access::STATIC);
    Some(MethodBody { code, origins, is_static, definitions })
}
