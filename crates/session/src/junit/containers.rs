//! Arrays and collections of the state before the call, made anew: as one expression where Java has one, otherwise in
//! a variable that is filled.

use jdk::collections::Recipe;
use past::{KnownValue, ObjectId};
use render::{Heap, Items};

use super::WhyNot;
use super::content::MAX_ELEMENTS;
use super::inputs::Inputs;

impl Inputs<'_> {
    pub(super) fn array(&mut self, array: ObjectId, class: &str) -> Result<String, WhyNot> {
        let heap = self.past.heap_at(self.time);
        let length = heap.length(array).unwrap_or(0);
        let element = &class[1..];
        let ty = self.names.of(element)?;
        let (base, brackets) = ty.split_at(ty.find('[').unwrap_or(ty.len()));
        if length == 0 {
            return Ok(format!("new {base}[0]{brackets}"));
        }
        if length as usize > MAX_ELEMENTS {
            return Err(WhyNot(format!("an array of {length} elements is too long")));
        }
        let mut elements = Vec::new();
        for at in 0..length {
            elements.push(self.expression(heap.element(array, at), element, true, None)?);
        }
        let empty = elements.iter().all(|one| matches!(one.as_str(), "0" | "null" | "0L" | "false" | "0.0"));
        if empty && length > 4 {
            return Ok(format!("new {base}[{length}]{brackets}"));
        }
        Ok(format!("new {ty}[] {{{}}}", elements.join(", ")))
    }

    pub(super) fn collection_type(&mut self, recipe: Recipe) -> String {
        match recipe {
            Recipe::Copy(class) | Recipe::Filled(class) | Recipe::Put(class) | Recipe::Optional(class) => {
                self.names.jdk(&format!("java.util.{class}"))
            }
            Recipe::Of(kind) => self.names.jdk(&format!("java.util.{kind}")),
            Recipe::AsList => self.names.jdk("java.util.List"),
            Recipe::Empty(method) | Recipe::Singleton(method) | Recipe::Wrapper(method) => {
                let kind = ["List", "Map", "Collection"].into_iter().find(|kind| method.ends_with(kind));
                self.names.jdk(&format!("java.util.{}", kind.unwrap_or("Set")))
            }
        }
    }

    pub(super) fn collection(
        &mut self,
        object: ObjectId,
        recipe: Recipe,
        items: Items,
        hint: Option<&str>,
    ) -> Result<String, WhyNot> {
        let jdk = |inputs: &mut Self, class: &str| inputs.names.jdk(&format!("java.util.{class}"));
        let pairs = match items {
            Items::Elements(elements) => {
                let descriptor = match recipe {
                    Recipe::Optional("OptionalInt") => "I",
                    Recipe::Optional("OptionalLong") => "J",
                    Recipe::Optional("OptionalDouble") => "D",
                    _ => "",
                };
                // What cannot change is as it was seen.
                let fixed = matches!(recipe, Recipe::Of(_) | Recipe::Singleton(_) | Recipe::Optional(_));
                let mut list = Vec::new();
                for one in elements {
                    let one = match one {
                        KnownValue::Seen(value) if fixed => KnownValue::Value(value),
                        one => one,
                    };
                    list.push(self.expression(one, descriptor, true, None)?);
                }
                return Ok(match recipe {
                    Recipe::Copy(class) | Recipe::Filled(class) if list.is_empty() => {
                        format!("new {}<>()", jdk(self, class))
                    }
                    Recipe::Copy(class) => {
                        let class = jdk(self, class);
                        format!("new {class}<>({})", self.as_list(&list))
                    }
                    Recipe::Filled(_) if self.literal => self.as_list(&list),
                    Recipe::Filled(class) => {
                        let class = jdk(self, class);
                        let name = self.declare(object, &format!("new {class}<>()"), hint, "")?;
                        let all = self.as_list(&list);
                        self.statements.push(format!("{name}.addAll({all});"));
                        name
                    }
                    Recipe::AsList => self.as_list(&list),
                    Recipe::Of(kind) => format!("{}.of({})", jdk(self, kind), list.join(", ")),
                    Recipe::Empty(method) | Recipe::Singleton(method) | Recipe::Wrapper(method) => {
                        format!("{}.{method}({})", jdk(self, "Collections"), list.join(", "))
                    }
                    Recipe::Optional(class) => match list.first() {
                        Some(value) => format!("{}.of({value})", jdk(self, class)),
                        None => format!("{}.empty()", jdk(self, class)),
                    },
                    Recipe::Put(_) => return Err(WhyNot("a map is not understood".to_owned())),
                });
            }
            Items::Pairs(pairs) => pairs,
        };
        let mut list = Vec::new();
        for (key, value) in pairs {
            let key = self.expression(key, "", true, None)?;
            list.push((key, self.expression(value, "", true, None)?));
        }
        let has_null = list.iter().any(|(key, value)| key == "null" || value == "null");
        match recipe {
            Recipe::Put(class) if !self.literal => {
                let class = jdk(self, class);
                let name = self.declare(object, &format!("new {class}<>()"), hint, "")?;
                for (key, value) in list {
                    self.statements.push(format!("{name}.put({key}, {value});"));
                }
                Ok(name)
            }
            _ if has_null => Err(WhyNot("a map with null in it cannot be written as one value".to_owned())),
            _ if list.len() <= 10 => {
                let flat = list.into_iter().flat_map(|(key, value)| [key, value]);
                let flat: Vec<String> = flat.collect();
                Ok(format!("{}.of({})", jdk(self, "Map"), flat.join(", ")))
            }
            _ => {
                let map = jdk(self, "Map");
                let entries = list.into_iter().map(|(key, value)| format!("{map}.entry({key}, {value})"));
                let entries: Vec<String> = entries.collect();
                Ok(format!("{map}.ofEntries({})", entries.join(", ")))
            }
        }
    }

    pub(super) fn as_list(&mut self, elements: &[String]) -> String {
        // One array of references or one null would be taken for the list of all.
        let alone = elements.len() == 1 && (elements[0] == "null" || elements[0].contains("[]"));
        match alone {
            true => format!("{}.singletonList({})", self.names.jdk("java.util.Collections"), elements[0]),
            false => format!("{}.asList({})", self.names.jdk("java.util.Arrays"), elements.join(", ")),
        }
    }
}
