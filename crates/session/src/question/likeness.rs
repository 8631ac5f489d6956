//! Which questions look the same: whoever answered one would say the same of the other. Only where all is shown that there is
//! to judge.

use super::cost::unknown;
use super::{NodeKind, Question};

/// What a question looks like, but for which call it is about; none if not all of it is shown, or nothing came out.
pub fn likeness(question: &Question) -> Option<String> {
    let shown =
        question.kind == NodeKind::Call && question.finished && !question.more && unknown(question) == 0;
    let nothing = question.changes.is_empty()
        && question.thrown.is_none()
        && question.result.as_deref().is_none_or(|result| result == "void");
    let Question { method, receiver, args, result, thrown, changes, reads, note, .. } = question;
    (shown && !nothing && note.is_none())
        .then(|| format!("{method} {receiver:?} {args:?} {result:?} {thrown:?} {changes:?} {reads:?}"))
}
