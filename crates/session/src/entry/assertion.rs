//! What an assertion compared, from the recorded call of it: exceptions that make their message when they are asked for
//! it (JUnit's `ComparisonFailure`) have none in the recording.

use base::{CallId, Ending, ObjectId, Target, Value};
use classfile::MethodDescriptor;
use past::{CallInfo, Past};

/// Calls between a test and the assertion that failed in it, at most.
const MAX_DEPTH: usize = 1_000;

/// `expected 240 but was 40`; none if the exception did not come from an assertion whose arguments are known.
pub fn compared(past: &Past, test: CallId, exception: ObjectId) -> Option<String> {
    let mut at = test;
    for _ in 0..MAX_DEPTH {
        at = last_child(past, at)?;
        let row = past.call_row(at)?;
        if row.ending != Ending::Threw(Some(Value::Object(exception))) {
            return None;
        }
        let (owner, name, descriptor) = past.target(row.target);
        // Who inherits an assertion calls it by its own name.
        let asserts = name.starts_with("assert") || jdk::testing::compares(&owner, &name);
        if matches!(row.target, Target::Library(_)) && asserts {
            return told(past, &past.call(at)?, &owner, &name, &descriptor);
        }
    }
    None
}

/// The call that another one made last.
fn last_child(past: &Past, call: CallId) -> Option<CallId> {
    let size = past.call_row(call)?.size;
    let mut at = CallId { index: call.index + size.checked_sub(1).filter(|&below| below > 0)?, ..call };
    loop {
        let parent = past.parent(at)?;
        if parent == call {
            return Some(at);
        }
        at = parent;
    }
}

fn told(past: &Past, info: &CallInfo, owner: &str, name: &str, descriptor: &str) -> Option<String> {
    let parsed = MethodDescriptor::parse(descriptor.as_bytes()).ok()?;
    let types: Vec<&[u8]> = parsed.parameters.to_vec();
    let is_text = |at: usize| types.get(at) == Some(&&b"Ljava/lang/String;"[..]);
    // JUnit 3 and 4 have the message first, JUnit 5 last.
    let first = usize::from(!owner.starts_with(jdk::testing::JUPITER) && is_text(0) && types.len() > 2);
    let text = |at: usize| {
        let arg = info.args.get(at)?;
        let descriptor = String::from_utf8_lossy(types.get(at)?).into_owned();
        Some(past.text(arg.value, &descriptor, info.exit))
    };
    Some(match name {
        "assertEquals" | "assertArrayEquals" | "assertSame" | "assertIterableEquals" | "assertLinesMatch" => {
            format!("expected {} but was {}", text(first)?, text(first + 1)?)
        }
        "assertThat" if types.len() > 1 => format!("was {}", text(types.len() - 2)?),
        _ => return None,
    })
}
