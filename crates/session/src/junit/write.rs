//! The text of a test: the call in its middle, assertions, and the class around them.

use past::{CallInfo, Class, Ending, KnownValue, Method, Value};
use render::Heap;

use super::check::Checks;
use super::inputs::Inputs;
use super::literal::comment;
use super::{ChangedState, JunitTest, JunitVersion, WhyNot};

/// The statement that makes the call; what it gives is `result`.
pub(super) fn call(
    inputs: &mut Inputs<'_>,
    class: &Class,
    method: &Method,
    target: Option<&str>,
    args: &[String],
    info: &CallInfo,
) -> Result<String, WhyNot> {
    let list = args.join(", ");
    if let (Some(target), true) = (target, inputs.names.may_use(method.access, &class.name)) {
        let made = format!("{target}.{}({list})", method.name);
        return Ok(match info.result_descriptor.as_str() {
            "V" => format!("{made};"),
            result => format!("{} result = {made};", inputs.names.of(result).unwrap_or("Object".to_owned())),
        });
    }
    let owner = inputs.names.of_class(&class.name)?;
    if method.is_constructor() {
        if inputs.names.is_inner(&class.name) {
            return Err(WhyNot(format!("a {owner} needs the object that it is an inner one of")));
        }
        if !inputs.names.may_use(method.access, &class.name) {
            return Err(WhyNot(format!("the constructor of {owner} is private")));
        }
        return Ok(format!("{owner} result = new {owner}({list});"));
    }
    let void = info.result_descriptor == "V";
    let ty = if void {
        String::new()
    } else {
        inputs.names.of(&info.result_descriptor).unwrap_or("Object".to_owned())
    };
    let made = if inputs.names.may_use(method.access, &class.name) {
        format!("{owner}.{}({list})", method.name)
    } else {
        inputs.helpers.insert("call");
        let mut types = Vec::new();
        for arg in &info.args {
            types.push(format!("{}.class", inputs.names.of(&arg.descriptor)?));
        }
        let list: String = args
            .iter()
            .map(|arg| format!(", {}", if arg == "null" { "(Object) null" } else { arg }))
            .collect();
        let cast = if void { String::new() } else { format!("({ty}) ") };
        inputs.notes.insert(format!("{}.{} is private: it is called by reflection", owner, method.name));
        format!(
            "{cast}call({}, {owner}.class, \"{}\", new Class<?>[] {{{}}}{list})",
            target.unwrap_or("null"),
            method.name,
            types.join(", ")
        )
    };
    Ok(if void { format!("{made};") } else { format!("{ty} result = {made};") })
}

/// An assertion that a value of this descriptor is as expected.
pub(super) fn equal(actual: &str, expected: &str, descriptor: &str) -> String {
    match descriptor.as_bytes().first() {
        _ if expected == "null" => format!("assertNull({actual});"),
        Some(b'[') if matches!(descriptor, "[D" | "[F") => {
            format!(
                "assertArrayEquals({expected}, {actual}, {});",
                if descriptor == "[D" { "0.0" } else { "0.0f" }
            )
        }
        Some(b'[') => format!("assertArrayEquals({expected}, {actual});"),
        Some(b'D') => format!("assertEquals({expected}, {actual}, 0.0);"),
        Some(b'F') => format!("assertEquals({expected}, {actual}, 0.0f);"),
        _ => format!("assertEquals({expected}, {actual});"),
    }
}

/// One plain assertion, where only a simple result came out.
pub(super) fn unequal(
    checks: &mut Checks<'_, '_>,
    info: &CallInfo,
    outcome: &ChangedState,
) -> Option<String> {
    let Ending::Returned(Some(value)) = info.ending else { return None };
    if !outcome.objects.is_empty() || !outcome.statics.is_empty() {
        return None;
    }
    let descriptor = &info.result_descriptor;
    let plain = match value {
        Value::Null => return Some("assertNotNull(result);".to_owned()),
        Value::Float(_) | Value::Double(_) => false,
        Value::Object(object) => {
            !object.is_program()
                && checks.inputs.past.heap_at(info.exit).length(object).is_none()
                && checks.list.first().is_some_and(|only| only.contains("deepEquals"))
        }
        _ => true,
    };
    if !plain {
        return None;
    }
    let literal = checks.inputs.literal(KnownValue::Value(value), descriptor, info.exit).ok()?;
    Some(format!("assertNotEquals({literal}, result);"))
}

/// Not all of it may be as it was recorded.
pub(super) fn none_holds(conditions: &[String], framework: JunitVersion) -> String {
    let all = conditions.join("\n                && ");
    match framework {
        JunitVersion::Four => format!("assertFalse(\"as it was recorded\", {all});"),
        JunitVersion::Five => format!("assertFalse({all}, \"as it was recorded\");"),
    }
}

pub(super) fn test(
    inputs: Inputs<'_>,
    class: &Class,
    method: &Method,
    info: &CallInfo,
    call: &str,
    checked: &[String],
    framework: JunitVersion,
) -> JunitTest {
    let package = inputs.names.package.replace('/', ".");
    let name = class_name(&inputs, class, method);
    let mut source = String::new();
    let mut line = |depth: usize, text: &str| {
        source.push_str(&"    ".repeat(if text.is_empty() { 0 } else { depth }));
        source.push_str(text);
        source.push('\n');
    };
    if !package.is_empty() {
        line(0, &format!("package {package};"));
        line(0, "");
    }
    let (assertions, annotation) = match framework {
        JunitVersion::Four => ("org.junit.Assert", "org.junit.Test"),
        JunitVersion::Five => ("org.junit.jupiter.api.Assertions", "org.junit.jupiter.api.Test"),
    };
    line(0, &format!("import static {assertions}.*;"));
    line(0, "");
    for import in &inputs.names.imports {
        line(0, &format!("import {import};"));
    }
    line(0, &format!("import {annotation};"));
    line(0, "");
    line(0, &format!("/** Repeats {}, as inquest recorded it. */", comment(&info.name)));
    line(0, "@SuppressWarnings({\"unchecked\", \"rawtypes\"})");
    let public = if framework == JunitVersion::Four { "public " } else { "" };
    line(0, &format!("{public}class {name} {{"));
    line(1, "@Test");
    let tested = if method.is_constructor() { "makes" } else { method.name.as_str() };
    line(1, &format!("{public}void {tested}() throws Throwable {{"));
    for statement in &inputs.statements {
        line(2, statement);
    }
    if !inputs.statements.is_empty() {
        line(0, "");
    }
    if inputs.helpers.contains("call") {
        line(2, "// The method is private: reflection may call it.");
    }
    line(2, call);
    line(0, "");
    for text in checked {
        line(2, text);
    }
    line(1, "}");
    for helper in &inputs.helpers {
        line(0, "");
        for text in helper_lines(helper) {
            line(1, text);
        }
    }
    line(0, "}");
    let class_name = if package.is_empty() { name } else { format!("{package}.{name}") };
    JunitTest { class_name, source, notes: inputs.notes.into_iter().collect() }
}

fn class_name(inputs: &Inputs<'_>, class: &Class, method: &Method) -> String {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let simple = letters(class.name.rsplit('/').next().unwrap_or(""));
    let tested = if method.is_constructor() { "New".to_owned() } else { letters(&method.name) };
    let mut tested = tested.chars();
    let tested: String = tested.next().into_iter().flat_map(char::to_uppercase).chain(tested).collect();
    let base = format!("{simple}{tested}Test");
    let package =
        if inputs.names.package.is_empty() { String::new() } else { format!("{}/", inputs.names.package) };
    let mut name = base.clone();
    let mut number = 2;
    while inputs.names.class(&format!("{package}{name}")).is_some() {
        name = format!("{base}{number}");
        number += 1;
    }
    name
}

fn helper_lines(helper: &str) -> &'static [&'static str] {
    match helper {
        "set" => &[
            "private static void set(Object object, Class<?> owner, String name, Object value) throws Exception {",
            "    java.lang.reflect.Field field = owner.getDeclaredField(name);",
            "    field.setAccessible(true);",
            "    field.set(object, value);",
            "}",
        ],
        "get" => &[
            "private static Object get(Object object, Class<?> owner, String name) throws Exception {",
            "    java.lang.reflect.Field field = owner.getDeclaredField(name);",
            "    field.setAccessible(true);",
            "    return field.get(object);",
            "}",
        ],
        "make" => &[
            "private static Object make(Class<?> owner, Class<?>[] types, Object... arguments) throws Exception {",
            "    java.lang.reflect.Constructor<?> constructor = owner.getDeclaredConstructor(types);",
            "    constructor.setAccessible(true);",
            "    return constructor.newInstance(arguments);",
            "}",
        ],
        _ => &[
            "private static Object call(Object target, Class<?> owner, String name, Class<?>[] types, Object... arguments)",
            "        throws Throwable {",
            "    java.lang.reflect.Method method = owner.getDeclaredMethod(name, types);",
            "    method.setAccessible(true);",
            "    try {",
            "        return method.invoke(target, arguments);",
            "    } catch (java.lang.reflect.InvocationTargetException thrown) {",
            "        throw thrown.getCause();",
            "    }",
            "}",
        ],
    }
}
