//! Where in the tree a question is: the way from the symptom down to it, on one line.

use past::{CallId, Past};

/// Chars of the line, about: the call that is asked about, the one around it and the root are on it in any case.
const WIDTH: usize = 110;

/// Without a root, from the outermost call on.
pub fn path(past: &Past, root: Option<CallId>, call: CallId) -> String {
    let mut names = Vec::new();
    let mut at = Some(call);
    let (mut skipped, mut width) = (0u32, 0);
    while let Some(id) = at {
        let is_root = Some(id) == root;
        // Once one has no room, those around it are left out, too.
        if names.len() < 2 || is_root || skipped == 0 && width < WIDTH {
            let name = without_signature(&past.call_name(id));
            width += name.chars().count() + 3;
            names.push(name);
        } else {
            skipped += 1;
        }
        if is_root {
            break;
        }
        at = past.parent(id);
    }
    if skipped > 0 && names.len() > 1 {
        let last = names.len() - 1;
        names.insert(last, format!("… {skipped} more …"));
    }
    names.reverse();
    names.join(" › ")
}

/// `Type.getType(String)#74` as `Type.getType#74`: which of several it is, the question says.
fn without_signature(name: &str) -> String {
    match (name.find('('), name.rfind(')')) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &name[..from], &name[to + 1..]),
        _ => name.to_owned(),
    }
}
