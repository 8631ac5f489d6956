//! How likely a method is wrong before anything else is known: by how much there is in it to get wrong. What nobody writes
//! mistakes into, or what is there to say what is right, counts little; nothing counts for nothing.

use std::collections::HashMap;

use base::{CallId, MethodId};
use past::Past;
use tree::CodeGroup;

use crate::entry::testing;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// What there is in the method to get wrong.
    pub substance: f64,
    /// What speaks for or against its kind.
    pub factor: f64,
}

/// A constructor of an exception: what is wrong is where it is thrown.
const EXCEPTION: f64 = 0.02;
/// The class initialiser of an enum, or of what a compiler makes for `switch`.
const CONSTANTS: f64 = 0.02;
/// Any other: its values are seldom what is wrong.
const INITIALISER: f64 = 0.3;
/// Where a program begins: it puts together what others do.
const MAIN: f64 = 0.3;
/// A test that failed says what is right.
const TEST: f64 = 0.1;

pub fn priors(
    past: &Past,
    root: Option<CallId>,
    methods: &[(CodeGroup, MethodId)],
) -> HashMap<CodeGroup, Prior> {
    let program = past.program();
    let ids: Vec<MethodId> = methods.iter().map(|&(_, method)| method).collect();
    let substance = analysis::substance::of_methods(program, &ids);
    let root = root.and_then(|root| past.method_of(root));
    let tests = root.filter(|&root| testing(program, root).is_some());
    let tests = tests.and_then(|root| program.method(root)).map(|(class, _)| class);
    // Where tests are kept by themselves, what lies beside them is for tests only.
    let classes = || methods.iter().filter_map(|&(_, method)| Some(program.method(method)?.0));
    let apart =
        tests.filter(|test| classes().any(|class| !class.source.is_empty() && class.source != test.source));
    let prior = |&(group, id): &(CodeGroup, MethodId)| {
        let substance = substance.get(&id).copied().unwrap_or(1.0);
        let factor = program.method(id).map_or(1.0, |(class, method)| {
            let of_test = tests.is_some_and(|test| nested(&test.name, &class.name))
                || apart.is_some_and(|test| test.source == class.source);
            let own = if of_test { TEST } else { 1.0 };
            own * match &*method.name {
                "<init>" if is_exception(past, class) => EXCEPTION,
                "<clinit>" if is_constants(past, class) => CONSTANTS,
                "<clinit>" => INITIALISER,
                "main" if Some(id) == root => MAIN,
                _ => 1.0,
            }
        });
        (group, Prior { substance, factor })
    };
    methods.iter().map(prior).collect()
}

/// Is a class the other one, or declared in it?
fn nested(outer: &str, class: &str) -> bool {
    class.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// By the name of the first class above that is not the program's.
fn is_exception(past: &Past, class: &past::Class) -> bool {
    let program = past.program();
    let (mut at, mut name) = (Some(class), String::new());
    for _ in 0..MAX_SUPERS {
        let Some(above) = at.and_then(|class| program.model(class)?.super_name.clone()) else { break };
        at = at.and_then(|class| program.class_named(&above, class.loader));
        name = above;
    }
    ["Exception", "Error", "Throwable"].iter().any(|end| name.ends_with(end))
}

/// Superclasses that are looked at.
const MAX_SUPERS: usize = 20;

fn is_constants(past: &Past, class: &past::Class) -> bool {
    let Some(model) = past.program().model(class) else { return false };
    let switches = model.fields.iter().any(|field| field.name.starts_with("$SwitchMap$"));
    switches || model.fields.iter().any(|field| field.name == "$VALUES")
}
