//! Was anything that a value leads to written after some moment? What was not can be made by the same constructor.

use std::collections::HashSet;

use past::{KnownValue, Location, Past, Time, Value};
use render::Heap;

/// More than this is not looked at, and counts as written.
const MAX_OBJECTS: usize = 400;
const MAX_ELEMENTS: u32 = 512;

/// Was anything in what `value` leads to at `until` written after `since`?
pub(super) fn touched(past: &Past, value: KnownValue, since: Time, until: Time) -> bool {
    let mut seen = HashSet::new();
    let mut queue = vec![value];
    let heap = past.heap_at(until);
    while let Some(known) = queue.pop() {
        let (KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object))) = known
        else {
            continue;
        };
        if !seen.insert(object) || heap.enum_constant(Value::Object(object)).is_some() {
            continue;
        }
        if seen.len() > MAX_OBJECTS {
            return true;
        }
        let locations: Vec<Location> = match heap.length(object) {
            Some(length) if length > MAX_ELEMENTS => return true,
            Some(length) => (0..length).map(|index| Location::Element { array: object, index }).collect(),
            None => {
                let Some(ty) = past.type_of(object) else { continue };
                let fields = past.program().instance_fields(ty).into_iter();
                fields.map(|(field, _)| Location::Field { object, field }).collect()
            }
        };
        for location in locations {
            if past.last_write(&location, until).is_some_and(|entry| entry.time > since) {
                return true;
            }
            queue.push(past.value_at(&location, until));
        }
    }
    false
}
