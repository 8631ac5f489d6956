//! A JUnit test that repeats a call that was judged wrong: its inputs made anew, the call, and an assertion that fails
//! as long as the same comes out. Written only if every input can be made for sure; otherwise it says why not.

mod check;
mod containers;
mod content;
mod expected;
mod inputs;
mod literal;
mod objects;
mod touched;
mod types;
mod write;

use std::collections::BTreeSet;
use std::fmt;

use analysis::observed::RunClasses;
use base::ObjectId;
use jdk::owner::is_jdk;
use jdk::testing::{JUNIT4_TEST, JUNIT5_TEST};
use past::{CallInfo, Class, Ending, KnownValue, Location, Method, Past, Value};
use serde::Serialize;

use crate::question::{QuestionDetail, Reach, Span, StateChange, call_info};
use crate::subject::Subject;
use check::Checks;
use inputs::Inputs;
use literal::comment;
use types::package_of;

/// Whose annotations and assertions the test uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JunitVersion {
    Four,
    Five,
}

impl JunitVersion {
    /// What the recorded program uses itself; if it uses neither what is on its class path; JUnit 5 if neither is.
    pub fn of(past: &Past) -> JunitVersion {
        let classes = past.program().classes();
        let mentions =
            |class: &Class, name: &[u8]| class.bytes.windows(name.len()).any(|bytes| bytes == name);
        let uses =
            |name: &str| classes.iter().any(|class| !is_jdk(&class.name) && mentions(class, name.as_bytes()));
        let four = match (uses(JUNIT4_TEST), uses(JUNIT5_TEST)) {
            (false, false) => {
                let run = RunClasses::new(past);
                let has = |name: &str| run.path().place_of(name.trim_matches(['L', ';'])).is_some();
                has(JUNIT4_TEST) && !has(JUNIT5_TEST)
            }
            (four, five) => four && !five,
        };
        if four { JunitVersion::Four } else { JunitVersion::Five }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JunitTest {
    /// With its package: `demo.MergeSortMergeTest`.
    pub class_name: String,
    pub source: String,
    /// What to know before relying on it.
    pub notes: Vec<String>,
}

/// The reason why there is no test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WhyNot(pub String);

impl fmt::Display for WhyNot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for WhyNot {}

/// A test that fails as long as the call gives what it gave. `expected`: what it should have given, in a person's words.
pub fn junit(
    past: &Past,
    subject: &Subject,
    expected: Option<&str>,
    framework: JunitVersion,
) -> Result<JunitTest, WhyNot> {
    let unknown = || WhyNot("the recording has no such call".to_owned());
    let mut notes = BTreeSet::new();
    match subject {
        Subject::Call { .. } | Subject::Nest { .. } => {}
        Subject::Loop { .. } | Subject::Statement { .. } => {
            notes.insert("it repeats the whole call around what is wrong".to_owned());
        }
        Subject::Run { .. } => return Err(WhyNot("only one call can be repeated, not several".to_owned())),
        Subject::Thread { .. } => return Err(WhyNot("a whole thread cannot be repeated".to_owned())),
    }
    let info = subject.call().and_then(|id| call_info(past, id)).ok_or_else(unknown)?;
    let method = past.method_of(info.id).and_then(|id| past.program().method(id));
    let (class, method) = method.ok_or_else(|| WhyNot(format!("{} is code of a library", info.method)))?;
    repeatable(past, &info, class, method)?;

    let mut inputs = Inputs::new(past, &package_of(&class.name), info.entry);
    inputs.notes = notes;
    let outcome = ChangedState::of(past, &info);
    inputs.watched = outcome.objects.iter().copied().collect();
    let receiver = info.receiver.filter(|_| !method.is_constructor());
    receiver.into_iter().chain(info.args.iter().map(|arg| arg.value)).for_each(|value| inputs.count(value));

    let target = match receiver {
        Some(receiver) => {
            let name = base::simple_name(&class.name).to_lowercase();
            Some(inputs.argument(receiver, "", name.rsplit('$').next().unwrap_or(&name))?)
        }
        None => None,
    };
    let mut args = Vec::new();
    for arg in &info.args {
        let expression = inputs.argument(arg.value, &arg.descriptor, &arg.name)?;
        // Another method of that name could fit the narrower type better.
        let is_reference = matches!(arg.descriptor.as_bytes().first(), Some(b'L' | b'['));
        args.push(match is_reference && is_overloaded(past, class, method) {
            true => format!("({}) {expression}", inputs.names.of(&arg.descriptor)?),
            false => expression,
        });
    }
    statics(&mut inputs, &info)?;
    let call = write::call(&mut inputs, class, method, target.as_deref(), &args, &info)?;
    let checked = assertions(&mut inputs, &info, method, &outcome, expected, framework)?;
    Ok(write::test(inputs, class, method, &info, &call, &checked, framework))
}

/// Refuses what no test can call.
fn repeatable(past: &Past, info: &CallInfo, class: &Class, method: &Method) -> Result<(), WhyNot> {
    let refuse = |why: &str| Err(WhyNot(format!("{}: {why}", info.name)));
    if info.ending == Ending::Open {
        return refuse("it has not returned");
    }
    if method.is_class_initialiser() {
        return refuse("a class is initialised only once");
    }
    if method.name.starts_with("lambda$") {
        return refuse("the body of a lambda cannot be called");
    }
    if method.access & (classfile::access::SYNTHETIC) != 0 {
        return refuse("it was made by the compiler");
    }
    let Some(Value::Object(receiver)) = info.receiver.filter(|_| !method.is_constructor()) else {
        return Ok(());
    };
    let up = render::Heap::supertypes(&past.heap_at(info.entry), receiver);
    let program = past.program();
    for name in up.iter().take_while(|name| **name != class.name) {
        let own = program.classes().iter().find(|class| class.name == *name);
        let methods = own.and_then(|own| program.model(own)).map_or(&[][..], |model| &model.methods);
        if methods.iter().any(|one| one.name == method.name && one.descriptor == method.descriptor) {
            return refuse("it was called by `super`, past the method that overrides it");
        }
    }
    Ok(())
}

fn is_overloaded(past: &Past, class: &Class, method: &Method) -> bool {
    let model = past.program().model(class);
    model.is_some_and(|model| {
        let same = |one: &&Method| one.name == method.name && one.kinds().len() == method.kinds().len();
        model.methods.iter().filter(same).count() > 1
    })
}

/// Statics that the call read and that the class's initialiser did not leave like that.
fn statics(inputs: &mut Inputs<'_>, info: &CallInfo) -> Result<(), WhyNot> {
    let past = inputs.past;
    let (reads, all) = past.reads(info.id, 500);
    if !all {
        inputs.notes.insert(
            "it may depend on more than is set up here: it read too much to look at all of it".to_owned(),
        );
    }
    for read in reads {
        let Location::Static(field) = read.location else { continue };
        let Some((class, model)) = past.program().field(field) else { continue };
        if is_jdk(&class.name) || model.access & classfile::access::SYNTHETIC != 0 {
            continue;
        }
        let known = past.value_at(&read.location, info.entry);
        let written = past.last_write(&read.location, info.entry);
        let initialiser = written.as_ref().and_then(|entry| entry.call).and_then(|call| past.call(call));
        let by_initialiser = initialiser.as_ref().is_none_or(|call| call.method.ends_with(".static"));
        let since = initialiser.map(|call| call.exit);
        let untouched = since.is_none_or(|since| !touched::touched(past, known, since, info.entry));
        let fixed = model.access & classfile::access::FINAL != 0;
        // Even what is as the initialiser left it: another test may have changed it.
        let plain = !matches!(
            known,
            KnownValue::Value(Value::Object(_)) | KnownValue::Seen(Value::Object(_)) | KnownValue::Unknown
        );
        if by_initialiser && untouched && (fixed || !plain) {
            continue;
        }
        let owner = inputs.names.of_class(&class.name)?;
        let value = inputs.expression(known, &model.descriptor, false, Some(&model.name))?;
        inputs.assign(&owner, field, &value)?;
    }
    Ok(())
}

/// What a call changed of what it got.
struct ChangedState {
    /// Arrays, collections and objects.
    objects: Vec<ObjectId>,
    fields: Vec<(ObjectId, base::FieldId)>,
    statics: Vec<base::FieldId>,
}

impl ChangedState {
    fn of(past: &Past, info: &CallInfo) -> ChangedState {
        let spans: Vec<Span> = Span::of_call(past, info.id).into_iter().collect();
        let effect = StateChange::of(past, &spans, QuestionDetail::Short);
        let this = info.receiver.map(|receiver| ("this".to_owned(), receiver));
        let args = info.args.iter().map(|arg| (arg.name.clone(), arg.value));
        let reach = Reach::new(past, this.into_iter().chain(args), info.entry, info.exit);
        let mut outcome = ChangedState { objects: Vec::new(), fields: Vec::new(), statics: Vec::new() };
        for change in effect.list {
            let place = reach.location(&change.location);
            let object = match change.location {
                Location::Static(field) => {
                    let model = past.program().field(field);
                    let fixed = classfile::access::FINAL | classfile::access::SYNTHETIC;
                    if model.is_some_and(|(_, model)| model.access & fixed == 0) {
                        outcome.statics.push(field);
                    }
                    continue;
                }
                // What no argument leads to is out of the test's sight.
                _ if place.root.is_none() => continue,
                Location::Field { object, field } if place.within.is_none() => {
                    outcome.fields.push((object, field));
                    object
                }
                Location::Element { array, .. } if place.within.is_none() => array,
                _ => match place.within {
                    Some(collection) => collection,
                    None => continue,
                },
            };
            if !outcome.objects.contains(&object) {
                outcome.objects.push(object);
            }
        }
        outcome
    }
}

/// The part after the call: comments and assertions.
fn assertions(
    inputs: &mut Inputs<'_>,
    info: &CallInfo,
    method: &Method,
    outcome: &ChangedState,
    wanted: Option<&str>,
    framework: JunitVersion,
) -> Result<Vec<String>, WhyNot> {
    let past = inputs.past;
    let void = info.result_descriptor == "V" && !method.is_constructor();
    let mut lines = Vec::new();
    if let Some(words) = wanted {
        let known = match void || method.is_constructor() {
            false => expected::expected(words, &info.result_descriptor, &mut inputs.names)
                .map(|value| write::equal("result", &value, &info.result_descriptor)),
            true => expected_change(inputs, outcome, words),
        };
        if let Some(assertion) = known {
            return Ok(vec![assertion]);
        }
        lines.push(format!("// Expected, in the words of who judged it: {}", comment(words)));
    }
    if let Ending::Threw(exception) = info.ending {
        let text = exception.map_or("an exception".to_owned(), |value| past.text(value, "", info.exit));
        lines.push(format!(
            "// It threw {}, which was judged wrong: this test fails as long as it does.",
            comment(&text)
        ));
        return Ok(lines);
    }
    let mut checks = Checks { inputs: &mut *inputs, exit: info.exit, list: Vec::new() };
    match info.ending {
        Ending::Returned(Some(value)) => {
            checks.value("result", KnownValue::Value(value), &info.result_descriptor, 0);
            if checks.list.is_empty() {
                return Err(WhyNot("what it gave cannot be compared in a test".to_owned()));
            }
        }
        Ending::Returned(None) if !void && !method.is_constructor() => {
            return Err(WhyNot("what it gave is not known".to_owned()));
        }
        _ => {}
    }
    if let (true, Some(Value::Object(made))) = (method.is_constructor(), info.receiver) {
        checks.object("result", made, 0);
    }
    let simple = write::unequal(&mut checks, info, outcome);
    for &object in &outcome.objects {
        let Some(variable) = checks.inputs.variable(object).cloned() else { continue };
        if object.is_program() {
            let own = outcome.fields.iter().filter(|(owner, _)| *owner == object);
            own.for_each(|&(_, field)| checks.field(&variable, object, field, 1));
        } else {
            checks.object(&variable, object, 1);
        }
    }
    outcome.statics.iter().for_each(|&field| checks.static_field(field));
    if checks.list.is_empty() {
        unchanged(&mut checks, info);
    }
    let conditions = checks.list;
    if conditions.is_empty() {
        return Err(WhyNot("it gives nothing and changes nothing that a test could look at".to_owned()));
    }
    let gave = match info.ending {
        Ending::Returned(Some(value)) => {
            let text = past.known_text(
                KnownValue::Value(value),
                &info.result_descriptor,
                info.exit,
                &past::RenderLimits::default(),
            );
            format!("It gave {}", comment(&text))
        }
        _ => "What is compared here is what came out".to_owned(),
    };
    lines.push(format!("// {gave}, which was judged wrong: this test fails as long as it does."));
    lines.push("// Better: assert what is right instead.".to_owned());
    lines.push(match simple {
        Some(assertion) => assertion,
        None => write::none_holds(&conditions, framework),
    });
    Ok(lines)
}

/// A void call's expected value is that of the one thing that it changed.
fn expected_change(inputs: &mut Inputs<'_>, outcome: &ChangedState, words: &str) -> Option<String> {
    let program = inputs.past.program();
    match (outcome.objects.as_slice(), outcome.fields.as_slice()) {
        ([object], []) => {
            let variable = inputs.variable(*object)?.clone();
            let class = inputs.past.class_of(*object)?.to_owned();
            let descriptor = if class.starts_with('[') { class } else { format!("L{class};") };
            let value = expected::expected(words, &descriptor, &mut inputs.names)?;
            Some(write::equal(&variable, &value, &descriptor))
        }
        ([object], [(_, field)]) => {
            let variable = inputs.variable(*object)?.clone();
            let (class, model) = program.field(*field)?;
            inputs.names.may_use(model.access, &class.name).then_some(())?;
            let value = expected::expected(words, &model.descriptor, &mut inputs.names)?;
            Some(write::equal(&format!("{variable}.{}", model.name), &value, &model.descriptor))
        }
        _ => None,
    }
}

/// A call that changed nothing may be wrong for just that: what it got and read is as it was.
fn unchanged(checks: &mut Checks<'_, '_>, info: &CallInfo) {
    for value in info.receiver.into_iter().chain(info.args.iter().map(|arg| arg.value)) {
        let Value::Object(object) = value else { continue };
        let Some(variable) = checks.inputs.variable(object).cloned() else { continue };
        if object.is_program() {
            let Some(ty) = checks.inputs.past.type_of(object) else { continue };
            for (field, _) in checks.inputs.past.program().instance_fields(ty) {
                checks.field(&variable, object, field, 1);
            }
        } else {
            checks.object(&variable, object, 1);
        }
    }
    let past = checks.inputs.past;
    for read in past.reads(info.id, 100).0 {
        let Location::Static(field) = read.location else { continue };
        let Some((class, model)) = past.program().field(field) else { continue };
        let fixed = classfile::access::FINAL | classfile::access::SYNTHETIC;
        if !is_jdk(&class.name) && model.access & fixed == 0 {
            checks.static_field(field);
        }
    }
}
