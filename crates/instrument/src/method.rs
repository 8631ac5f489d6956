//! What the weavers of all details share: the method at hand, the pieces being inserted, and the code at its
//! entry, its exits and its handlers.

use classfile::{
    CatchAll, ClassFile, Code, CodeEdit, Covers, Error, Insn, Member, MemberRef, MethodDescriptor,
    PoolBuilder, Result, TypeKind, VerificationType, access, opcode as op,
};
use trace::probes;

use crate::asm::{Asm, RECORDER, parameter, recorder};
use crate::{OtherClasses, around, has_room, hide, link};

/// Bytes of records that may be written between two checks of the chunk's limit. The recorder keeps this much free
/// behind the limit.
const UNCHECKED: u32 = 1536;

/// One method while it is being woven.
pub struct Weaver<'a, 'p> {
    pub class: &'p ClassFile<'a>,
    pub method: &'p Member<'a>,
    pub code: &'p Code<'a>,
    pub insns: Vec<Insn>,
    pub pool: &'p mut PoolBuilder,
    pub edit: CodeEdit,
    pub descriptor: MethodDescriptor<'a>,
    /// pc of each constructor call, and what it is called on.
    pub inits: Vec<(u32, probes::Init)>,
    /// How callers link to the method, and the number by which they do.
    linking: (probes::Linking, u32),
    /// pc of calls whose receiver a local holds, and that local.
    pub receivers: Vec<(u32, u16)>,
    /// Methods in the constant pool that the code announces.
    pub announced: Vec<u16>,
    unchecked: u32,
}

impl<'a, 'p> Weaver<'a, 'p> {
    pub fn new(
        class: &'p ClassFile<'a>,
        method: &'p Member<'a>,
        code: &'p Code<'a>,
        pool: &'p mut PoolBuilder,
    ) -> Result<Self> {
        has_room(code)?;
        let insns = code.insns().collect::<Result<Vec<_>>>()?;
        let inits = probes::inits(class, method, code)?;
        Ok(Weaver {
            class,
            method,
            code,
            insns,
            pool,
            edit: CodeEdit { extra_stack: 6, ..CodeEdit::default() },
            descriptor: MethodDescriptor::parse(method.descriptor)?,
            inits,
            linking: (probes::Linking::Never, 0),
            receivers: Vec::new(),
            announced: Vec::new(),
            unchecked: 0,
        })
    }

    /// Local that holds the thread's recorder.
    pub fn recorder(&self) -> u16 {
        self.code.max_locals
    }

    /// Local that holds the call's depth.
    pub fn depth(&self) -> u16 {
        self.code.max_locals + 1
    }

    /// First of the locals that inserted code may use between two instructions.
    pub fn scratch(&mut self, slots: u16) -> u16 {
        self.edit.scratch = self.edit.scratch.max(slots);
        self.first_scratch()
    }

    fn first_scratch(&self) -> u16 {
        self.code.max_locals + 2 + u16::from(self.linked().is_some())
    }

    /// Local that says whether the call was linked; none if it never is.
    pub fn linked(&self) -> Option<u16> {
        (self.linking.0 != probes::Linking::Never).then_some(self.code.max_locals + 2)
    }

    /// To be called first, where calls can be linked.
    pub fn prepare_links(&mut self, classes: &dyn OtherClasses) -> Result<()> {
        self.receivers = link::receivers(self)?;
        let linking = probes::links(self.class, self.method, &self.inits);
        if linking == probes::Linking::Never
            || self.is_main()
            || hide::takes_class_name(self.method)
            || !classes.links(linking)
        {
            return Ok(());
        }
        let own = MemberRef {
            class: self.class.name()?,
            name: self.method.name,
            descriptor: self.method.descriptor,
        };
        match classes.link(linking, own) {
            0 => {}
            number => self.linking = (linking, number),
        }
        Ok(())
    }

    pub fn is_constructor(&self) -> bool {
        self.method.name == b"<init>"
    }

    pub fn is_synchronized(&self) -> bool {
        self.method.is(access::SYNCHRONIZED)
    }

    pub fn before(&mut self, pc: u32, asm: &mut Asm) {
        self.edit.before.push((pc, asm.take()));
    }

    pub fn after(&mut self, pc: u32, asm: &mut Asm) {
        self.edit.after.push((pc, asm.take()));
    }

    /// Records the value on top of the stack, leaving it there.
    pub fn value_on_top(&mut self, asm: &mut Asm, kind: TypeKind) -> Result<()> {
        asm.dup(kind);
        self.value(asm, kind)
    }

    /// Records the reference on top of the stack by one of the recorder's methods for references, leaving it there.
    pub fn reference_on_top(&mut self, asm: &mut Asm, name: &str) -> Result<()> {
        asm.op(op::DUP).aload(self.recorder());
        asm.call(name, concat!("(Ljava/lang/Object;", recorder!(), ")V"), self.pool)?;
        self.unchecked += 5;
        Ok(())
    }

    /// Records and removes the value on top of the stack.
    pub fn value(&mut self, asm: &mut Asm, kind: TypeKind) -> Result<()> {
        self.value_by(asm, kind, "value")
    }

    /// The same for a value that belongs to the record before it: what it holds cannot be told right behind it.
    pub fn argument(&mut self, asm: &mut Asm, kind: TypeKind) -> Result<()> {
        self.value_by(asm, kind, if kind == TypeKind::Reference { "argument" } else { "value" })
    }

    fn value_by(&mut self, asm: &mut Asm, kind: TypeKind, name: &str) -> Result<()> {
        asm.aload(self.recorder());
        let descriptor = format!(concat!("({}", recorder!(), ")V"), parameter(kind));
        asm.call(name, &descriptor, self.pool)?;
        self.wrote(if kind.slots() == 2 { 9 } else { 5 });
        Ok(())
    }

    /// At most so many bytes may be written here.
    pub fn wrote(&mut self, bytes: u32) {
        self.unchecked += bytes;
    }

    pub fn on_recorder(&mut self, asm: &mut Asm, name: &str) -> Result<()> {
        asm.aload(self.recorder()).call(name, concat!("(", recorder!(), ")V"), self.pool)?;
        self.unchecked += 8;
        Ok(())
    }

    /// To be called before each instruction, in order: keeps what is written unchecked below the limit.
    pub fn check_if_needed(&mut self, pc: u32) -> Result<()> {
        if self.unchecked > UNCHECKED {
            self.unchecked = 0;
            let mut asm = Asm::default();
            self.on_recorder(&mut asm, "check")?;
            self.before(pc, &mut asm);
        }
        Ok(())
    }

    /// The limit has just been checked: at entry, on a back edge. A callee checks it when it returns, so a call never
    /// leaves less room than there was.
    pub fn checked(&mut self) {
        self.unchecked = 0;
    }

    /// Entry code: fetch the recorder, `enter`, the arguments; and the handler for exceptional exits.
    pub fn entry(&mut self, method: u32) -> Result<()> {
        let mut asm = Asm::default();
        if hide::takes_class_name(self.method) {
            hide::from_class_loader(&mut asm, self.pool)?;
            self.edit.entry_frames.push(asm.code.len() as u32);
        }
        asm.call("get", concat!("()", recorder!()), self.pool)?.op(op::DUP).astore(self.recorder());
        if self.is_main() {
            asm.aload(self.recorder());
            asm.call("unlink", concat!("(", recorder!(), ")V"), self.pool)?;
            // Nobody else has told what the command line's arguments are.
            asm.aload(0).aload(self.recorder());
            asm.call("given", concat!("(Ljava/lang/Object;", recorder!(), ")V"), self.pool)?;
        }
        asm.int(method as i32, self.pool)?;
        self.enter(&mut asm)?;
        let covered = asm.code.len() as u32;
        let skip = self.linked().map(|linked| {
            asm.iload(linked);
            let at = asm.code.len();
            // Where to is known when the arguments are written.
            asm.op(op::IFNE).op(0).op(0);
            at
        });
        let mut slot = 0;
        let mut references = false;
        if !self.method.is(access::STATIC) {
            if !self.is_constructor() {
                asm.aload(0);
                self.argument(&mut asm, TypeKind::Reference)?;
                references = true;
            }
            slot = 1;
        }
        for parameter in self.descriptor.parameters.clone() {
            let kind = TypeKind::of(parameter)?;
            asm.load(kind, slot);
            self.argument(&mut asm, kind)?;
            references |= kind == TypeKind::Reference;
            slot += kind.slots();
        }
        if references {
            self.on_recorder(&mut asm, "arguments")?;
        }
        if let Some(at) = skip {
            let distance =
                i16::try_from(asm.code.len() - at).map_err(|_| Error::TooLarge("jump distance"))?;
            asm.code[at + 1..at + 3].copy_from_slice(&distance.to_be_bytes());
            self.edit.entry_joins.push(asm.code.len() as u32);
            if !self.is_synchronized() {
                asm.op(op::NOP);
            }
        }
        if self.is_synchronized() {
            self.on_recorder(&mut asm, "order")?;
        }
        let recorder_class = self.pool.class(RECORDER)?;
        self.edit.extra_locals = vec![VerificationType::Object(recorder_class), VerificationType::Integer];
        if self.linked().is_some() {
            self.edit.extra_locals.push(VerificationType::Integer);
        }
        self.edit.entry = asm.take();
        self.exceptional_exit(covered)?;
        self.handlers()
    }

    /// Recorder and method number are on the stack: the call begins.
    fn enter(&mut self, asm: &mut Asm) -> Result<()> {
        let (linking, number) = self.linking;
        if let Some(linked) = self.linked() {
            asm.int(number as i32, self.pool)?;
            if linking == probes::Linking::Virtual {
                asm.aload(0);
                const ENTER: &str = concat!("(", recorder!(), "IILjava/lang/Object;)I");
                asm.call("enter", ENTER, self.pool)?;
            } else {
                asm.call("enter", concat!("(", recorder!(), "II)I"), self.pool)?;
            }
            asm.istore(self.depth()).aload(self.recorder());
            asm.get_field("linked", "Z", self.pool)?.istore(linked);
        } else {
            asm.call("enter", concat!("(", recorder!(), "I)I"), self.pool)?.istore(self.depth());
        }
        Ok(())
    }

    fn is_main(&self) -> bool {
        self.method.name == b"main"
            && self.method.descriptor == b"([Ljava/lang/String;)V"
            && self.method.is(access::STATIC)
    }

    fn exceptional_exit(&mut self, covered: u32) -> Result<()> {
        let calls = self.inits.iter().filter(|(_, on)| *on == probes::Init::This);
        let calls: Vec<u32> = calls.map(|(pc, _)| *pc).collect();
        let parts = match (self.is_constructor(), calls.as_slice()) {
            (false, _) => vec![Covers::FromEntry(covered)],
            // Code before super() or this() has its own handler, as the verifier tells an object that is not made yet from
            // one that is. Old classes say nothing of that, and with several such calls it may be either.
            (true, &[call]) if self.class.major >= probes::FRAMES => {
                vec![Covers::Unmade(covered, call), Covers::Behind(call)]
            }
            (true, calls) => calls.iter().max().map(|&call| Covers::Behind(call)).into_iter().collect(),
        };
        for covers in parts {
            let mut asm = Asm::default();
            if self.is_synchronized() {
                self.on_recorder(&mut asm, "order")?;
            }
            asm.op(op::DUP).aload(self.recorder()).iload(self.depth());
            asm.call("unwind", concat!("(Ljava/lang/Throwable;", recorder!(), "I)V"), self.pool)?;
            asm.op(op::ATHROW);
            self.edit.catch_all.push(CatchAll { covers, code: asm.take() });
        }
        Ok(())
    }

    fn handlers(&mut self) -> Result<()> {
        for (index, entry) in self.code.exceptions.iter().enumerate() {
            if self.edit.handlers.iter().any(|(pc, _)| *pc == entry.handler) {
                continue;
            }
            let mut asm = Asm::default();
            asm.op(op::DUP).aload(self.recorder()).iload(self.depth());
            asm.int(index as i32, self.pool)?;
            asm.call("caught", concat!("(Ljava/lang/Throwable;", recorder!(), "II)V"), self.pool)?;
            self.edit.handlers.push((entry.handler, asm.take()));
        }
        Ok(())
    }

    /// What the constructor that a call calls is called on; None if it calls none.
    pub fn init(&self, call: Insn) -> Option<probes::Init> {
        self.inits.iter().find(|(pc, _)| *pc == call.pc).map(|(_, on)| *on)
    }

    /// The program may ask for a hash code.
    pub fn hash_call(&mut self, insn: Insn, callee: MemberRef<'_>) -> Result<()> {
        let scratch = self.first_scratch();
        if let Some(mut around) = around::hash_call(insn, callee, scratch, self.pool)? {
            self.scratch(1);
            self.before(insn.pc, &mut around.before);
            self.after(insn.pc, &mut around.after);
        }
        Ok(())
    }

    /// Whether control can go from `from` back to `to` with records in between.
    pub fn records_between(&self, to: u32, from: u32) -> bool {
        let inside = |list: &[(u32, Vec<u8>)]| list.iter().any(|(pc, _)| (to..=from).contains(pc));
        inside(&self.edit.before) || inside(&self.edit.after)
    }
}
