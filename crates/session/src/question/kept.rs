//! Collections and arrays that a call was given, and that it keeps: they are what they were, and yet it may be wrong, because
//! somebody else changes them later and whoever got a copy does not see it. Told only where that happened.

use past::{CallId, CallInfo, Location, ObjectId, Past, ReadLocation, Value};

use super::reach::Reach;

/// A collection or array that is held by what the call was given, and now also by something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// As a person says it: `lines`, `cart.lines`.
    pub location: String,
    /// What keeps it: `Order.lines`.
    pub by: String,
    /// Who changed it first after the call.
    pub changed_by: CallId,
    /// `Cart.clear`
    pub changer: String,
}

/// So many are told of one call, and so many are looked at.
const TOLD: usize = 2;
const LOOKED_AT: usize = 8;
/// Reads of a call that what it kept is looked for among.
const READS: usize = 32;

/// What a call was given and keeps, and somebody else changes later.
pub fn kept_by(past: &Past, call: CallId) -> Vec<Kept> {
    super::call_info(past, call).map_or_else(Vec::new, |info| of_call(past, &info))
}

/// Of a call by itself.
pub(crate) fn of_call(past: &Past, info: &CallInfo) -> Vec<Kept> {
    let this = info.receiver.map(|receiver| ("this".to_owned(), receiver));
    let args = info.args.iter().map(|arg| (arg.name.clone(), arg.value));
    let reach = Reach::new(past, this.into_iter().chain(args), info.entry, info.exit);
    kept(past, info, &past.reads(info.id, READS).0, &reach)
}

pub(super) fn kept(past: &Past, info: &CallInfo, reads: &[ReadLocation], reach: &Reach<'_>) -> Vec<Kept> {
    let given = info.args.iter().map(|arg| arg.value).chain(reads.iter().map(|read| read.value));
    let mut objects: Vec<ObjectId> = Vec::new();
    for value in given {
        let Value::Object(object) = value else { continue };
        let holds = !object.is_program() || past.array_length(object).is_some();
        if holds && past.is_known_by(object, info.entry) && !objects.contains(&object) {
            objects.push(object);
        }
    }
    let told = objects.into_iter().take(LOOKED_AT).filter_map(|object| one(past, info, object, reach));
    told.take(TOLD).collect()
}

fn one(past: &Past, info: &CallInfo, object: ObjectId, reach: &Reach<'_>) -> Option<Kept> {
    let holders = past.stored_within(object, info.entry, info.exit);
    let keeper = holders.into_iter().find(|location| {
        let held = |time| super::effect::value(past.value_at(location, time)) == Some(Value::Object(object));
        held(info.exit) && !held(info.entry)
    })?;
    let changed_by = past.next_change(object, info.exit)?;
    let by = past.location_name(&keeper);
    // Who keeps it may change it: a sorter is given its array to do so.
    let changer = past.target(past.call_row(changed_by)?.target).0;
    if outermost(&owner(past, &keeper)?) == outermost(&changer) {
        return None;
    }
    let changer = past.call(changed_by)?.method;
    Some(Kept { location: reach.of(object).path, by: without_number(&by), changed_by, changer })
}

/// The class of the object that a field is of, or of a static.
fn owner(past: &Past, location: &Location) -> Option<String> {
    match *location {
        Location::Field { object, .. } => past.class_of(object).map(str::to_owned),
        Location::Static(field) => past.program().field(field).map(|(class, _)| class.name.clone()),
        Location::Element { .. } | Location::Local { .. } => None,
    }
}

/// The class that a nested one is part of.
fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// `Order.lines` of `Order@3.lines`
fn without_number(name: &str) -> String {
    match (name.find('@'), name.find('.')) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &name[..from], &name[to..]),
        _ => name.to_owned(),
    }
}
