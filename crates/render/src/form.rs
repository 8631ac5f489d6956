//! The logical form of an object: how it is headed, what it is made of, and in which brackets that stands. Line and
//! tree are both made from it, so that they never disagree.

use base::literal::escaped;
use base::{ObjectId, Text, Value};
use jdk::collections::layout;

use crate::content::{Content, Item, Recognised};
use crate::fields::{Reader, Steps};
use crate::heap::{FieldValue, Heap, KnownValue};
use crate::names::{enum_name, names_thing, short_name};
use crate::node::ValueKind;
use crate::parts::Home;
use crate::scalars::Hold;
use crate::{maps, scalars, sequences};

pub(crate) struct Form {
    pub kind: ValueKind,
    pub head: String,
    pub style: Style,
    pub parts: Vec<Part>,
    /// Parts that the line leaves out: fields of the program in an object that has another form by its class.
    pub fields: Vec<Part>,
    /// How many elements after the last part are its equals.
    pub repeats: u64,
    /// How many parts there are besides.
    pub more: u64,
    pub unknown: bool,
    pub seen: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Style {
    /// The head says all.
    Head,
    /// The head, and the parts in brackets.
    Brackets(char, char),
    /// The one part alone.
    Bare,
}

pub(crate) struct Part {
    pub label: Label,
    pub value: KnownValue,
    pub descriptor: String,
    /// Where the value lies, if that is one place.
    pub home: Option<Home>,
}

impl Part {
    /// What of an object is told first if not all of it is: what says which it is, then what is set at all.
    pub fn rank(&self) -> (bool, bool) {
        (!self.names_thing(), self.is_blank())
    }

    /// Does it hold what a field holds that nobody has set?
    fn is_blank(&self) -> bool {
        let (KnownValue::Value(value) | KnownValue::Seen(value)) = self.value else { return true };
        match value {
            Value::Null => true,
            Value::Int(bits) => bits == 0,
            Value::Long(bits) => bits == 0,
            Value::Float(number) => number == 0.0,
            Value::Double(number) => number == 0.0,
            _ => false,
        }
    }

    /// Does it say which object it is a part of?
    pub fn names_thing(&self) -> bool {
        let says =
            !matches!(self.value, KnownValue::Unknown | KnownValue::Value(Value::Null | Value::Object(_)));
        // That something is so or not says nothing.
        let says = says && self.descriptor != "Z";
        says && matches!(&self.label, Label::Name(name) if names_thing(name))
    }
}

pub(crate) enum Label {
    Index(u64),
    Name(String),
    Key(KnownValue),
}

/// What is asked of a form.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'s> {
    pub parts: usize,
    pub string: usize,
    /// The plain fields instead of the logical form.
    pub raw: bool,
    pub steps: &'s Steps,
}

pub(crate) fn form(heap: &dyn Heap, object: ObjectId, wish: Wish<'_>) -> Form {
    let reader = Reader::new(heap, wish.steps);
    let classes = reader.classes(object);
    let own = classes.first().map_or("", String::as_str);
    let mut form = if let Some(element) = own.strip_prefix('[') {
        array(heap, object, element, wish)
    } else if let Some((class, constant)) = heap.enum_constant(Value::Object(object)) {
        let head = format!("{}.{constant}", enum_name(&class));
        Form { fields: own_fields(heap, object), ..Form::head(ValueKind::Enum, head) }
    } else if wish.raw {
        plain(heap, object, wish)
    } else {
        logical(&reader, object, &classes, wish)
    };
    form.seen |= reader.relied_on_seen();
    form
}

impl Form {
    fn head(kind: ValueKind, head: String) -> Form {
        let style = Style::Head;
        let (parts, fields) = (Vec::new(), Vec::new());
        Form { kind, head, style, parts, fields, repeats: 0, more: 0, unknown: false, seen: false }
    }

    fn unknown_content(heap: &dyn Heap, object: ObjectId, kind: ValueKind, why: &str) -> Form {
        let head = format!("{} (content unknown: {why})", heap.name(object));
        Form { unknown: true, ..Form::head(kind, head) }
    }

    fn of_content(content: Content) -> Form {
        let style = match content.kind {
            ValueKind::Map => Style::Brackets('{', '}'),
            ValueKind::Entry => Style::Bare,
            _ => Style::Brackets('[', ']'),
        };
        let part = |(item, index): (Item, u64)| Part {
            label: item.key.map_or(Label::Index(index), Label::Key),
            value: item.value,
            descriptor: String::new(),
            home: item.home,
        };
        let parts = content.items.into_iter().zip(0..).map(part).collect();
        Form { style, parts, more: content.more, ..Form::head(content.kind, String::new()) }
    }

    /// Is there anything to unfold?
    pub fn nests(&self) -> bool {
        self.style != Style::Head
    }

    pub fn count(&self) -> u64 {
        (self.fields.len() + self.parts.len()) as u64 + self.repeats + self.more
    }
}

/// Why the fields or elements of something are not known that is recorded as a rule: it was beyond what is recorded at
/// once, or nobody has shown it yet.
const NOT_SEEN: &str = "not seen by then";

/// So many wrappers may lie around a collection.
const WRAPPERS: u32 = 16;

fn logical(reader: &Reader<'_>, object: ObjectId, classes: &[String], wish: Wish<'_>) -> Form {
    let heap = reader.heap;
    let own = classes.first().map_or("", String::as_str);
    if let Some(place) = heap.lambda(object) {
        return Form::head(ValueKind::Lambda, format!("lambda at {place}"));
    }
    if heap.is_record(object) {
        let style = Style::Brackets('[', ']');
        return Form { kind: ValueKind::Record, head: short_name(own), style, ..plain(heap, object, wish) };
    }
    let message = heap.message(object);
    if message.is_some() || classes.iter().any(|class| class == jdk::names::THROWABLE) {
        let message =
            message.map_or(String::new(), |message| format!(": {}", one_line(&message, wish.string)));
        let head = format!("{}{message}", short_name(own));
        return Form { fields: own_fields(heap, object), ..Form::head(ValueKind::Exception, head) };
    }
    for class in classes {
        let form = match known_class(reader, class, object, wish) {
            Recognised::OtherClass => continue,
            Recognised::ContentUnknown => return unknown(heap, object, class),
            Recognised::Content(form) => form,
        };
        return if jdk::owner::is_jdk(own) { form } else { subclass(heap, object, own, form) };
    }
    // A class of the program below one of these has fields of its own.
    let says_nothing = jdk::owner::is_jdk(own) || own_fields(heap, object).is_empty();
    let why = classes.iter().find_map(|class| jdk::contents::why_unknown(class));
    if let Some(why) = why.filter(|_| says_nothing) {
        let form = Form::unknown_content(heap, object, ValueKind::Object, why);
        return Form { fields: own_fields(heap, object), ..form };
    }
    match inner(reader, object) {
        Recognised::OtherClass => plain(heap, object, wish),
        Recognised::ContentUnknown => Form::unknown_content(heap, object, ValueKind::Object, NOT_SEEN),
        Recognised::Content(inner) => {
            let classes = reader.classes(inner);
            match classes.first().and_then(|class| class.strip_prefix('[')) {
                Some(element) => array(heap, inner, element, wish),
                None => logical(reader, inner, &classes, wish),
            }
        }
    }
}

/// The collection below all wrappers.
fn inner(reader: &Reader<'_>, object: ObjectId) -> Recognised<ObjectId> {
    let mut inner = object;
    for _ in 0..WRAPPERS {
        match sequences::unwrapped(reader, inner) {
            Recognised::Content(next) => inner = next,
            Recognised::ContentUnknown => return Recognised::ContentUnknown,
            Recognised::OtherClass if inner == object => return Recognised::OtherClass,
            Recognised::OtherClass => return Recognised::Content(inner),
        }
    }
    Recognised::ContentUnknown
}

fn known_class(reader: &Reader<'_>, class: &str, object: ObjectId, wish: Wish<'_>) -> Recognised<Form> {
    if !jdk::owner::is_jdk(class) {
        return Recognised::OtherClass;
    }
    for content in [maps::map, sequences::sequence] {
        match content(reader, class, object, wish.parts) {
            Recognised::OtherClass => {}
            Recognised::ContentUnknown => return Recognised::ContentUnknown,
            Recognised::Content(content) => return Recognised::Content(Form::of_content(content)),
        }
    }
    match maps::entry(reader, class, object) {
        Recognised::OtherClass => {}
        Recognised::ContentUnknown => return Recognised::ContentUnknown,
        Recognised::Content(entry) => return Recognised::Content(Form::of_content(entry)),
    }
    match scalars::optional(reader, class, object) {
        Recognised::OtherClass => {}
        Recognised::ContentUnknown => return Recognised::ContentUnknown,
        Recognised::Content(None) => {
            return Recognised::Content(Form::head(
                ValueKind::Optional,
                format!("{}.empty", short_name(class)),
            ));
        }
        Recognised::Content(Some(value)) => {
            let content = Content::of(ValueKind::Optional, vec![Item::element(value)]);
            return Recognised::Content(Form { head: short_name(class), ..Form::of_content(content) });
        }
    }
    match scalars::referent(reader, class, object) {
        Recognised::OtherClass => {}
        Recognised::ContentUnknown => return Recognised::ContentUnknown,
        Recognised::Content(value) => {
            let label = Label::Name("value".to_owned());
            let part = Part { label, value, descriptor: String::new(), home: None };
            let form = Form::head(ValueKind::Scalar, String::new());
            return Recognised::Content(Form { style: Style::Bare, parts: vec![part], ..form });
        }
    }
    match scalars::hold(reader, class, object) {
        Recognised::OtherClass => {}
        Recognised::ContentUnknown => return Recognised::ContentUnknown,
        Recognised::Content(hold) => {
            let own = reader.classes(object).into_iter().find(|class| jdk::owner::is_jdk(class));
            let name = short_name(own.as_deref().unwrap_or(class));
            return Recognised::Content(match hold {
                Hold::Nothing(why) => Form::head(ValueKind::Scalar, format!("{name} ({why})")),
                Hold::Value(value, second) => {
                    let items = std::iter::once(value).chain(second).map(Item::element).collect();
                    Form { head: name, ..Form::of_content(Content::of(ValueKind::Scalar, items)) }
                }
            });
        }
    }
    match scalars::scalar(reader, class, object, wish.string) {
        Recognised::OtherClass => Recognised::OtherClass,
        Recognised::ContentUnknown => Recognised::ContentUnknown,
        Recognised::Content((kind, text)) => Recognised::Content(Form::head(kind, text)),
    }
}

/// An object of a known class whose fields are not known.
fn unknown(heap: &dyn Heap, object: ObjectId, class: &str) -> Form {
    use jdk::collections::CollectionKind as Of;
    let kind = match (jdk::scalars::scalar(class).map(|scalar| scalar.form), layout(class)) {
        (Some(jdk::scalars::ScalarForm::Text { .. }), _) => {
            return Form::unknown_content(heap, object, ValueKind::Text, "a library had it in hand");
        }
        (Some(_), _) => ValueKind::Scalar,
        (None, Some((_, Of::Optional))) => ValueKind::Optional,
        (None, Some((_, Of::Entry))) => ValueKind::Entry,
        (None, Some((_, Of::Map))) => ValueKind::Map,
        (None, Some((_, Of::Set))) => ValueKind::Set,
        (None, Some((_, Of::List)) | None) => ValueKind::List,
    };
    let why = match layout(class) {
        Some((jdk::collections::Layout::SubTree { .. }, _)) => {
            "only the program can say which keys lie in its part"
        }
        _ => NOT_SEEN,
    };
    Form::unknown_content(heap, object, kind, why)
}

/// A class of the program that extends a class of the library is shown like that, with its own name before it.
fn subclass(heap: &dyn Heap, object: ObjectId, class: &str, form: Form) -> Form {
    let name = short_name(class);
    let head = match form.style {
        Style::Head => format!("{name} {}", form.head),
        _ => name,
    };
    Form { head, fields: own_fields(heap, object), ..form }
}

fn array(heap: &dyn Heap, object: ObjectId, element: &str, wish: Wish<'_>) -> Form {
    let Some(length) = heap.length(object) else {
        return Form::unknown_content(heap, object, ValueKind::Array, NOT_SEEN);
    };
    let shown = (length as usize).min(wish.parts) as u32;
    let part = |index: u32| Part {
        label: Label::Index(u64::from(index)),
        value: heap.element(object, index),
        descriptor: element.to_owned(),
        home: Some(Home::Element(object, index)),
    };
    let parts: Vec<Part> = (0..shown).map(part).collect();
    if shown == length && length > 0 && parts.iter().all(|part| part.value == KnownValue::Unknown) {
        return Form::unknown_content(heap, object, ValueKind::Array, NOT_SEEN);
    }
    let next = |ahead: u32, count: u32| heap.elements(object, shown + ahead, count);
    let repeats = repeats(&parts, length - shown, next);
    let (style, more) = (Style::Brackets('[', ']'), u64::from(length - shown) - repeats);
    Form { style, parts, repeats, more, ..Form::head(ValueKind::Array, String::new()) }
}

/// How many of the elements that follow are the equals of the last part; none where that part stands almost alone.
/// `next`: so many of these, from one on.
fn repeats(parts: &[Part], left: u32, next: impl Fn(u32, u32) -> Vec<KnownValue>) -> u64 {
    let Some(last) = parts.last().map(|part| part.value) else { return 0 };
    let row = parts.iter().rev().take_while(|part| part.value == last).count();
    if row < REPEATED / 2 {
        return 0;
    }
    let left = left.min(LOOKED_AHEAD);
    let equal = |known: &KnownValue| *known == last;
    let few = left.min(ONE_BY_ONE);
    let mut more = (0..few).take_while(|&ahead| next(ahead, 1).iter().all(equal)).count();
    if more == few as usize && left > few {
        more += next(few, left - few).iter().take_while(|&known| equal(known)).count();
    }
    if row + more < REPEATED { 0 } else { more as u64 }
}

/// Equal elements in a row from which on they are counted on a line, not listed.
pub(crate) const REPEATED: usize = 16;
/// Elements after which a row is taken to be long: then all that may be in it are asked for at once.
const ONE_BY_ONE: u32 = 64;
/// Elements that are looked at to count them.
const LOOKED_AHEAD: u32 = 4_096;

/// Its fields, but for those of libraries that say nothing of what it holds.
fn plain(heap: &dyn Heap, object: ObjectId, wish: Wish<'_>) -> Form {
    let fields = heap.fields(object);
    let says = |field: &FieldValue| {
        let (class, name) = (&field.declared_in, &field.name);
        let recorded = || jdk::contents::is_content(class, name, &field.descriptor);
        !jdk::owner::is_jdk(class)
            || !jdk::caches::is_cache(class, name) && (field.value != KnownValue::Unknown || recorded())
    };
    let unknown = !fields.is_empty() && fields.iter().all(|field| field.value == KnownValue::Unknown);
    let form = Form { unknown, ..Form::head(ValueKind::Object, heap.name(object)) };
    if fields.is_empty() || unknown {
        return form;
    }
    let parts = labelled(object, &fields).zip(&fields).filter(|(_, field)| says(field)).map(|(part, _)| part);
    let mut parts: Vec<Part> = parts.collect();
    let more = parts.len().saturating_sub(wish.parts) as u64;
    if more > 0 {
        // What says which object it is must not be among what is left out, nor what is set while something else is not.
        parts.sort_by_key(Part::rank);
    }
    parts.truncate(wish.parts);
    Form { style: Style::Brackets('{', '}'), parts, more, ..form }
}

/// The fields that classes of the program declare.
fn own_fields(heap: &dyn Heap, object: ObjectId) -> Vec<Part> {
    let fields = heap.fields(object);
    let parts = labelled(object, &fields).zip(&fields);
    parts.filter(|(_, field)| !jdk::owner::is_jdk(&field.declared_in)).map(|(part, _)| part).collect()
}

/// Where two classes declare a field of the same name, the upper one's has its class before it.
fn labelled(object: ObjectId, fields: &[FieldValue]) -> impl Iterator<Item = Part> + '_ {
    fields.iter().enumerate().map(move |(at, field)| {
        let hidden = fields[at + 1..].iter().any(|lower| lower.name == field.name);
        let name = if hidden {
            format!("{}.{}", short_name(&field.declared_in), field.name)
        } else {
            field.name.clone()
        };
        Part {
            label: Label::Name(name),
            value: field.value,
            descriptor: field.descriptor.clone(),
            home: Some(Home::Own(object, at)),
        }
    })
}

fn one_line(text: &Text, limit: usize) -> String {
    if text.is_redacted() {
        return base::text::REDACTED.to_owned();
    }
    let mut shown: String = text.text.chars().take(limit).map(escaped).collect();
    if text.cut || text.text.chars().nth(limit).is_some() {
        shown.push_str(&format!("… ({} chars)", text.chars));
    }
    shown
}
