//! What a call got, as statements that make it anew. An object of the program is made by the constructor call that the
//! recording has of that very object; what was written to it afterwards is written again. Two references to one object
//! stay two references to one object.

use std::collections::{BTreeSet, HashMap, HashSet};

use past::{KnownValue, ObjectId, Past, Time, Value};
use render::{Heap, Items};

use super::WhyNot;
use super::content::{MAX_ELEMENTS, content};
use super::literal::{MAX_STRING, boxed, primitive, string};
use super::types::Names;

/// Objects that one test makes, at most.
const MAX_OBJECTS: usize = 300;

pub(super) struct Inputs<'p> {
    pub past: &'p Past,
    pub names: Names<'p>,
    /// The moment whose state is made.
    pub time: Time,
    pub statements: Vec<String>,
    pub notes: BTreeSet<String>,
    /// Methods that the test needs besides: `set`, `get`, `call`, `make`.
    pub helpers: BTreeSet<&'static str>,
    /// Objects that are looked at after the call: these have a variable.
    pub watched: HashSet<ObjectId>,
    /// Only what can be said in one expression, for comparing.
    pub(super) literal: bool,
    pub(super) variables: HashMap<ObjectId, String>,
    taken: HashSet<String>,
    pub(super) open: HashSet<ObjectId>,
    pub(super) references: HashMap<ObjectId, u32>,
    left: usize,
}

impl<'p> Inputs<'p> {
    pub fn new(past: &'p Past, package: &str, time: Time) -> Inputs<'p> {
        let taken = ["result", "set", "get", "call", "make"].map(str::to_owned).into();
        Inputs {
            past,
            names: Names::new(past, package),
            time,
            statements: Vec::new(),
            notes: BTreeSet::new(),
            helpers: BTreeSet::new(),
            watched: HashSet::new(),
            literal: false,
            variables: HashMap::new(),
            taken,
            open: HashSet::new(),
            references: HashMap::new(),
            left: MAX_OBJECTS,
        }
    }

    /// Counts references, so that what is referred to twice is made once.
    pub fn count(&mut self, value: Value) {
        let mut queue = vec![value];
        while let Some(value) = queue.pop() {
            let Value::Object(object) = value else { continue };
            let references = self.references.entry(object).or_insert(0);
            *references += 1;
            if *references == 1 && self.references.len() < 4 * MAX_OBJECTS {
                queue.extend(self.children(object));
            }
        }
    }

    /// A value of the state before the call, in a variable of its own if it is an object.
    pub fn argument(&mut self, value: Value, descriptor: &str, name: &str) -> Result<String, WhyNot> {
        let expression = self.expression(KnownValue::Value(value), descriptor, false, Some(name))?;
        let Value::Object(object) = value else { return Ok(expression) };
        if let Some(variable) = self.variables.get(&object) {
            return Ok(variable.clone());
        }
        if self.past.heap_at(self.time).enum_constant(value).is_some() {
            return Ok(expression);
        }
        self.declare(object, &expression, Some(name), descriptor)
    }

    /// A value of another moment in one expression; objects of the program only if they have a variable.
    pub fn literal(&mut self, known: KnownValue, descriptor: &str, time: Time) -> Result<String, WhyNot> {
        let before = std::mem::replace(&mut self.time, time);
        self.literal = true;
        let expression = self.expression(known, descriptor, true, None);
        self.literal = false;
        self.time = before;
        expression
    }

    pub fn variable(&self, object: ObjectId) -> Option<&String> {
        self.variables.get(&object)
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let clean: String = wanted.chars().filter(|&c| c.is_alphanumeric() || c == '_').collect();
        let clean = match clean.chars().next() {
            Some(first) if first.is_alphabetic() && !is_keyword(&clean) => clean,
            _ => format!("the{clean}"),
        };
        let mut name = clean.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{clean}{number}");
            number += 1;
        }
        name
    }

    pub fn expression(
        &mut self,
        known: KnownValue,
        descriptor: &str,
        nested: bool,
        hint: Option<&str>,
    ) -> Result<String, WhyNot> {
        let value = match known {
            KnownValue::Value(value) => value,
            KnownValue::Seen(value) => {
                self.notes.insert("some values are known only as a library last showed them".to_owned());
                value
            }
            KnownValue::Unknown => return Err(WhyNot("a value that it used is not known".to_owned())),
        };
        let unknown = |what: &str| Err(WhyNot(format!("{what} cannot be written into a test")));
        match value {
            Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_) => {
                let letter = descriptor.as_bytes().first().copied().unwrap_or(b'I');
                primitive(value, letter).ok_or_else(|| WhyNot("a value is not known".to_owned()))
            }
            Value::Null => Ok("null".to_owned()),
            Value::Box { .. } | Value::Box64 { .. } => {
                boxed(value, nested).ok_or_else(|| WhyNot("a box is not known".to_owned()))
            }
            Value::Str(_) | Value::Literal { .. } => self.text(self.past.heap_at(self.time).string(value)),
            Value::Enum { .. } => self.constant(value),
            Value::Class(ty) => match self.past.program().type_info(ty).map(|ty| ty.name.clone()) {
                Some(name) if name.starts_with('[') => Ok(format!("{}.class", self.names.of(&name)?)),
                Some(name) => Ok(format!("{}.class", self.names.of_class(&name)?)),
                None => unknown("a class"),
            },
            Value::Object(object) => self.object(object, hint),
            Value::Unidentified => unknown("an object without identity"),
            _ => unknown("a value that is not known"),
        }
    }

    pub(super) fn text(&self, text: Option<base::Text>) -> Result<String, WhyNot> {
        match text {
            Some(text) if text.cut || text.text.len() > MAX_STRING => {
                Err(WhyNot(format!("a string of {} characters is too long", text.chars)))
            }
            // What no Unicode text has was replaced when it was read.
            Some(text) if text.text.contains('\u{fffd}') => {
                Err(WhyNot("a string is no well-formed text".to_owned()))
            }
            Some(text) => Ok(string(&text.text)),
            None => Err(WhyNot("a string is not known".to_owned())),
        }
    }

    fn constant(&mut self, value: Value) -> Result<String, WhyNot> {
        let (class, constant) = self
            .past
            .heap_at(self.time)
            .enum_constant(value)
            .ok_or_else(|| WhyNot("an enum constant is not known".to_owned()))?;
        Ok(format!("{}.{constant}", self.names.of_class(&class)?))
    }

    fn object(&mut self, object: ObjectId, hint: Option<&str>) -> Result<String, WhyNot> {
        let heap = self.past.heap_at(self.time);
        let is_array = heap.length(object).is_some();
        if let Some(variable) = self.variables.get(&object).filter(|_| !self.literal || object.is_program()) {
            return Ok(variable.clone());
        }
        let class = self.past.class_of(object).unwrap_or("?").to_owned();
        let shown = base::simple_name(&class);
        if heap.enum_constant(Value::Object(object)).is_some() {
            return self.constant(Value::Object(object));
        }
        if heap.lambda(object).is_some() || jdk::owner::is_lambda(&class) {
            return Err(WhyNot("a lambda cannot be made again".to_owned()));
        }
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| WhyNot(format!("it takes more than {MAX_OBJECTS} objects to set it up")))?;
        if !self.open.insert(object) {
            return Err(WhyNot(format!("a {shown} refers to itself")));
        }
        let made = if is_array {
            self.array(object, &class)
        } else if let Some(read) = content(&heap, object) {
            match read {
                Ok((recipe, items)) => self.collection(object, recipe, items, hint),
                Err(_) => Err(WhyNot(format!("what is in a {shown} is not known, or too much"))),
            }
        } else if heap.is_record(object) {
            self.record(object, &class)
        } else if let Some(made) = self.scalar(object, &class) {
            made
        } else if self.names.class(&class).is_some() && !self.literal {
            self.program_object(object, &class, hint)
        } else {
            Err(WhyNot(format!("a {shown} cannot be made in a test")))
        };
        self.open.remove(&object);
        let made = made?;
        let shared = self.references.get(&object).is_some_and(|&count| count > 1);
        if !self.literal
            && (shared || self.watched.contains(&object))
            && !self.variables.contains_key(&object)
        {
            return self.declare(object, &made, hint, "");
        }
        Ok(made)
    }

    /// A variable with this value, of the object's own type where the test can name it.
    pub(super) fn declare(
        &mut self,
        object: ObjectId,
        value: &str,
        hint: Option<&str>,
        descriptor: &str,
    ) -> Result<String, WhyNot> {
        let class = self.past.class_of(object).unwrap_or("").to_owned();
        let simple = class.rsplit(['/', '$']).next().unwrap_or("").trim_end_matches([';', '[']);
        let heap = self.past.heap_at(self.time);
        let own = match content(&heap, object) {
            Some(Ok((recipe, _))) => Ok(self.collection_type(recipe)),
            _ if class.starts_with('[') => self.names.of(&class),
            _ => self.names.of_class(&class),
        };
        let ty =
            own.or_else(|why| if descriptor.is_empty() { Err(why) } else { self.names.of(descriptor) })?;
        let lower =
            simple.chars().next().map(|first| first.to_lowercase().chain(simple.chars().skip(1)).collect());
        let name = self.fresh(hint.unwrap_or(&lower.unwrap_or("value".to_owned())));
        self.statements.push(format!("{ty} {name} = {value};"));
        self.variables.insert(object, name.clone());
        Ok(name)
    }

    fn children(&self, object: ObjectId) -> Vec<Value> {
        let heap = self.past.heap_at(self.time);
        let value = |known| match known {
            KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
            KnownValue::Unknown => None,
        };
        if let Some(length) = heap.length(object) {
            let count = length.min(MAX_ELEMENTS as u32);
            return (0..count).filter_map(|at| value(heap.element(object, at))).collect();
        }
        match content(&heap, object) {
            Some(Ok((_, Items::Elements(elements)))) => elements.into_iter().filter_map(value).collect(),
            Some(Ok((_, Items::Pairs(pairs)))) => {
                pairs.into_iter().flat_map(|(key, value)| [key, value]).filter_map(value).collect()
            }
            Some(Err(_)) => Vec::new(),
            None if object.is_program() => {
                heap.fields(object).into_iter().filter_map(|field| value(field.value)).collect()
            }
            None => Vec::new(),
        }
    }
}

fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 18] = [
        "this", "class", "new", "int", "long", "double", "float", "char", "byte", "short", "boolean", "enum",
        "default", "switch", "package", "record", "object", "null",
    ];
    WORDS.contains(&word)
}
