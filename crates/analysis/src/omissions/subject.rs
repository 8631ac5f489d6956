//! What is asked about, in the terms of the points-to analysis: the abstract objects that stand for a recorded one, and
//! since when there is something to omit.

use index::{Evidence, Key, PostingKind, Target as Called, TimedPosting};
use jdk::values::is_unchangeable;
use past::{Location, ObjectId, Past, Time};
use pointsto::{MemberName, MethodNo, ObjectNo, Solution};
use trace::tables::Detail;

use super::{OmissionSubject, PartialReason};
use crate::error::{Error, Result};

/// Sightings of an object that are looked at, if nothing says where it was made.
const SIGHTINGS: usize = 64;

/// Which operations are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationFilter {
    /// Any on the object.
    Any,
    /// Writes of this field of the object.
    Field(MemberName),
    /// Writes of elements of the object.
    Elements,
    /// Writes of a static field.
    Static(MemberName),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    pub object: Option<ObjectId>,
    pub objects: Vec<ObjectNo>,
    pub wanted: OperationFilter,
    /// Nothing before this matters.
    pub since: Time,
    /// Why the answer may lack something, or have too much.
    pub partial: Vec<PartialReason>,
    /// The class, if nothing can be done to its objects.
    pub unchangeable: Option<String>,
}

pub fn sought(past: &Past, solution: &Solution, subject: &OmissionSubject) -> Result<Sought> {
    let named = |id| {
        let (class, field) = past.recording().program().field(id)?;
        let (name, descriptor) = (field.name.clone(), field.descriptor.clone());
        Some(MemberName { class: class.name.clone(), name, descriptor })
    };
    let of_object = |object: ObjectId, wanted: OperationFilter| {
        past.class_of(object).ok_or(Error::NoSuchObject)?;
        Ok(object_of(past, solution, object, wanted))
    };
    match subject {
        OmissionSubject::Object(object) => of_object(*object, OperationFilter::Any),
        OmissionSubject::Location(Location::Field { object, field }) => {
            // What a library does to its objects is known by calls only, not by fields.
            let recorded = past.recording().program().field(*field);
            let library = recorded.is_none_or(|(class, _)| class.detail == Detail::Library);
            let wanted =
                named(*field).filter(|_| !library).map_or(OperationFilter::Any, OperationFilter::Field);
            of_object(*object, wanted)
        }
        OmissionSubject::Location(Location::Element { array, .. }) => {
            of_object(*array, OperationFilter::Elements)
        }
        OmissionSubject::Location(Location::Static(field)) => {
            let field = named(*field).ok_or(Error::NoSuchObject)?;
            Ok(Sought {
                object: None,
                objects: Vec::new(),
                wanted: OperationFilter::Static(field),
                since: Time(0),
                partial: Vec::new(),
                unchangeable: None,
            })
        }
        OmissionSubject::Location(Location::Local { .. }) => Err(Error::Variable),
    }
}

fn object_of(past: &Past, solution: &Solution, object: ObjectId, wanted: OperationFilter) -> Sought {
    let class = past.class_of(object).unwrap_or("").to_owned();
    let end = past.last_time().unwrap_or(Time(0));
    let made = past.index().last(Key::created(object), end);
    let mut found = Sought {
        object: Some(object),
        objects: Vec::new(),
        wanted,
        since: made.map_or(Time(0), |made| made.time),
        partial: Vec::new(),
        unchangeable: unchangeable(&class),
    };
    let of_class = |list: Vec<ObjectNo>| {
        let fits = |&one: &ObjectNo| solution.class_name(solution.object(one).class) == class;
        list.into_iter().filter(fits).collect::<Vec<_>>()
    };
    if let Some((method, bci)) = made.as_ref().and_then(|made| place(past, solution, made)) {
        found.objects = of_class(solution.created_at(method, bci));
        if !found.objects.is_empty() {
            return found;
        }
    }
    if found.unchangeable.is_some() {
        return found;
    }
    let named = || past.object_name(object);
    for seen in past.index().of_object(object).take(SIGHTINGS) {
        found.objects = of_class(sighted(past, solution, &seen));
        if !found.objects.is_empty() {
            if made.is_none() {
                found.since = seen.time;
            }
            found.partial.push(PartialReason::ForeignObject { object: named() });
            return found;
        }
    }
    found.partial.push(PartialReason::UnknownObject { object: named() });
    found
}

/// The instruction of program code where something was made.
fn place(past: &Past, solution: &Solution, made: &TimedPosting) -> Option<(MethodNo, u16)> {
    if made.posting.library || made.posting.bci == index::NO_BCI {
        return None;
    }
    let call = past.program_call(past.index().call_at(made.position)?)?;
    Some((number(past, solution, Called::Method(past.method_of(call)?))?, made.posting.bci))
}

pub fn number(past: &Past, solution: &Solution, target: Called) -> Option<MethodNo> {
    let (class, name, descriptor) = past.target(target);
    solution.method(&MemberName { class, name, descriptor })
}

/// What may be where an object was seen: in a call's argument or result.
fn sighted(past: &Past, solution: &Solution, seen: &TimedPosting) -> Vec<ObjectNo> {
    let PostingKind::Used { call, part } = seen.posting.what else { return Vec::new() };
    let id = past::CallId { stream: seen.position.stream, index: call };
    let Some(row) = past.index().call(id) else { return Vec::new() };
    let caller = row.parent.map(|index| past::CallId { stream: id.stream, index });
    let caller = caller.and_then(|caller| past.method_of(caller));
    let caller = caller.and_then(|method| number(past, solution, Called::Method(method)));
    let at_call = caller.filter(|_| row.bci != index::NO_BCI);
    match (part, row.target, at_call) {
        (index::RESULT, _, Some(caller)) => solution.result(caller, row.bci),
        (index::RESULT, ..) => Vec::new(),
        (part, Called::Method(_), _) => match number(past, solution, row.target) {
            Some(method) => solution.parameter(method, part as u8),
            None => Vec::new(),
        },
        (part, Called::Library(_), Some(caller)) => {
            solution.points_to(caller, row.bci, pointsto::OperandNo(part as u8))
        }
        _ => Vec::new(),
    }
}

/// The name of a class, if nothing can be done to objects of it.
fn unchangeable(class: &str) -> Option<String> {
    is_unchangeable(class).then(|| class.rsplit('/').next().unwrap_or(class).replace('$', "."))
}
