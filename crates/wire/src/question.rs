//! A question: what was called with what, what came out, and what is different afterwards.

use serde::{Deserialize, Serialize};

use crate::call::{LocationValue, OtherWrite};
use crate::subject::Subject;

/// What a person is asked to judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Question {
    pub subject: Subject,
    #[cfg_attr(test, ts(type = "KindName"))]
    pub kind: String,
    /// `MergeSort.merge#3`; the first one for several calls, the one around for what lies in a call.
    pub call: String,
    pub number: Option<u64>,
    /// `MergeSort.merge`
    pub method: String,
    /// It is a call of a constructor: what it gives is the new object, `this`.
    pub constructs: bool,
    /// The question on one line.
    pub text: String,
    /// The question as a person is shown it: what is asked about, the few facts that it takes to judge it, the biggest
    /// news first, and how much is folded away.
    pub head: String,
    pub facts: Vec<Fact>,
    pub folded: Option<String>,
    /// The calls that it stands for, where these are several.
    pub members: Vec<String>,
    /// The object that it was called on, as far as that was read or changed.
    pub receiver: Option<QuestionPart>,
    /// Arguments; the variables for what lies in a call.
    pub args: Vec<QuestionPart>,
    /// `void` for a call that gives nothing; null for what has no result.
    pub result: Option<String>,
    /// The result is an object, to which something can have failed to happen.
    pub result_is_object: bool,
    pub thrown: Option<String>,
    pub finished: bool,
    pub changes: Vec<ChangedLocation>,
    /// What was read and is seen nowhere else here.
    pub reads: Vec<LocationValue>,
    pub iterations: Option<u64>,
    pub note: Option<String>,
    /// Something was left out.
    pub more: bool,
    /// About how many seconds it takes to answer: grows slowly with what there is to read.
    pub cost: f64,
}

/// One line of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fact {
    pub kind: FactKind,
    /// `gave`, `this.total`, `with`; empty where the text says it all.
    pub label: String,
    pub text: String,
    /// As `inquest history` takes it, for a location.
    pub name: Option<String>,
    /// The number of a row's call; null where it stands for several.
    pub number: Option<u64>,
}

/// What a line of a question tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum FactKind {
    Gave,
    Threw,
    Changed,
    /// It was printed, appended, written.
    Wrote,
    /// It was written and is what it was.
    Still,
    /// One of several calls: the label is its number.
    Row,
    /// What it was given and went by.
    Given,
    Note,
}

/// An argument, a variable or the receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuestionPart {
    pub name: String,
    pub before: String,
    /// What it is afterwards, if what it holds or refers to changed.
    pub after: Option<String>,
    pub changed: bool,
    /// It holds another value itself; otherwise only what it leads to changed.
    pub itself: bool,
    /// It holds an object, to which something can have failed to happen.
    pub is_object: bool,
    /// What it leads to and is different afterwards, where that is not among the question's changes.
    pub parts: Vec<ChangedLocation>,
}

/// A location that holds another value afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangedLocation {
    /// As a person says it: `a[2]`, `t.x`; by the object's name where no argument leads there.
    pub location: String,
    /// As `inquest history` takes it.
    pub name: String,
    pub before: String,
    pub after: String,
    /// The location still holds the same: what is in there changed.
    pub within: bool,
    /// Which elements of it these are, for an array.
    pub parts: Vec<ChangedLocation>,
    /// What another thread wrote there meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub meanwhile: Option<OtherWrite>,
}

/// What is asked now, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskedQuestion {
    #[serde(flatten)]
    pub question: Question,
    pub why: AskReason,
    pub suspects: u32,
    /// Questions after which the search ends, about, this one included.
    pub expected: f64,
    /// As few questions and as many as are to be expected, this one included.
    pub at_least: u32,
    pub at_most: u32,
    /// `3 to 7 questions left`
    pub left: String,
    /// What is likeliest to be wrong, the likeliest first; empty if the strategy does not ask by that.
    pub places: Vec<LikelyPlace>,
}

/// Code that may be what is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LikelyPlace {
    /// `MergeSort.merge`
    pub method: String,
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
    /// The number of a call of it.
    pub number: Option<u64>,
    /// How likely it is, from 0 to 1, and in words.
    pub probability: f64,
    pub percent: String,
    /// What that will be after either answer to what is asked.
    pub if_wrong: Option<f64>,
    pub if_right: Option<f64>,
}

/// Why it is asked. The numbers are those of suspects that either answer leaves, where that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskReason {
    pub kind: AskKind,
    pub words: String,
    pub if_wrong: Option<u32>,
    pub if_right: Option<u32>,
}

/// What led to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AskKind {
    /// The strategy.
    Chosen,
    /// The value that was called wrong was written there.
    Followed,
    /// What should never have been given like this came from there, or was called from there.
    Given,
    /// Nothing else is left, but nobody has called it wrong and nothing failed by itself.
    Unproven,
    /// Nothing else is left, but only a program that is not sure has called it wrong.
    Unsure,
    /// The search begins there, and a person wants to be asked about it.
    Root,
    /// These calls are all that is left.
    Left,
    /// What was missing was prevented there.
    Prevented,
    /// Nothing else is left to ask.
    Again,
}

/// `GET question`: anything as a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskableQuestion {
    #[serde(flatten)]
    pub question: Question,
    /// Code of a library, which is not asked about by itself.
    pub trusted: bool,
}

/// Parameters of `GET question`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct QuestionQuery {
    /// A subject as JSON.
    pub subject: Option<String>,
    /// A call, instead.
    pub number: Option<u64>,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub more: bool,
}

impl From<session::Question> for Question {
    fn from(question: session::Question) -> Question {
        let number = question.subject.call().map(past::CallId::number);
        let shown = words::shown(&question);
        Question {
            text: words::question_line(&question),
            head: shown.head,
            facts: shown.facts.into_iter().map(Into::into).collect(),
            folded: shown.folded,
            subject: question.subject.into(),
            kind: question.kind.name().to_owned(),
            call: question.call,
            number,
            method: question.method,
            constructs: question.constructs,
            members: question.members.iter().map(words::called).collect(),
            receiver: question.receiver.map(Into::into),
            args: question.args.into_iter().map(Into::into).collect(),
            result: question.result,
            result_is_object: question.result_is_object,
            thrown: question.thrown.as_ref().map(|thrown| words::thrown(thrown).to_owned()),
            finished: question.finished,
            changes: question.changes.into_iter().map(Into::into).collect(),
            reads: question
                .reads
                .into_iter()
                .map(|(location, value)| LocationValue { location, value: words::held(&value).to_owned() })
                .collect(),
            iterations: question.iterations,
            note: question.note.as_ref().map(words::question_note),
            more: question.more,
            cost: question.cost,
        }
    }
}

impl From<words::Fact> for Fact {
    fn from(fact: words::Fact) -> Fact {
        let kind = match fact.kind {
            words::FactKind::Gave => FactKind::Gave,
            words::FactKind::Threw => FactKind::Threw,
            words::FactKind::Changed => FactKind::Changed,
            words::FactKind::Wrote => FactKind::Wrote,
            words::FactKind::Still => FactKind::Still,
            words::FactKind::Row => FactKind::Row,
            words::FactKind::Given => FactKind::Given,
            words::FactKind::Note => FactKind::Note,
        };
        Fact { kind, label: fact.label, text: fact.text, name: fact.name, number: fact.call }
    }
}

impl From<session::QuestionPart> for QuestionPart {
    fn from(part: session::QuestionPart) -> QuestionPart {
        QuestionPart {
            name: part.name,
            before: words::held(&part.before).to_owned(),
            after: part.after.as_ref().map(|after| words::held(after).to_owned()),
            changed: part.changed,
            itself: part.itself,
            is_object: part.is_object,
            parts: part.parts.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<session::ChangedLocation> for ChangedLocation {
    fn from(shown: session::ChangedLocation) -> ChangedLocation {
        ChangedLocation {
            location: shown.location,
            name: shown.name,
            before: shown.before,
            after: words::outcome(&shown.after).into_owned(),
            within: shown.within,
            parts: shown.parts.into_iter().map(Into::into).collect(),
            meanwhile: shown.meanwhile.map(Into::into),
        }
    }
}

impl From<session::AskedQuestion> for AskedQuestion {
    fn from(asked: session::AskedQuestion) -> AskedQuestion {
        AskedQuestion {
            why: AskReason { words: words::why(&asked), ..asked.why.into() },
            suspects: asked.suspects,
            expected: asked.expected,
            at_least: asked.range.0,
            at_most: asked.range.1,
            left: words::questions_left(asked.range),
            places: asked.places.into_iter().map(Into::into).collect(),
            question: asked.question.into(),
        }
    }
}

impl From<session::LikelyPlace> for LikelyPlace {
    fn from(place: session::LikelyPlace) -> LikelyPlace {
        LikelyPlace {
            method: place.method,
            file: place.file,
            line: place.line,
            number: place.call.map(past::CallId::number),
            probability: place.chance,
            percent: words::percent(place.chance),
            if_wrong: place.if_wrong,
            if_right: place.if_right,
        }
    }
}

impl From<session::AskReason> for AskReason {
    fn from(reason: session::AskReason) -> AskReason {
        let (kind, chosen) = match &reason {
            session::AskReason::Chosen(why) => (AskKind::Chosen, Some(why)),
            session::AskReason::Followed => (AskKind::Followed, None),
            session::AskReason::Given => (AskKind::Given, None),
            session::AskReason::Unproven => (AskKind::Unproven, None),
            session::AskReason::Unsure => (AskKind::Unsure, None),
            session::AskReason::Root => (AskKind::Root, None),
            session::AskReason::Left => (AskKind::Left, None),
            session::AskReason::Prevented => (AskKind::Prevented, None),
            session::AskReason::Again => (AskKind::Again, None),
        };
        AskReason {
            kind,
            words: words::reason(&reason),
            if_wrong: chosen.map(|why| why.suspects_inside),
            if_right: chosen.map(|why| why.suspects_outside),
        }
    }
}
