//! What became of an object of a library: the calls that may have changed it, in order of time, through whatever they had
//! it in hand. Libraries are not looked into, so that is told from what they were given: by the object's uses, by those of
//! its views and iterators, and by the writes to its size that the recorder sees in `java.util`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use classfile::{ClassFile, Constant, opcode};
use index::{Ending, Evidence, Key, NO_BCI, Position, PostingKind, RESULT, Target, Time};
use jdk::flows::{self, Flow, Holder, Leaves};
use past::{CallId, Past, Value};
use trace::{ClassId, MethodId, ObjectId};

/// Uses of an object and of its views that are gone through.
const MAX_USES: usize = 2048;
/// Views and iterators of an object that are looked at.
const MAX_VIEWS: usize = 64;

/// A call that may have changed an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub time: Time,
    /// Where the call begins.
    pub at: Position,
    pub call: CallId,
    pub leaves: Leaves,
    /// Not so if nobody knows what the call does.
    pub sure: bool,
    /// The object is what the call was made on.
    pub own: bool,
    /// The object came into being in it.
    pub born: bool,
    /// The same, and the program got to see it as an argument of code that was called back.
    pub handed: bool,
    /// The first and the last argument.
    pub key: Option<Value>,
    pub value: Option<Value>,
}

pub struct History {
    pub class: String,
    pub holder: Holder,
    /// Ascending.
    pub changes: Vec<Change>,
    /// What it stands for or goes over.
    pub parents: Vec<Value>,
    /// All of it is known, from the beginning on.
    pub complete: bool,
    /// It holds for times up to this one, and after `from`.
    until: Time,
    from: Time,
}

impl History {
    /// The changes that began before a time.
    pub fn before(&self, time: Time) -> &[Change] {
        &self.changes[..self.changes.partition_point(|change| change.time < time)]
    }

    pub fn is_view(&self) -> bool {
        !self.parents.is_empty()
    }
}

/// A method of a library, by its names.
pub struct Callee {
    pub owner: String,
    pub name: String,
    pub descriptor: String,
}

/// A method reference.
struct Bound {
    within: MethodId,
    owner: String,
    name: String,
}

#[derive(Default)]
pub struct Histories {
    of: HashMap<ObjectId, Rc<History>>,
    callees: HashMap<Target, Rc<Callee>>,
    /// By class: methods of libraries that its methods have references to, bound to an object.
    bound: HashMap<ClassId, Rc<Vec<Bound>>>,
}

impl Histories {
    pub fn callee(&mut self, past: &Past, target: Target) -> Rc<Callee> {
        let made = || {
            let (owner, name, descriptor) = past.target(target);
            Rc::new(Callee { owner, name, descriptor })
        };
        Rc::clone(self.callees.entry(target).or_insert_with(made))
    }

    /// What a call does to an object that it is made on.
    pub fn flow(&mut self, past: &Past, object: ObjectId, callee: &Callee) -> Flow {
        flows::flow(holder_of(past, object, &callee.owner), &callee.owner, &callee.name, &callee.descriptor)
    }

    /// Was what became of an object asked for?
    pub fn knows(&self, object: ObjectId) -> bool {
        self.of.contains_key(&object)
    }

    /// The kinds of the objects that were asked for.
    pub fn holders(&self) -> HashSet<Holder> {
        self.of.values().map(|history| history.holder).filter(|&holder| holder != Holder::Other).collect()
    }

    /// What became of an object up to a time.
    pub fn get(&mut self, past: &Past, object: ObjectId, time: Time) -> Rc<History> {
        if let Some(known) = self.of.get(&object)
            && time <= known.until
            && (known.complete || time > known.from)
        {
            return Rc::clone(known);
        }
        let made = Rc::new(Looking::new(past, self, object, time).history());
        self.of.insert(object, Rc::clone(&made));
        made
    }

    fn bound_in(&mut self, past: &Past, class: ClassId) -> Rc<Vec<Bound>> {
        let read = || {
            let class = past.recording().program().class(class)?;
            let file = ClassFile::parse(&class.bytes).ok()?;
            let bootstraps = file.bootstraps().ok()?;
            let mut list = Vec::new();
            for (at, method) in file.methods.iter().enumerate() {
                let Ok(Some(code)) = method.code(&file) else { continue };
                let dynamic = code.insns().flatten().filter(|insn| insn.op == opcode::INVOKEDYNAMIC);
                for insn in dynamic {
                    let at_pool = insn.pc as usize + 1;
                    let Some(&[high, low]) = code.code.get(at_pool..at_pool + 2) else { continue };
                    let linked = file.pool.get(u16::from_be_bytes([high, low]));
                    let Ok(Constant::InvokeDynamic { bootstrap, .. }) = linked else { continue };
                    let arguments = bootstraps.get(usize::from(bootstrap)).map(|one| &one.arguments);
                    for &argument in arguments.into_iter().flatten() {
                        // invokeVirtual and invokeInterface
                        let Ok(Constant::MethodHandle { kind: 5 | 9, reference }) = file.pool.get(argument)
                        else {
                            continue;
                        };
                        let Ok(member) = file.pool.member(reference) else { continue };
                        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                        let within = MethodId(class.first_method.0 + at as u32);
                        list.push(Bound { within, owner: text(member.class), name: text(member.name) });
                    }
                }
            }
            Some(list)
        };
        Rc::clone(self.bound.entry(class).or_insert_with(|| Rc::new(read().unwrap_or_default())))
    }
}

/// The kind of an object of a library, or of the program below a class of a library.
pub fn holder_of(past: &Past, object: ObjectId, owner: &str) -> Holder {
    let mut ty = past.recording().objects().type_of(object);
    for _ in 0..64 {
        let Some(info) = ty.and_then(|ty| past.recording().program().type_info(ty)) else { break };
        let holder = flows::holder(&info.name);
        if holder != Holder::Other {
            return holder;
        }
        ty = info.super_type;
    }
    flows::holder(owner)
}

/// Does an object of the program have a part that a library keeps?
pub fn has_library_part(past: &Past, object: ObjectId) -> bool {
    let program = past.recording().program();
    let mut ty = past.recording().objects().type_of(object);
    for _ in 0..64 {
        let Some(info) = ty.and_then(|ty| program.type_info(ty)) else { return false };
        if info.class.is_none() && jdk::owner::is_jdk(&info.name) {
            return !matches!(info.name.as_str(), "java/lang/Object" | "java/lang/Record" | "java/lang/Enum");
        }
        ty = info.super_type;
    }
    false
}

struct Looking<'a> {
    past: &'a Past,
    known: &'a mut Histories,
    object: ObjectId,
    until: Time,
    class: String,
    holder: Holder,
    changes: Vec<Change>,
    uses: usize,
    /// Some use was not looked at.
    cut: bool,
    /// Up to where all uses were looked at, going back.
    from: Time,
    views: Vec<ObjectId>,
    seen: HashSet<ObjectId>,
    /// Methods of the program that had it in hand, with their classes.
    users: HashSet<(ClassId, MethodId)>,
    /// It was put away where any method of a class may have got it from.
    put_away: bool,
    /// The first call that gave it, or gave it to the program: and whether the latter.
    first: Option<(CallId, bool)>,
}

impl<'a> Looking<'a> {
    fn new(past: &'a Past, known: &'a mut Histories, object: ObjectId, until: Time) -> Looking<'a> {
        let class = past.class_of(object).unwrap_or("").to_owned();
        let holder = holder_of(past, object, &class);
        Looking {
            past,
            known,
            object,
            until,
            class,
            holder,
            changes: Vec::new(),
            uses: 0,
            cut: false,
            from: Time(0),
            views: Vec::new(),
            seen: HashSet::from([object]),
            users: HashSet::new(),
            put_away: false,
            first: None,
        }
    }

    fn history(mut self) -> History {
        self.own_uses();
        let sized = self.sizes();
        while let Some(view) = self.views.pop() {
            if self.seen.len() > MAX_VIEWS {
                self.cut = true;
                break;
            }
            let class = self.past.class_of(view).unwrap_or("");
            if !(sized && flows::only_removes(class)) {
                self.uses_of_view(view);
            }
        }
        self.changes.sort_by_key(|change| (change.time, change.at, !change.born));
        self.changes.dedup_by_key(|change| change.at);
        let fresh = self.changes.iter().any(|change| matches!(change.leaves, Leaves::Fresh));
        let mut parents = Vec::new();
        if flows::is_view(&self.class) {
            let made = self.first.map(|(call, _)| call);
            let made = made
                .or_else(|| self.changes.iter().find(|one| one.leaves == Leaves::Fresh).map(|one| one.call));
            let args = made.and_then(|call| self.past.index().arguments(call)).unwrap_or_default();
            let all = args.receiver.iter().chain(&args.values).copied();
            parents = all.filter(|&value| value != Value::Object(self.object)).collect();
            parents.retain(|value| matches!(value, Value::Object(_)));
        }
        let mut complete = !self.cut;
        if !fresh {
            match self.first {
                Some((call, handed)) => {
                    if let Some(mut change) = self.change(call, 0, Leaves::Fresh, true) {
                        (change.born, change.handed, change.own) = (true, handed, false);
                        let behind = self.changes.partition_point(|one| one.time < change.time);
                        self.changes.insert(behind, change);
                    }
                }
                None if self.object.is_program() => {}
                None => complete = false,
            }
        }
        complete &= !self.is_bound(sized);
        let from = if self.cut { self.from } else { Time(0) };
        History {
            class: self.class,
            holder: self.holder,
            changes: self.changes,
            parents,
            complete,
            until: self.until,
            from,
        }
    }

    fn own_uses(&mut self) {
        let mut until = Some(self.until);
        while let Some(time) = until {
            let Some(found) = self.past.index().last(Key::uses(self.object), time) else { return };
            self.uses += 1;
            if self.uses > MAX_USES {
                (self.cut, self.from) = (true, found.time);
                return;
            }
            until = found.time.0.checked_sub(1).map(Time);
            let PostingKind::Used { call, part } = found.posting.what else {
                self.put_away |= !found.posting.library;
                continue;
            };
            let call = CallId { stream: found.position.stream, index: call };
            let Some(row) = self.past.index().call(call) else { continue };
            if part == RESULT {
                if matches!(row.target, Target::Library(_)) {
                    self.first = Some((call, false));
                }
                continue;
            }
            let Target::Library(_) = row.target else {
                self.used_in(row.target);
                if row.bci == NO_BCI
                    && let Some(parent) = row.parent.map(|index| CallId { index, ..call })
                    && !self.past.index().is_program_call(parent)
                {
                    self.first = Some((parent, true));
                }
                continue;
            };
            if let Some(parent) =
                row.parent.and_then(|index| self.past.index().call(CallId { index, ..call }))
            {
                self.used_in(parent.target);
            }
            self.use_in(call, row.target, row.ending, part);
        }
    }

    fn used_in(&mut self, target: Target) {
        if let Target::Method(method) = target
            && let Some((class, _)) = self.past.recording().program().method(method)
        {
            self.users.insert((class.id, method));
        }
    }

    /// The object is an argument of a call of a library.
    fn use_in(&mut self, call: CallId, target: Target, ending: Ending, part: u32) {
        let callee = self.known.callee(self.past, target);
        let args = self.past.index().arguments(call).unwrap_or_default();
        let own = part == 0 && args.receiver.is_some();
        let known = flows::is_known(&callee.owner);
        if let Ending::Returned(Some(Value::Object(result))) = ending {
            let class = self.past.class_of(result).unwrap_or("");
            if (flows::is_view(class) && flows::holder(class) != Holder::Stream) || !known {
                self.view(result);
            }
        }
        let flow = flows::flow(self.holder, &callee.owner, &callee.name, &callee.descriptor);
        if own {
            if flow.leaves != Leaves::Same {
                self.changes.extend(self.change(call, part, flow.leaves, flow.known));
            }
        } else {
            if flows::changes_arguments(&callee.owner, &callee.name) {
                self.changes.extend(self.change(call, part, Leaves::Anything, known));
            }
            if callee.name == "<init>"
                && let Some(Value::Object(wrapper)) =
                    args.receiver.map(|one| self.past.index().resolved(call.stream, one))
                && flows::is_view(self.past.class_of(wrapper).unwrap_or(""))
            {
                self.view(wrapper);
            }
        }
    }

    fn view(&mut self, view: ObjectId) {
        if !view.is_program() && self.seen.insert(view) {
            self.views.push(view);
        }
    }

    /// What was done through a view, an iterator or an entry.
    fn uses_of_view(&mut self, view: ObjectId) {
        let holder = holder_of(self.past, view, "");
        let mut until = Some(self.until);
        while let Some(time) = until {
            let Some(found) = self.past.index().last(Key::uses(view), time) else { return };
            self.uses += 1;
            if self.uses > MAX_USES {
                (self.cut, self.from) = (true, self.from.max(found.time));
                return;
            }
            until = found.time.0.checked_sub(1).map(Time);
            let PostingKind::Used { call, part } = found.posting.what else { continue };
            let call = CallId { stream: found.position.stream, index: call };
            let Some(row) = self.past.index().call(call).filter(|_| part != RESULT) else { continue };
            let Target::Library(_) = row.target else { continue };
            let callee = self.known.callee(self.past, row.target);
            if let Ending::Returned(Some(Value::Object(result))) = row.ending
                && flows::is_view(self.past.class_of(result).unwrap_or(""))
            {
                self.view(result);
            }
            let flow = flows::flow(holder, &callee.owner, &callee.name, &callee.descriptor);
            let through = match holder {
                Holder::Iterator | Holder::Entry => flow.through,
                Holder::Stream => false,
                _ => flow.leaves != Leaves::Same && callee.name != "<init>",
            };
            if through {
                let sure = flow.known;
                let made = self.change(call, part, Leaves::Anything, sure);
                self.changes.extend(made.map(|change| Change { own: false, ..change }));
            }
        }
    }

    /// Calls that wrote its size, whoever had what in hand. False if it has none that is seen.
    fn sizes(&mut self) -> bool {
        let program = self.past.recording().program();
        let Some(ty) = self.past.recording().objects().type_of(self.object) else { return false };
        let mut sized = false;
        let fields = program.fields(ty).iter().filter(|field| flows::is_size(&field.name));
        for field in fields.filter_map(|field| field.id(program)) {
            sized = true;
            let mut until = Some(self.until);
            let mut left = MAX_USES;
            while let Some(found) =
                until.and_then(|until| self.past.index().last(Key::field(self.object, field), until))
            {
                until = found.time.0.checked_sub(1).map(Time);
                left -= 1;
                if left == 0 || found.time < self.from {
                    break;
                }
                let call = self.past.index().call_at(found.position);
                let (true, Some(call)) = (found.posting.library, call) else { continue };
                let Some(row) = self.past.index().call(call) else { continue };
                let at = Position { stream: call.stream, ordinal: row.entry };
                let listed = self.changes.iter().any(|change| change.at == at);
                if let (Target::Library(_), false) = (row.target, listed) {
                    let made = self.change(call, 0, Leaves::Anything, true);
                    self.changes.extend(made.map(|change| Change { own: false, ..change }));
                }
            }
        }
        sized
    }

    fn change(&self, call: CallId, part: u32, leaves: Leaves, sure: bool) -> Option<Change> {
        let row = self.past.index().call(call)?;
        let at = Position { stream: call.stream, ordinal: row.entry };
        let time = self.past.index().time(at)?;
        let args = self.past.index().arguments(call).unwrap_or_default();
        let zero = args.values.first() == Some(&Value::Int(0));
        let leaves = match leaves {
            Leaves::FreshIfZero if zero => Leaves::Fresh,
            Leaves::FreshIfZero => Leaves::Anything,
            leaves => leaves,
        };
        Some(Change {
            time,
            at,
            call,
            leaves,
            sure,
            own: part == 0 && args.receiver.is_some(),
            born: false,
            handed: false,
            key: args.values.first().copied(),
            value: args.values.last().copied(),
        })
    }

    /// May somebody have got it bound to a method reference, by which a library changes it unseen?
    fn is_bound(&mut self, sized: bool) -> bool {
        let seen = sized && matches!(self.holder, Holder::List | Holder::Set | Holder::Queue);
        if seen || self.holder == Holder::Other || jdk::values::is_unchangeable(&self.class) {
            return false;
        }
        let users: Vec<(ClassId, MethodId)> = self.users.iter().copied().collect();
        users.into_iter().any(|(class, method)| {
            let bound = self.known.bound_in(self.past, class);
            bound.iter().filter(|one| self.put_away || one.within == method).any(|one| {
                let leaves = flows::flow(self.holder, &one.owner, &one.name, "").leaves;
                flows::holder(&one.owner) == self.holder && leaves != Leaves::Same
            })
        })
    }
}
