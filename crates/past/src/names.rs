//! Names of calls, objects, locations and times: how they are written, and what they mean. A name means one thing, for
//! as long as the recording exists.

use std::collections::HashMap;
use std::fmt;

use index::{CallId, Index, MethodGroup, Target, Time};
use render::KnownValue;
use trace::{FieldId, ObjectId, Value, simple_name};

use crate::error::{Error, Result};
use crate::history::value_of;
use crate::location::Location;
use crate::past::{Past, parameters, shown_method};

/// The methods that were called, by `Class.method`.
pub(crate) type Methods = HashMap<String, Vec<MethodGroup>>;

pub(crate) fn methods(index: &Index) -> Methods {
    let mut methods = Methods::new();
    for (group, owner, name, ..) in index.methods() {
        let short = format!("{}.{}", simple_name(owner), shown_method(name));
        methods.entry(short).or_default().push(group);
    }
    methods
}

/// A method's name in its parts: `MergeSort` and `merge`, the latter with parameter types where others would be called the
/// same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodName {
    pub class: String,
    pub name: String,
}

impl fmt::Display for MethodName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.class, self.name)
    }
}

impl Past {
    /// `MergeSort.merge#3`
    pub fn call_name(&self, id: CallId) -> String {
        match self.call_parts(id) {
            Some((method, nth)) => format!("{method}#{nth}"),
            None => format!("call {}", id.number()),
        }
    }

    /// The parts of a call's name: its method, and which call of it this is, from 1.
    pub fn call_parts(&self, id: CallId) -> Option<(MethodName, u64)> {
        let call = self.index.call(id)?;
        let group = self.index.group_of(self.recording.program(), call.target)?;
        Some((self.method_parts(call.target), self.index.rank(group, id)? + 1))
    }

    /// `MergeSort.merge`, with package, parameter types or the result's type (`Foo.next()Object`) only where others
    /// would be called the same.
    pub fn method_name(&self, target: Target) -> String {
        self.method_parts(target).to_string()
    }

    pub fn method_parts(&self, target: Target) -> MethodName {
        let (owner, name, descriptor) = self.target(target);
        let short = format!("{}.{}", simple_name(&owner), shown_method(&name));
        let same = self.methods.get(&short).map_or(&[][..], Vec::as_slice);
        let (mut foreign, mut overloaded, mut twin) = (false, false, false);
        let is_twin =
            |other: &str| other != descriptor && parameter_part(other) == parameter_part(&descriptor);
        for &group in same {
            let (other_owner, _, other) = self.index.method(group);
            foreign |= other_owner != owner;
            overloaded |= other_owner == owner && other != descriptor;
            twin |= other_owner == owner && is_twin(other);
        }
        if let Target::Method(method) = target
            && let Some((class, _)) = self.recording.program().method(method)
            && let Some(model) = self.recording.program().model(class)
        {
            let mut others = model.methods.iter().filter(|method| method.name == name);
            overloaded |= others.clone().count() > 1;
            twin |= others.any(|other| is_twin(&other.descriptor));
        }
        let class = if foreign { owner.replace('/', ".") } else { simple_name(&owner) };
        let mut shown = shown_method(&name).to_owned();
        if overloaded {
            let types: Vec<String> = parameters(&descriptor).iter().map(|one| type_name(one)).collect();
            shown.push_str(&format!("({})", types.join(", ")));
        }
        // The compiler makes methods that differ in their result only.
        if twin {
            shown.push_str(&type_name(descriptor.rsplit(')').next().unwrap_or("")));
        }
        MethodName { class, name: shown }
    }

    /// `ArrayList@1`
    pub fn object_name(&self, id: ObjectId) -> String {
        let class = self.class_of(id).unwrap_or("object");
        let doubt = if self.recording.objects().is_doubtful(id) { "?" } else { "" };
        match self.index.object_rank(class, id) {
            Some(rank) => format!("{}@{}{doubt}", simple_name(class), rank + 1),
            None => format!("{}@?{}", simple_name(class), id.number()),
        }
    }

    /// `int[]@4[2]`, `Node@7.left`, `Config.DEFAULT`, `MergeSort.merge#3:lc`
    pub fn location_name(&self, location: &Location) -> String {
        match location {
            Location::Field { object, field } => {
                format!("{}.{}", self.object_name(*object), self.part_label(*object, *field))
            }
            Location::Element { array, index } => format!("{}[{index}]", self.object_name(*array)),
            Location::Static(field) => {
                let class = self.recording.program().field(*field).map(|(class, _)| simple_name(&class.name));
                format!("{}.{}", class.unwrap_or_else(|| "?".to_owned()), self.field_name(*field))
            }
            Location::Local { call, name } => format!("{}:{name}", self.call_name(*call)),
        }
    }

    /// A field within its object: one that a subclass hides has its class before it (`Base.value`).
    fn part_label(&self, object: ObjectId, field: FieldId) -> String {
        let name = self.field_name(field);
        let shown = self.fields_of(object).into_iter().rfind(|(_, own)| *own == name);
        match shown {
            Some((id, _)) if id != field => format!("{}.{name}", self.declared_in(field)),
            _ => name,
        }
    }

    fn declared_in(&self, field: FieldId) -> String {
        let class = self.recording.program().field(field);
        class.map_or_else(|| "?".to_owned(), |(class, _)| render::short_name(&class.name))
    }

    fn field_name(&self, field: FieldId) -> String {
        self.recording.program().field(field).map_or_else(|| "?".to_owned(), |(_, field)| field.name.clone())
    }

    /// The call that a name or a number means.
    pub fn find_call(&self, text: &str) -> Result<CallId> {
        let text = text.trim();
        if let Ok(number) = text.parse::<u64>() {
            let found = CallId::of_number(number).filter(|&id| self.index.call(id).is_some());
            return found
                .ok_or_else(|| Error::NotFound { name: format!("call {number}"), close: Vec::new() });
        }
        let (method, number) = match text.rsplit_once('#') {
            Some((method, number)) => {
                let number = number.parse::<u64>().ok().filter(|&number| number > 0);
                (method, Some(number.ok_or_else(|| bad_call(text))?))
            }
            None => (text, None),
        };
        let mut groups = self.find_methods(method)?;
        if groups.len() > 1 {
            let names = |group: &MethodGroup| {
                format!("{}#1 … #{}", self.group_name(*group), self.index.count(*group))
            };
            return Err(Error::Ambiguous {
                name: method.to_owned(),
                found: groups.iter().map(names).collect(),
            });
        }
        let Some(group) = groups.pop() else { return Err(bad_call(text)) };
        let count = self.index.count(group);
        let number = match number {
            Some(number) => number,
            None if count == 1 => 1,
            None => {
                let name = self.group_name(group);
                let found = (1..=count.min(20)).map(|number| format!("{name}#{number}")).collect();
                return Err(Error::Ambiguous { name: text.to_owned(), found });
            }
        };
        self.index.ranked(group, number - 1).ok_or_else(|| Error::NoSuchCall {
            name: method.to_owned(),
            count,
            wanted: number,
        })
    }

    /// The methods that a name may mean: `merge`, `MergeSort.merge`, `demo.MergeSort.merge`, with or without
    /// parameter types. Never empty.
    pub fn find_methods(&self, text: &str) -> Result<Vec<MethodGroup>> {
        let (name, types, result) = match text.split_once('(') {
            Some((name, rest)) => {
                let (types, result) = rest.split_once(')').unwrap_or((rest, ""));
                (name, Some(types.replace(' ', "")), result)
            }
            None => (text, None, ""),
        };
        let (owner, method) = match name.rsplit_once('.') {
            Some((owner, method)) => (Some(owner), method),
            None => (None, name),
        };
        let method = match method {
            "<init>" => "new",
            "<clinit>" => "static",
            method => method,
        };
        let mut found = Vec::new();
        let mut close = Vec::new();
        for (group, class, own, descriptor, _) in self.index.methods() {
            let own = shown_method(own);
            let is_owner =
                owner.is_none_or(|owner| simple_name(class) == owner || class.replace('/', ".") == owner);
            let fits = || {
                let shown: Vec<String> = parameters(descriptor).iter().map(|one| type_name(one)).collect();
                types.as_ref().is_none_or(|types| shown.join(",") == *types)
                    && (result.is_empty() || type_name(descriptor.rsplit(')').next().unwrap_or("")) == result)
            };
            if own == method && is_owner && fits() {
                found.push(group);
                continue;
            }
            let far = distance(own, method);
            let alike = far <= own.len().min(method.len()) / 3;
            if own.eq_ignore_ascii_case(method) || (is_owner && owner.is_some()) || alike {
                close.push((far, self.group_name(group)));
            }
        }
        if found.is_empty() {
            close.sort();
            let close = close.into_iter().take(50).map(|(_, name)| name).collect();
            return Err(Error::NotFound { name: text.to_owned(), close });
        }
        Ok(found)
    }

    pub fn group_name(&self, group: MethodGroup) -> String {
        let first = self.index.ranked(group, 0).and_then(|id| self.index.call(id));
        first.map_or_else(|| "?".to_owned(), |call| self.method_name(call.target))
    }

    /// The object that `ArrayList@1` means.
    pub fn find_object(&self, text: &str) -> Result<ObjectId> {
        let bad = || Error::Syntax(text.to_owned(), "object", "objects are written as `ArrayList@1`");
        let (class, number) = text.trim().split_once('@').ok_or_else(bad)?;
        // A name with `?` is that of an object that may have been taken for another.
        let number = number.strip_suffix('?').unwrap_or(number);
        let wanted: u64 = number.parse().ok().filter(|&number| number > 0).ok_or_else(bad)?;
        if let Some(object) = self.index.ranked_object(class, wanted - 1) {
            return Ok(object);
        }
        match self.index.classes().find(|&(name, _)| name == class) {
            Some((_, count)) => Err(Error::NoSuchObject { name: class.to_owned(), count, wanted }),
            None => {
                let lower = class.to_lowercase();
                let close = self.index.classes().filter(|(name, _)| name.to_lowercase().contains(&lower));
                let close = close.map(|(name, count)| format!("{name}@1 … @{count}")).collect();
                Err(Error::NotFound { name: text.to_owned(), close })
            }
        }
    }

    /// The time that a number, `CALL:entry` or `CALL:exit` means.
    pub fn find_time(&self, text: &str) -> Result<Time> {
        let text = text.trim();
        if let Ok(time) = text.parse::<u64>() {
            return self.checked(time);
        }
        let bad = || {
            Error::Syntax(
                text.to_owned(),
                "time",
                "times are numbers, or `CALL:entry` and `CALL:exit` as in `Foo.bar#1:exit`",
            )
        };
        let (call, which) = text.rsplit_once(':').ok_or_else(bad)?;
        let call = self.find_call(call)?;
        let info = self.call(call).ok_or_else(bad)?;
        match which {
            "entry" => Ok(info.entry),
            "exit" => Ok(info.exit),
            _ => Err(bad()),
        }
    }

    /// The location that a text means: an object, a static or a variable of a call, and a path from there. The path
    /// is followed at `time`; without one, at the end of the call or of the recording.
    pub fn find_location(&self, text: &str, time: Option<Time>) -> Result<Location> {
        match self.find_value(text, time)? {
            Pointed::Location(location) => Ok(location),
            Pointed::Object(object) => Err(Error::Path(format!(
                "{} is an object: name a part of it, as in {}",
                self.object_name(object),
                self.example_part(object)
            ))),
        }
    }

    /// As `find_location`, but a whole object may be meant too.
    pub fn find_value(&self, text: &str, time: Option<Time>) -> Result<Pointed> {
        let text = text.trim();
        let last = self.last_time().unwrap_or(Time(0));
        if let Some(stream) = self.find_standard_stream(text) {
            return Ok(Pointed::Object(stream));
        }
        let (mut pointed, rest, time) = if let Some((call, rest)) = split_local(text) {
            let call = self.find_call(call)?;
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let name = rest[..end].to_owned();
            let known = self.variables(call);
            if !known.contains(&name) {
                return Err(Error::NotFound {
                    name: format!("{name} in {}", self.call_name(call)),
                    close: known,
                });
            }
            let exit = self.call(call).map_or(last, |info| info.exit);
            (Pointed::Location(Location::Local { call, name }), &rest[end..], time.unwrap_or(exit))
        } else if text.contains('@') {
            let at = text.find('@').unwrap_or(0) + 1;
            let end =
                at + text[at..].bytes().take_while(|&byte| byte.is_ascii_digit() || byte == b'?').count();
            let object = self.find_object(&text[..end])?;
            (Pointed::Object(object), &text[end..], time.unwrap_or(last))
        } else {
            let (field, rest) = self.find_static(text)?;
            (Pointed::Location(Location::Static(field)), rest, time.unwrap_or(last))
        };
        let mut rest = rest;
        while !rest.is_empty() {
            let object = self.pointed_object(&pointed, text, time)?;
            (pointed, rest) = self.follow(object, rest, text, time)?;
        }
        Ok(pointed)
    }

    fn pointed_object(&self, pointed: &Pointed, text: &str, time: Time) -> Result<ObjectId> {
        let location = match pointed {
            Pointed::Object(object) => return Ok(*object),
            Pointed::Location(location) => location,
        };
        let name = self.location_name(location);
        match self.value_at(location, time) {
            KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => Ok(object),
            known => {
                let what = match value_of(known) {
                    None => "is not known".to_owned(),
                    Some(value) => format!("is {}", self.text(value, &self.descriptor(location), time)),
                };
                Err(Error::Path(format!("`{text}`: {name} {what} at time {}, it has no parts", time.0)))
            }
        }
    }

    fn follow<'t>(
        &self,
        object: ObjectId,
        rest: &'t str,
        text: &str,
        time: Time,
    ) -> Result<(Pointed, &'t str)> {
        let bad = || {
            Error::Syntax(
                text.to_owned(),
                "location",
                "paths are written as `Node@7.left.key` or `int[]@4[2]`",
            )
        };
        if let Some(inner) = rest.strip_prefix('[') {
            let end = inner.find(']').ok_or_else(bad)?;
            let index: u32 = inner[..end].trim().parse().map_err(|_| bad())?;
            let Some(length) = self.recording.objects().length(object) else {
                // A list is meant by its elements; its array has them.
                let array = Location::Field {
                    object,
                    field: self
                        .elements_field(object)
                        .ok_or_else(|| Error::Path(format!("{} is no array", self.object_name(object))))?,
                };
                let array = self.pointed_object(&Pointed::Location(array), text, time)?;
                return Ok((Pointed::Location(Location::Element { array, index }), &inner[end + 1..]));
            };
            if index >= length {
                return Err(Error::Path(format!(
                    "{} has {length} elements, no [{index}]",
                    self.object_name(object)
                )));
            }
            return Ok((Pointed::Location(Location::Element { array: object, index }), &inner[end + 1..]));
        }
        let rest = rest.strip_prefix('.').ok_or_else(bad)?;
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let name = &rest[..end];
        let fields = self.fields_of(object);
        if let Some(&(field, _)) = fields.iter().rev().find(|(_, own)| own == name) {
            return Ok((Pointed::Location(Location::Field { object, field }), &rest[end..]));
        }
        // A hidden field, with its class before it.
        let hidden = fields.iter().find_map(|(field, own)| {
            let after = rest.strip_prefix(&format!("{}.{own}", self.declared_in(*field)))?;
            (after.is_empty() || after.starts_with(['.', '['])).then_some((*field, after))
        });
        match hidden {
            Some((field, after)) => Ok((Pointed::Location(Location::Field { object, field }), after)),
            None => Err(Error::NotFound {
                name: format!("{name} in {}", self.object_name(object)),
                close: fields.into_iter().map(|(_, name)| name).collect(),
            }),
        }
    }

    fn elements_field(&self, object: ObjectId) -> Option<FieldId> {
        let fields = self.fields_of(object);
        fields.into_iter().find(|(_, name)| name == "elementData").map(|(field, _)| field)
    }

    /// The instance fields of an object, superclass first.
    pub(crate) fn fields_of(&self, object: ObjectId) -> Vec<(FieldId, String)> {
        let Some(ty) = self.recording.objects().type_of(object) else { return Vec::new() };
        let program = self.recording.program();
        let fields = program.library_fields(ty).into_iter().chain(program.instance_fields(ty));
        fields.map(|(id, field)| (id, field.name.clone())).collect()
    }

    fn example_part(&self, object: ObjectId) -> String {
        let name = self.object_name(object);
        match self.fields_of(object).last() {
            Some((_, field)) => format!("{name}.{field}"),
            None => format!("{name}[0]"),
        }
    }

    /// The static that a text begins with, and the rest of the text.
    fn find_static<'t>(&self, text: &'t str) -> Result<(FieldId, &'t str)> {
        let mut found: Vec<(String, FieldId, &str)> = Vec::new();
        let mut close = Vec::new();
        for class in self.recording.program().classes() {
            let dotted = class.name.replace('/', ".");
            let names = [simple_name(&class.name), dotted.replace('$', "."), dotted.clone()];
            let Some(rest) =
                names.iter().find_map(|name| text.strip_prefix(name.as_str())?.strip_prefix('.'))
            else {
                continue;
            };
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            for (id, field) in self.recording.program().static_fields(class) {
                if field.name == rest[..end] {
                    found.push((format!("{dotted}.{}", field.name), id, &rest[end..]));
                } else {
                    close.push(format!("{}.{}", simple_name(&class.name), field.name));
                }
            }
        }
        found.dedup_by_key(|(_, id, _)| *id);
        match found.as_slice() {
            [(_, id, rest)] => Ok((*id, rest)),
            [] => Err(Error::NotFound { name: text.to_owned(), close }),
            several => Err(Error::Ambiguous {
                name: text.to_owned(),
                found: several.iter().map(|(name, ..)| name.clone()).collect(),
            }),
        }
    }
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Pointed {
    Object(ObjectId),
    Location(Location),
}

/// How many letters to add, leave out or change to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().take(100).enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (column, same) in other.iter().map(|&own| own == letter).enumerate() {
            let changed = before + usize::from(!same);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

fn parameter_part(descriptor: &str) -> &str {
    descriptor.rsplit_once(')').map_or(descriptor, |(parameters, _)| parameters)
}

fn bad_call(text: &str) -> Error {
    Error::Syntax(text.to_owned(), "call", "calls are written as `MergeSort.merge#3`, or by their number")
}

/// `Foo.bar(int)#1:x.y` → (`Foo.bar(int)#1`, `x.y`)
fn split_local(text: &str) -> Option<(&str, &str)> {
    let hash = text.find('#')?;
    let colon = hash + text[hash..].find(':')?;
    Some((&text[..colon], &text[colon + 1..]))
}

/// A descriptor as in source code, without package.
pub(crate) fn type_name(descriptor: &str) -> String {
    match descriptor {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        "V" => "void".to_owned(),
        class => {
            simple_name(class.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(class))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_far_apart_as_they_need_letters_changed() {
        for (one, other, apart) in
            [("", "", 0), ("merge", "merge", 0), ("merge", "mrge", 1), ("sort", "store", 2), ("", "ab", 2)]
        {
            assert_eq!((distance(one, other), distance(other, one)), (apart, apart), "{one} {other}");
        }
    }
}
