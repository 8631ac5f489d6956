//! Where in the tree a question is: the way from the symptom down to it, on one line.

use past::{CallId, Past};

/// Calls that are named, at most; those in the middle go first.
const MAX_SHOWN: usize = 6;

/// Without a root, from the outermost call on.
pub fn path(past: &Past, root: Option<CallId>, call: CallId) -> String {
    let mut names = Vec::new();
    let mut at = Some(call);
    let mut skipped = 0u32;
    while let Some(id) = at {
        if names.len() < MAX_SHOWN || Some(id) == root {
            names.push(past.call_name(id));
        } else {
            skipped += 1;
        }
        if Some(id) == root {
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
