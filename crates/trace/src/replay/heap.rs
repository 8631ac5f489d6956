//! Instructions on objects and arrays. Writes are recomputed; before each it is decided whether the exception
//! that is ahead in the log came from it, by the values if they tell, otherwise by the exception's type.

use classfile::opcode as op;
use jdk::machine::{CASTING, CREATING, LINKING, RELEASING, STORING};

use super::slot::{Slot, as_object};
use super::source::{RAISED, Raised};
use super::{Interrupt, ReadKind, Replay, ReplayResult, Visitor};
use crate::code::{Code, Insn};
use crate::event::{EventKind, GapReason};
use crate::ids::MethodId;
use crate::record::tag;
use crate::value::Value;

const MALFORMED: Interrupt = Interrupt::Gap(GapReason::BadReference);

impl<'p, V: Visitor> Replay<'p, V> {
    pub(super) fn field(&mut self, code: &'p Code, insn: Insn) -> ReplayResult {
        let field = code.fields.get(insn.b as usize).ok_or(MALFORMED)?;
        let instance = matches!(insn.op, op::GETFIELD | op::PUTFIELD);
        if matches!(insn.op, op::GETFIELD | op::GETSTATIC) {
            let value = self.read(field.kind)?;
            if V::READS {
                let kind = if instance {
                    let object = self.boxes.unpack_reference(self.operand(0)?);
                    ReadKind::Field { object, field, value }
                } else {
                    ReadKind::Static { field, value }
                };
                self.tell_read(kind);
            }
            if instance {
                self.drop_slots(1)?;
            }
            self.push_of(insn, value)?;
            if field.volatile {
                self.ordering_point_if_ahead();
            }
            return Ok(());
        }
        if field.volatile {
            self.ordering_point_if_ahead();
        }
        let width = if insn.wide { 2 } else { 1 };
        if !instance {
            self.initialise(&field.owner)?;
        }
        if (instance && self.operand(width)? == 0) || self.fails_by(LINKING)? {
            return self.must_throw();
        }
        let value = self.boxes.unpack(self.operand(width - 1)?, field.kind).narrowed(field.kind);
        if instance {
            let object = self.boxes.unpack_reference(self.operand(width)?);
            self.drop_slots(width + 1)?;
            self.emit(EventKind::FieldWrite { object, field, value });
        } else {
            self.drop_slots(width)?;
            self.emit(EventKind::StaticWrite { field, value });
        }
        Ok(())
    }

    pub(super) fn array_store(&mut self, insn: Insn) -> ReplayResult {
        let width = if insn.wide { 2 } else { 1 };
        let (index, array) = (self.operand(width)? as i32, self.operand(width + 1)?);
        if array == 0 || self.store_fails(insn, array, index)? {
            return self.must_throw();
        }
        let value = self.boxes.unpack(self.operand(width - 1)?, insn.a as u8).narrowed(insn.b as u8);
        self.drop_slots(width + 2)?;
        let array = self.boxes.unpack_reference(array);
        self.emit(EventKind::ArrayWrite { array, index, value });
        Ok(())
    }

    fn store_fails(&mut self, insn: Insn, array: Slot, index: i32) -> ReplayResult<bool> {
        let length = as_object(array).and_then(|id| self.objects.length(id));
        if length.is_none_or(|length| index as u32 >= length) && self.upcoming().is_some() {
            match length {
                Some(_) => return Ok(true),
                None if self.source.grows() => return Err(Interrupt::Wait),
                None => {}
            }
        }
        if insn.op != op::AASTORE || !self.fails_by(STORING)? {
            return Ok(false);
        }
        // The log may say of a later store that it fails.
        let value = self.operand(0)?;
        match self.element_class(array) {
            Some(class) => Ok(!self.is_certainly(value, class)?),
            None => Ok(true),
        }
    }

    /// What an array of references must hold.
    fn element_class(&self, array: Slot) -> Option<&'p str> {
        let ty = self.objects.type_of(as_object(array)?)?;
        let element = self.program.type_info(ty)?.name.strip_prefix('[')?;
        Some(element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(element))
    }

    /// Is a reference of this class, beyond doubt? Of interfaces, and of classes of which there are several with the name,
    /// nobody knows here.
    fn is_certainly(&mut self, reference: Slot, class: &str) -> ReplayResult<bool> {
        Ok(match self.boxes.unpack_reference(reference) {
            _ if class == "java/lang/Object" => true,
            Value::Null => true,
            Value::Str(_) | Value::Literal { .. } => class == "java/lang/String",
            Value::Box { kind, .. } | Value::Box64 { kind, .. } => jdk::boxes::class_of(kind) == Some(class),
            Value::Object(id) => match self.objects.type_of(id) {
                Some(ty) => self.program.is_sole(class) && self.program.is_subtype(ty, class),
                None if self.source.grows() => return Err(Interrupt::Wait),
                None => false,
            },
            _ => false,
        })
    }

    pub(super) fn object(&mut self, code: &'p Code, insn: Insn) -> ReplayResult {
        let name = |insn: Insn| code.names.get(insn.b as usize).map(String::as_str).ok_or(MALFORMED);
        match insn.op {
            op::NEW => {
                let class = name(insn)?;
                self.initialise(class)?;
                if self.fails_by(CREATING)? {
                    return self.must_throw();
                }
                let object = Value::Pending(self.new_pending());
                self.push_value(object)?;
                self.emit(EventKind::New { class, object });
            }
            op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => {
                let array = self.read(b'L')?;
                let sizes = if insn.op == op::MULTIANEWARRAY { insn.a } else { 1 };
                self.drop_slots(usize::from(sizes))?;
                self.push_value(array)?;
                self.emit(EventKind::NewArray { class: name(insn)?, array });
                if insn.op == op::MULTIANEWARRAY {
                    self.contents_if_ahead()?;
                }
            }
            op::ARRAYLENGTH => {
                // The inner loop knows the length of every array that was defined.
                if self.operand(0)? == 0 {
                    return self.must_throw();
                }
                return Err(match self.source.grows() {
                    true => Interrupt::Wait,
                    false => Interrupt::Gap(GapReason::UnknownLength),
                });
            }
            op::CHECKCAST => {
                let object = self.operand(0)?;
                // The log may say of a later cast that it fails.
                if object != 0
                    && self.fails_by(CASTING)?
                    && (self.fails_by(LINKING)? || !self.is_certainly(object, name(insn)?)?)
                {
                    return self.must_throw();
                }
            }
            op::INSTANCEOF => {
                let outcome = self.read(b'I')?;
                self.drop_slots(1)?;
                self.push_value(outcome)?;
            }
            _ => return Err(Interrupt::Gap(GapReason::NoInstruction)),
        }
        Ok(())
    }

    pub(super) fn monitor(&mut self, insn: Insn) -> ReplayResult {
        let object = self.operand(0)?;
        if object == 0 {
            return self.must_throw();
        }
        let object = self.boxes.unpack_reference(object);
        if insn.op == op::MONITOREXIT {
            self.ordering_point_if_ahead();
            if self.fails_by(RELEASING)? {
                return self.must_throw();
            }
            self.emit(EventKind::MonitorExit { object });
        } else {
            loop {
                match self.source.wanted() {
                    tag::SEQ => break,
                    // Entered, though the ordering point is missing.
                    tag if tag::is_value(tag) || tag == tag::RETURN || tag == tag::EXIT => break,
                    tag => self.between(tag)?,
                }
            }
            self.emit(EventKind::MonitorEnter { object });
            self.ordering_point_if_ahead();
        }
        self.drop_slots(1)
    }

    /// At an instruction that initialises a class: runs the class initialisers that are ahead and belong to it.
    fn initialise(&mut self, class: &str) -> ReplayResult {
        if self.source.tag() == tag::ENTER && self.is_initialiser(self.source.method(), class) {
            return self.between(tag::ENTER);
        }
        // An initialiser was left by an exception: that is why the instruction fails.
        if self.top.threw_at == Some(self.top.ip) && self.upcoming().is_some() {
            return self.must_throw();
        }
        Ok(())
    }

    fn is_initialiser(&mut self, method: MethodId, class: &str) -> bool {
        let Some(known) = self.known(method) else { return false };
        if !known.method.is_class_initialiser() {
            return false;
        }
        let loader =
            self.top.method.and_then(|method| self.program.class(method.class)).map_or(0, |own| own.loader);
        self.program.initialises(class, loader, known.class.id)
    }

    /// Is an exception ahead whose type is one of `names`, and which this instruction can have thrown?
    #[inline]
    fn fails_by(&mut self, names: &[&str]) -> ReplayResult<bool> {
        Ok(self.exception_may_be_ahead() && self.upcoming_is(names)?)
    }

    #[inline]
    fn exception_may_be_ahead(&mut self) -> bool {
        matches!(self.source.tag(), RAISED | tag::SEQ)
    }

    #[cold]
    fn upcoming_is(&mut self, names: &[&str]) -> ReplayResult<bool> {
        let Some(Raised { exception: Some(Value::Object(id)), .. }) = self.upcoming() else {
            return Ok(false);
        };
        match self.objects.type_of(id) {
            Some(ty) => Ok(names.iter().any(|name| self.program.is_subtype(ty, name))),
            None if self.source.grows() => Err(Interrupt::Wait),
            None => Ok(false),
        }
    }

    /// The exception that is ahead, if it can come from the present instruction: it ends this call, or goes to
    /// a handler that covers the instruction.
    fn upcoming(&mut self) -> Option<Raised> {
        let raised = match self.source.tag() {
            RAISED => self.source.raised()?,
            tag::SEQ if self.top.method.is_some_and(|method| method.is_synchronized()) => {
                self.source.raised_after_seq()?
            }
            _ => return None,
        };
        let depth = i64::from(raised.depth);
        if depth > self.depth() {
            return None;
        }
        // What leaves a linked call says so in that call: this one is raised later, after it returned.
        if depth < self.depth() && self.top.linked.is_some() {
            return None;
        }
        let Some(handler) = raised.handler.filter(|_| depth == self.depth()) else { return Some(raised) };
        let handlers = &self.top.code?.handlers;
        let target = handlers.get(usize::from(handler))?.target;
        // The record names one entry; others may lead to the same handler.
        let covers = handlers
            .iter()
            .any(|entry| entry.target == target && (entry.start..entry.end).contains(&self.top.ip));
        covers.then_some(raised)
    }
}
