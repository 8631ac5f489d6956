//! What holds of a recording's methods, callees and types whatever the call: which code a method has, what a library
//! call means, which fields an object has. Class files are read for it, so it is worked out once for each.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use base::{FieldId, MethodId, Target, TypeId};
use jdk::{calls, identity};
use past::{Class, Past};

use super::{Fingerprint, code, visible::reads_are_visible};

/// Of one recording. It does not change when a recording grows.
#[derive(Default)]
pub struct Facts {
    codes: Memo<MethodId, Option<Fingerprint>>,
    visible: Memo<MethodId, bool>,
    callees: Memo<Target, Arc<Callee>>,
    types: Memo<TypeId, Arc<TypeFacts>>,
    caches: Memo<FieldId, bool>,
}

type Memo<K, V> = Mutex<HashMap<K, V>>;

/// Who is called.
pub struct Callee {
    /// Owner, name and descriptor.
    pub name: Arc<str>,
    pub outcome: calls::Outcome,
    pub shows_order: bool,
}

/// What objects of a type are made of.
#[derive(Default)]
pub struct TypeFacts {
    pub fields: Vec<(FieldId, String)>,
    /// No class on the way up to `Object` is missing, so those are all fields.
    pub complete: bool,
    pub throwable: bool,
}

impl Facts {
    pub fn code(&self, past: &Past, method: MethodId) -> Option<Fingerprint> {
        once(&self.codes, method, || code(past.program(), method))
    }

    pub fn reads_are_visible(&self, past: &Past, method: MethodId) -> bool {
        once(&self.visible, method, || reads_are_visible(past.program(), method))
    }

    pub fn callee(&self, past: &Past, target: Target) -> Arc<Callee> {
        once(&self.callees, target, || {
            let (owner, name, descriptor) = past.target(target);
            let full = format!("{owner}.{name}{descriptor}");
            let owner = library_owner(past, owner);
            Arc::new(Callee {
                name: full.into(),
                outcome: calls::outcome(&owner, &name),
                shows_order: identity::shows_order(&name),
            })
        })
    }

    pub fn of_type(&self, past: &Past, ty: TypeId) -> Arc<TypeFacts> {
        once(&self.types, ty, || Arc::new(type_facts(past, ty)))
    }

    /// Does the field only remember or count? Then it is nobody's input, output or difference.
    pub fn is_cache(&self, past: &Past, field: FieldId) -> bool {
        once(&self.caches, field, || {
            let found = past.program().field(field);
            found.is_some_and(|(class, field)| jdk::caches::is_cache(&class.name, &field.name))
        })
    }
}

fn once<K: Copy + Eq + Hash, V: Clone>(memo: &Memo<K, V>, key: K, make: impl FnOnce() -> V) -> V {
    memo.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert_with(make).clone()
}

fn type_facts(past: &Past, ty: TypeId) -> TypeFacts {
    let program = past.program();
    let mut facts = TypeFacts { complete: true, ..TypeFacts::default() };
    for (id, field) in program.instance_fields(ty) {
        let Some((class, _)) = program.field(id) else { continue };
        if counts(&class.name, &field.name, &field.descriptor) {
            facts.fields.push((id, format!("{}.{}", class.name, field.name)));
        }
    }
    let mut next = Some(ty);
    // More than any class has above it: guards against circles in damaged files.
    for _ in 0..1000 {
        let Some(ty) = next.and_then(|ty| program.type_info(ty)) else { break };
        facts.throwable |= ty.name == jdk::names::THROWABLE;
        if ty.name != jdk::names::OBJECT {
            let class = ty.class.and_then(|class| program.class(class));
            let class = class.or_else(|| program.class_named(&ty.name, ty.loader));
            facts.complete &= class.is_some_and(|class| program.model(class).is_some());
        }
        next = ty.super_type;
    }
    facts
}

/// Is a field part of what an object holds? Of classes whose contents are recorded the table says which are; of
/// others all are but caches.
fn counts(class: &str, field: &str, descriptor: &str) -> bool {
    if jdk::owner::is_jdk(class) && jdk::contents::is_recorded(class) {
        jdk::contents::counts(class, field, descriptor)
    } else {
        !jdk::caches::is_cache(class, field)
    }
}

/// The library class that a call goes to, where code names a class of the program that inherits the method.
fn library_owner(past: &Past, mut owner: String) -> String {
    let program = past.program();
    for _ in 0..1000 {
        // Collections are recorded too, and are libraries all the same.
        let own = |class: &&Class| class.recorded && class.name == owner && !owner.starts_with("java/");
        let class = program.classes().iter().find(own);
        let above = class.and_then(|class| program.model(class)?.super_name.clone());
        match above {
            Some(above) => owner = above,
            None => break,
        }
    }
    owner
}
