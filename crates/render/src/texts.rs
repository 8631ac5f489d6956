//! Objects that stand for a text: names and paths, addresses, members of classes, a search in a text. As they print
//! themselves, put together from their fields.

use base::literal::quoted;
use base::text::{from_units, units};
use base::{ObjectId, Value};
use jdk::Field;
use jdk::scalars::ScalarForm;

use crate::fields::{Fields, Ref};
use crate::heap::KnownValue;
use crate::names::short_name;

/// So many bytes of a path are looked at, parameters of a method, texts of a joiner.
const BYTES: u32 = 4096;
const PARAMETERS: u32 = 255;
const TEXTS: u32 = 10_000;

pub(crate) fn text(fields: &Fields<'_>, object: ObjectId, form: &ScalarForm) -> Option<String> {
    match *form {
        ScalarForm::Name { text } => fields.text(text)?,
        ScalarForm::Bytes { bytes } => bytes_of(fields, bytes),
        ScalarForm::Uri { whole, scheme, opaque, authority, user, host, port, path, query, fragment } => {
            if let Some(whole) = fields.text(whole)? {
                return Some(whole);
            }
            let mut text = fields.text(scheme)?.map_or(String::new(), |scheme| format!("{scheme}:"));
            match fields.text(path)? {
                None => text.push_str(&fields.text(opaque)??),
                Some(path) => {
                    if let Some(host) = fields.text(host)? {
                        let user = fields.text(user)?.map_or(String::new(), |user| format!("{user}@"));
                        let bare = host.contains(':') && !host.starts_with('[');
                        let host = if bare { format!("[{host}]") } else { host };
                        let port = fields.int(port)?;
                        let port = if port == -1 { String::new() } else { format!(":{port}") };
                        text.push_str(&format!("//{user}{host}{port}"));
                    } else if let Some(authority) = fields.text(authority)? {
                        text.push_str(&format!("//{authority}"));
                    }
                    text.push_str(&path);
                    if let Some(query) = fields.text(query)? {
                        text.push_str(&format!("?{query}"));
                    }
                }
            }
            if let Some(fragment) = fields.text(fragment)? {
                text.push_str(&format!("#{fragment}"));
            }
            Some(text)
        }
        ScalarForm::Url { protocol, authority, path, query, fragment } => {
            let with = |sign: &str, field: Field| {
                Some(fields.text(field)?.map_or(String::new(), |text| format!("{sign}{text}")))
            };
            let authority = with("//", authority)?;
            let authority = if authority == "//" { "" } else { &authority };
            let rest = (with("", path)?, with("?", query)?, with("#", fragment)?);
            Some(format!("{}:{authority}{}{}{}", fields.text(protocol)??, rest.0, rest.1, rest.2))
        }
        ScalarForm::Locale { base, extensions } => locale(fields, base, extensions),
        ScalarForm::Context { precision, rounding } => {
            let rounding = fields.reader.value(fields.get(rounding))?;
            let (_, rounding) = fields.reader.heap.enum_constant(rounding)?;
            Some(format!("precision={} roundingMode={rounding}", fields.int(precision)?))
        }
        ScalarForm::Member { class, name, parameters } => member(fields, class, name, parameters),
        ScalarForm::Named { name } => {
            let class = fields.reader.heap.type_name(object);
            let class = class.filter(|class| jdk::owner::is_jdk(class));
            let name = quoted(&fields.text(name)??);
            Some(class.map_or(name.clone(), |class| format!("{} {name}", short_name(&class))))
        }
        ScalarForm::Match { pattern, text, first, last } => search(fields, pattern, text, first, last),
        ScalarForm::Source { seed } => {
            let seed = fields.reader.fields(fields.object(seed)?).int("value")?;
            let class = fields.reader.heap.type_name(object)?;
            Some(format!("{}(seed {seed})", short_name(&class)))
        }
        _ => None,
    }
}

fn bytes_of(fields: &Fields<'_>, bytes: Field) -> Option<String> {
    let reader = fields.reader;
    let array = fields.object(bytes)?;
    let length = reader.heap.length(array).filter(|&length| length <= BYTES)?;
    let bytes: Option<Vec<u8>> = (0..length)
        .map(|index| reader.int(reader.heap.element(array, index)).map(|byte| byte as u8))
        .collect();
    Some(String::from_utf8_lossy(&bytes?).into_owned())
}

/// `de_AT`, `zh_TW_#Hant`.
fn locale(fields: &Fields<'_>, base: Field, extensions: Field) -> Option<String> {
    let reader = fields.reader;
    let parts = reader.fields(fields.object(base)?);
    let part = |name: &str| Some(parts.text(name)?.unwrap_or_default());
    let (language, script) = (part("language")?, part("script")?);
    let (region, variant) = (part("region")?, part("variant")?);
    let extensions = match fields.reference(extensions)? {
        Ref::Null => None,
        Ref::To(extensions) => Some(reader.fields(extensions).text("id")??),
    };
    let named = !language.is_empty() || !region.is_empty();
    let further = !variant.is_empty() || !script.is_empty() || extensions.is_some();
    let mut text = language.clone();
    if !region.is_empty() || !language.is_empty() && further {
        text.push_str(&format!("_{region}"));
    }
    if !variant.is_empty() && named {
        text.push_str(&format!("_{variant}"));
    }
    if !script.is_empty() && named {
        text.push_str(&format!("_#{script}"));
    }
    if let Some(extensions) = extensions
        && named
    {
        text.push_str(if script.is_empty() { "_#" } else { "_" });
        text.push_str(&extensions);
    }
    Some(text)
}

/// `Order.total(int)`, `Order.price`, `Order(String)`.
fn member(
    fields: &Fields<'_>,
    class: Field,
    name: Option<Field>,
    parameters: Option<Field>,
) -> Option<String> {
    let reader = fields.reader;
    let class_name = |known: KnownValue| match reader.value(known)? {
        Value::Class(ty) => reader.heap.class_name(ty).map(|name| short_name(&name)),
        _ => None,
    };
    let mut text = class_name(fields.get(class))?;
    if let Some(name) = name {
        text.push_str(&format!(".{}", fields.text(name)??));
    }
    if let Some(parameters) = parameters {
        let array = fields.object(parameters)?;
        let length = reader.heap.length(array).filter(|&length| length <= PARAMETERS)?;
        let types: Option<Vec<String>> =
            (0..length).map(|index| class_name(reader.heap.element(array, index))).collect();
        text.push_str(&format!("({})", types?.join(", ")));
    }
    Some(text)
}

pub(crate) fn joined(fields: &Fields<'_>, form: &ScalarForm) -> Option<String> {
    let ScalarForm::Joined { before, between, behind, texts, count, empty } = *form else { return None };
    let reader = fields.reader;
    let count = fields.count(count).filter(|&count| count <= TEXTS)?;
    if count == 0
        && let Some(empty) = fields.text(empty)?
    {
        return Some(empty);
    }
    let mut list = Vec::new();
    if count > 0 {
        let array = fields.object(texts)?;
        for index in 0..count {
            let text = reader.heap.string(reader.value(reader.heap.element(array, index))?)?;
            list.push((!text.cut).then_some(text.text)?);
        }
    }
    let list = list.join(&fields.text(between)??);
    Some(format!("{}{list}{}", fields.text(before)??, fields.text(behind)??))
}

/// `Match[a+ in "caab", found "aa" at 1]`; of a result only what was found.
fn search(
    fields: &Fields<'_>,
    pattern: Option<Field>,
    text: Field,
    first: Field,
    last: Field,
) -> Option<String> {
    let reader = fields.reader;
    let searches = pattern.is_some();
    // What was found keeps the text from its start on, from JDK 21 or so.
    let start = if searches { 0 } else { fields.count("minStart").unwrap_or(0) as usize };
    let pattern = match pattern {
        Some(pattern) => format!("{} in ", reader.fields(fields.object(pattern)?).text("pattern")??),
        None => String::new(),
    };
    let (first, last) = (fields.int(first)?, fields.int(last)?);
    // Only a string is looked into; another text may have changed.
    let text = match reader.value(fields.get(text))? {
        value @ (Value::Str(_) | Value::Literal { .. }) => reader.heap.string(value),
        _ => None,
    };
    let shown = text.as_ref().map_or("a text".to_owned(), |text| quoted(&text.text));
    let found = match (text, usize::try_from(first), usize::try_from(last)) {
        (Some(text), Ok(from), Ok(to)) if !text.cut => {
            let units: Vec<u16> = units(&text.text).collect();
            let found = units
                .get(from.checked_sub(start)?..to.checked_sub(start)?)
                .map(|units| quoted(&from_units(units)));
            format!("found {} at {from}", found?)
        }
        (_, Ok(from), Ok(to)) => format!("found {from}..{to}"),
        _ => "no match".to_owned(),
    };
    Some(match searches {
        true => format!("Match[{pattern}{shown}, {found}]"),
        false => format!("Match[{found}]"),
    })
}
