//! What an instruction or a library could not do: dereference null, reach an element, divide. Which of its operands that
//! is due to is told by the instruction and the exception's class, and what the code calls it by the bytecode.

use std::fmt;

use analysis::expression::Expressions;
use base::{Site, Value};
use classfile::opcode as op;
use jdk::failures::Failure;
use past::{KnownValue, Location, Past, Thrown};

use super::SymptomKind;
use super::failure::Call;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Null,
    Index,
    /// A divisor that is 0.
    Zero,
    /// A length below 0.
    Negative,
    /// It is of another class than it was taken for.
    Cast,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// What the code calls the value: `order.customer`; none where it has no one name.
    pub expression: Option<String>,
    /// The value, where it says something.
    pub value: Option<String>,
    /// What has no such element, and how many it has.
    pub holder: Option<String>,
    pub length: Option<i64>,
    /// What has no such element is a text: what it has are characters.
    pub of_text: bool,
}

impl FaultKind {
    pub fn symptom(self) -> SymptomKind {
        match self {
            FaultKind::Null => SymptomKind::Null,
            FaultKind::Index => SymptomKind::Index,
            FaultKind::Zero | FaultKind::Negative | FaultKind::Cast => SymptomKind::Exception,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.expression.as_deref();
        match self.kind {
            FaultKind::Null => write!(out, "{} is null", name.unwrap_or("a value without a name")),
            FaultKind::Zero => write!(out, "the divisor {} is 0", name.unwrap_or("")),
            FaultKind::Cast => match &self.value {
                Some(class) => write!(out, "{} is {class}", name.unwrap_or("a value")),
                None => write!(out, "{} is of another class", name.unwrap_or("a value")),
            },
            FaultKind::Index | FaultKind::Negative => {
                match (name, &self.value) {
                    (Some(name), Some(value)) if name != value => write!(out, "{name} is {value}")?,
                    (Some(name), _) => write!(out, "{name}")?,
                    (None, Some(value)) => write!(out, "{value}")?,
                    (None, None) => write!(out, "a number")?,
                }
                if self.kind == FaultKind::Negative {
                    return write!(out, ", no length");
                }
                write!(out, ", out of range")?;
                if let Some(holder) = &self.holder {
                    write!(out, " of {holder}")?;
                }
                let what = if self.of_text { "character" } else { "element" };
                match self.length {
                    Some(1) => write!(out, " with 1 {what}"),
                    Some(length) => write!(out, " with {length} {what}s"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// What an instruction of the program could not do, and which of its operands is to blame.
pub fn of_program(
    past: &Past,
    thrown: &Thrown,
    site: Site,
    expressions: &Expressions<'_>,
    classes: &[String],
    message: Option<&str>,
) -> Option<(Fault, usize)> {
    let failure = jdk::failures::failure(classes)?;
    let code = expressions.op(site.bci)?;
    let (kind, operand) = match (failure, code) {
        (
            Failure::Null,
            op::GETFIELD
            | op::PUTFIELD
            | op::ARRAYLENGTH
            | op::MONITORENTER
            | op::INVOKEVIRTUAL
            | op::INVOKESPECIAL
            | op::INVOKEINTERFACE,
        ) => (FaultKind::Null, 0),
        (Failure::Null, code) if op::is_array_load(code) || op::is_array_store(code) => (FaultKind::Null, 0),
        (Failure::Index, code) if op::is_array_load(code) || op::is_array_store(code) => {
            (FaultKind::Index, 1)
        }
        (Failure::Arithmetic, op::IDIV | op::LDIV | op::IREM | op::LREM) => (FaultKind::Zero, 1),
        (Failure::NegativeSize, op::NEWARRAY | op::ANEWARRAY) => (FaultKind::Negative, 0),
        (Failure::Cast, op::CHECKCAST) => (FaultKind::Cast, 0),
        _ => return None,
    };
    let told = jdk::failures::index_and_length(message.unwrap_or(""));
    let held = || {
        let name = expressions.variable(site.bci, operand)?.to_owned();
        match past.value_at(&Location::Local { call: thrown.call, name }, thrown.time) {
            KnownValue::Value(Value::Int(value)) => Some(value.to_string()),
            _ => None,
        }
    };
    let value = match kind {
        FaultKind::Null | FaultKind::Zero => None,
        FaultKind::Cast => message
            .and_then(jdk::failures::class_of_cast)
            .map(|class| base::simple_name(&class.replace('.', "/"))),
        FaultKind::Index => told.0.map(|index| index.to_string()).or_else(held),
        FaultKind::Negative => message.map(str::to_owned).or_else(held),
    };
    let fault = Fault {
        kind,
        expression: expressions.operand(site.bci, operand),
        value,
        holder: (kind == FaultKind::Index).then(|| expressions.operand(site.bci, 0)).flatten(),
        length: told.1.filter(|_| kind == FaultKind::Index),
        // What an instruction takes by its index is an array's.
        of_text: false,
    };
    Some((fault, operand))
}

/// What a library could not do with what it was given, and which operand of the call is to blame.
pub fn of_library(
    past: &Past,
    call: &Call<'_>,
    classes: &[String],
    message: Option<&str>,
) -> Option<(Fault, usize)> {
    let info = call.info;
    let receiver = usize::from(info.receiver.is_some());
    match jdk::failures::failure(classes)? {
        Failure::Null => {
            let operand = receiver + info.args.iter().position(|arg| arg.value.is_null())?;
            let expression = call.expression(operand);
            let fault = Fault {
                kind: FaultKind::Null,
                expression,
                value: None,
                holder: None,
                length: None,
                of_text: false,
            };
            Some((fault, operand))
        }
        Failure::Index => {
            let (index, length) = jdk::failures::index_and_length(message.unwrap_or(""));
            let of_text = jdk::failures::is_of_text(classes) || is_text(past, call);
            let length = length.or_else(|| if of_text { chars(past, call) } else { None });
            let number = |value| match value {
                Value::Int(value) => Some(i64::from(value)),
                _ => None,
            };
            let numbers: Vec<(usize, i64)> =
                info.args.iter().enumerate().filter_map(|(at, arg)| Some((at, number(arg.value)?))).collect();
            let beyond = |value: i64| value < 0 || length.is_some_and(|length| value >= length);
            let found = numbers.iter().find(|(_, value)| Some(*value) == index && beyond(*value));
            let found = found.or_else(|| numbers.iter().find(|(_, value)| beyond(*value)));
            let &(at, value) = found.or(numbers.first().filter(|_| numbers.len() == 1))?;
            let fault = Fault {
                kind: FaultKind::Index,
                expression: call.expression(receiver + at),
                value: Some(value.to_string()),
                holder: if receiver == 1 { call.expression(0) } else { None },
                length: length.or_else(|| past.array_length(object(info.receiver?)?).map(i64::from)),
                of_text,
            };
            Some((fault, receiver + at))
        }
        Failure::Arithmetic | Failure::NegativeSize | Failure::Cast => None,
    }
}

/// Is it asked of a text for one of its characters?
fn is_text(past: &Past, call: &Call<'_>) -> bool {
    let owner = past.call_row(call.info.id).map(|row| past.target(row.target).0);
    owner.is_some_and(|owner| jdk::failures::TEXTS.contains(&owner.as_str()))
}

/// How many characters the text has that a call was made on; the message does not always say it.
fn chars(past: &Past, call: &Call<'_>) -> Option<i64> {
    let text = past.text_of(KnownValue::Value(call.info.receiver?), call.info.entry)?;
    (!text.cut).then_some(i64::from(text.chars))
}

fn object(value: Value) -> Option<base::ObjectId> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
