//! What the rules say of the program's code, worked out once for each method, field and call, and not for each of the
//! millions of times that they are met.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher13;
use trace::{Callee, CalleeId, FieldRef, MethodId, Recording, Site, StringId, Value};

use super::rules::{Meant, Rules};

/// Methods by which something is put under a key, or got by it, begin so.
const KEYED: [&str; 13] = [
    "get", "put", "set", "add", "header", "param", "with", "compute", "merge", "replace", "remove",
    "require", "of",
];
/// Methods of libraries that give single characters of a text.
const PICKS: [&str; 4] = ["charAt", "codePointAt", "codePointBefore", "byteAt"];

/// What is meant of a method.
#[derive(Clone, Debug, Default)]
pub struct OfMethod {
    pub result: Option<Meant>,
    /// Without the receiver.
    pub arguments: Box<[Option<Meant>]>,
    /// It puts something under a key, or gets it by one.
    pub keyed: bool,
    /// It gives single characters of its receiver.
    pub picks: bool,
    /// The same for all calls of what is called so, wherever they are.
    pub name: u64,
}

#[derive(Debug, Default)]
pub struct Known {
    fields: HashMap<usize, Option<Meant>>,
    methods: HashMap<MethodId, OfMethod>,
    callees: HashMap<CalleeId, OfMethod>,
    locals: HashMap<(Site, u16), bool>,
    keys: HashMap<StringId, bool>,
}

impl Known {
    /// `field` belongs to the recording's tables, so it stays where it is.
    pub fn field(&mut self, rules: &Rules, field: &FieldRef) -> Option<Meant> {
        let place = std::ptr::from_ref(field) as usize;
        *self.fields.entry(place).or_insert_with(|| rules.field(&field.owner, &field.name))
    }

    pub fn method(&mut self, rules: &Rules, recording: &Recording, id: MethodId) -> &OfMethod {
        self.methods.entry(id).or_insert_with(|| {
            let Some((class, method)) = recording.program().method(id) else { return OfMethod::default() };
            let mut slot = u16::from(!method.is_static());
            let arguments = method.kinds().iter().enumerate().map(|(at, kind)| {
                let name = method.local(slot, 0).map(|(name, _)| name);
                slot += if matches!(kind, b'J' | b'D') { 2 } else { 1 };
                rules.argument(&class.name, &method.name, at + 1, name)
            });
            let arguments = arguments.collect();
            OfMethod { result: rules.result(&class.name, &method.name), arguments, ..OfMethod::default() }
        })
    }

    pub fn callee(&mut self, rules: &Rules, callee: &Callee) -> &OfMethod {
        self.callees.entry(callee.id).or_insert_with(|| {
            let (owner, name) = (callee.owner.as_str(), callee.name.as_str());
            let count = callee.kinds().len() - usize::from(callee.receiver());
            OfMethod {
                result: rules.result(owner, name),
                arguments: (1..=count).map(|number| rules.argument(owner, name, number, None)).collect(),
                keyed: KEYED.iter().any(|start| name.starts_with(start)),
                picks: PICKS.contains(&name),
                name: hash(owner, name),
            }
        })
    }

    pub fn local(&mut self, rules: &Rules, recording: &Recording, site: Site, slot: u16) -> bool {
        *self.locals.entry((site, slot)).or_insert_with(|| {
            let method = recording.program().method(site.method);
            let name = method.and_then(|(_, method)| method.local(slot, site.bci)).map(|(name, _)| name);
            name.is_some_and(|name| rules.name(name))
        })
    }

    /// Is it a text by which a secret is looked up?
    pub fn key(&mut self, rules: &Rules, recording: &Recording, value: Value) -> bool {
        let is_key = |text: &str| text.len() <= 64 && !text.contains(char::is_whitespace) && rules.name(text);
        match value {
            Value::Str(id) => *self.keys.entry(id).or_insert_with(|| {
                recording.objects().string(id).is_some_and(|text| !text.cut && is_key(&text.text))
            }),
            Value::Literal { class, index } => recording.program().literal(class, index).is_some_and(is_key),
            _ => false,
        }
    }
}

fn hash(owner: &str, name: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    (owner, name).hash(&mut hasher);
    hasher.finish()
}
