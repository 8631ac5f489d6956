//! Through what a call would have got at the object: from an argument or a variable of the call that was executed,
//! over fields, along the calls of a chain. Said in terms of the executed call, so that its values decide.

use std::collections::HashSet;
use std::sync::Arc;

use classfile::opcode as op;
use pointsto::{MemberName, MethodNo, OperandNo, Solution};

use super::bodies::{Bodies, MethodBody};
use super::chains::ChainLink;
use super::origins::ValueExpression;

/// Getters behind getters are followed so far, and copies of variables.
const DEPTH: usize = 12;
/// Callees that are looked through for writes to a field.
const CALLEES: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Of the method; the receiver is 0 if there is one.
    Argument(u8),
    /// What a variable of the executed call held.
    Variable(u16),
    /// What the call at a place gave, which was executed.
    Given(u16),
    Static(Arc<MemberName>),
    /// What the `invokedynamic` at a place makes.
    Lambda(u16),
    /// Something that did not exist.
    New,
    Null,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Hop {
    Field(Arc<MemberName>),
    Element(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    pub base: Base,
    pub hops: Vec<Hop>,
}

impl Path {
    pub fn of(base: Base) -> Path {
        Path { base, hops: Vec::new() }
    }

    pub fn unknown() -> Path {
        Path::of(Base::Unknown)
    }

    /// Nothing that exists can be there.
    pub fn is_nothing(&self) -> bool {
        matches!(self.base, Base::Null | Base::Lambda(_)) || (self.base == Base::New && self.hops.is_empty())
    }

    fn then(mut self, hop: Hop) -> Path {
        if self.base == Base::New {
            return Path::unknown();
        }
        self.hops.push(hop);
        self
    }

    /// The path with what its argument is put in its place.
    pub fn within(self, mut argument: impl FnMut(u8) -> Path) -> Path {
        match self.base {
            Base::Argument(at) => self.hops.into_iter().fold(argument(at), Path::then),
            Base::Variable(_) | Base::Given(_) | Base::Lambda(_) => Path::unknown(),
            _ => self,
        }
    }
}

pub struct Resolver<'a, 'p> {
    pub bodies: &'a mut Bodies<'p>,
    pub solution: &'a Solution,
}

/// What the executed call did; none for a method that was not called.
pub type Ran<'a> = Option<Done<'a>>;

#[derive(Clone, Copy)]
pub struct Done<'a> {
    pub ran: &'a dyn Fn(u16) -> bool,
    /// Instructions between the event and the place that was not reached.
    pub skipped: &'a dyn Fn(u16) -> bool,
}

impl Resolver<'_, '_> {
    /// The path to an operand of an instruction.
    pub fn operand(
        &mut self,
        method: MethodNo,
        body: &MethodBody,
        bci: u16,
        operand: u8,
        ran: Ran<'_>,
    ) -> Path {
        self.resolve(method, body, &body.origins.operand(bci, operand), ran, DEPTH)
    }

    pub fn resolve(
        &mut self,
        method: MethodNo,
        body: &MethodBody,
        origin: &ValueExpression,
        ran: Ran<'_>,
        left: usize,
    ) -> Path {
        let Some(left) = left.checked_sub(1) else { return Path::unknown() };
        match origin {
            ValueExpression::Load { slot, at } => self.load(method, body, *slot, *at, ran, left),
            ValueExpression::Field(of, field) => {
                self.resolve(method, body, of, ran, left).then(Hop::Field(field.clone()))
            }
            ValueExpression::Element(of, index) => {
                self.resolve(method, body, of, ran, left).then(Hop::Element(*index))
            }
            ValueExpression::Static(field) => Path::of(Base::Static(field.clone())),
            ValueExpression::Result(bci) if ran.is_some_and(|done| (done.ran)(*bci)) => {
                Path::of(Base::Given(*bci))
            }
            ValueExpression::Result(bci) => self.given(method, body, *bci, ran, left),
            ValueExpression::Lambda(bci) => Path::of(Base::Lambda(*bci)),
            ValueExpression::New => Path::of(Base::New),
            ValueExpression::Null => Path::of(Base::Null),
            ValueExpression::Int(_) | ValueExpression::Other => Path::unknown(),
        }
    }

    fn load(
        &mut self,
        method: MethodNo,
        body: &MethodBody,
        slot: u16,
        at: u16,
        ran: Ran<'_>,
        left: usize,
    ) -> Path {
        let mut definitions = body.definitions(at).to_vec();
        if let ([None], Some(parameter)) = (definitions.as_slice(), body.parameter(slot)) {
            return Path::of(Base::Argument(parameter));
        }
        if let Some(done) = ran {
            if definitions.iter().all(|store| store.is_none_or(|store| !(done.skipped)(store))) {
                return Path::of(Base::Variable(slot));
            }
            // A store that would not have been executed either does not matter.
            definitions.retain(|store| store.is_none_or(|store| (done.ran)(store) || (done.skipped)(store)));
            if definitions.len() > 1 {
                return Path::unknown();
            }
        }
        let mut found: Option<Path> = None;
        for store in definitions {
            let Some(store) = store else { return Path::unknown() };
            let stored = body.origins.operand(store, 0);
            let path = self.resolve(method, body, &stored, ran, left);
            if found.as_ref().is_some_and(|known| *known != path) {
                return Path::unknown();
            }
            found = Some(path);
        }
        found.unwrap_or_else(Path::unknown)
    }

    /// What a call would have given, if that is some part of what it would have got.
    fn given(&mut self, method: MethodNo, body: &MethodBody, bci: u16, ran: Ran<'_>, left: usize) -> Path {
        let callees: Vec<MethodNo> = self.solution.callees(method, bci).to_vec();
        if callees.is_empty() || callees.len() > 3 {
            return Path::unknown();
        }
        let mut found: Option<Path> = None;
        for callee in callees {
            let path = self.returned(callee, left);
            if path.base == Base::Unknown || found.as_ref().is_some_and(|known| *known != path) {
                return Path::unknown();
            }
            found = Some(path);
        }
        let inner = found.unwrap_or_else(Path::unknown);
        inner.within(|at| self.resolve(method, body, &body.origins.operand(bci, at), ran, left))
    }

    fn returned(&mut self, callee: MethodNo, left: usize) -> Path {
        if !self.solution.is_program(callee) {
            return Path::unknown();
        }
        let Some(body) = self.bodies.of(self.solution, callee) else { return Path::unknown() };
        let mut found: Option<Path> = None;
        for &bci in body.origins.returns() {
            let path = self.resolve(callee, &body, &body.origins.operand(bci, 0), None, left);
            if found.as_ref().is_some_and(|known| *known != path) {
                return Path::unknown();
            }
            found = Some(path);
        }
        found.unwrap_or_else(Path::unknown)
    }

    /// A callee's path in terms of its caller. `other`: it would have been called on another object.
    pub fn through(
        &mut self,
        body: &MethodBody,
        link: &ChainLink,
        inner: &Path,
        ran: Ran<'_>,
        other: bool,
    ) -> Path {
        inner.clone().within(|argument| match (link.back, other && argument == 0) {
            (_, true) => Path::unknown(),
            (false, _) => self.given_to(body, link, argument, ran),
            (true, _) => self.called_back(body, link, argument, ran),
        })
    }

    /// What a callee gets in an argument. A lambda is called by the name of its interface, and what stands behind it
    /// gets first what it has captured.
    fn given_to(&mut self, body: &MethodBody, link: &ChainLink, argument: u8, ran: Ran<'_>) -> Path {
        let callee = self.bodies.member(self.solution, link.callee);
        let named = body.origins.name(link.bci);
        let same =
            |named: &Arc<MemberName>| named.name == callee.name && named.descriptor == callee.descriptor;
        if named.is_none_or(same) {
            return self.operand(link.method, body, link.bci, argument, ran);
        }
        let parameters =
            self.bodies.of(self.solution, link.callee).map_or(0, |callee| callee.code.arguments.len());
        let given = body.origins.operands(link.bci).len().saturating_sub(1);
        let captured = parameters.saturating_sub(given);
        match usize::from(argument).checked_sub(captured) {
            Some(at) => self.operand(link.method, body, link.bci, at as u8 + 1, ran),
            None => self.called_back(body, link, argument, ran),
        }
    }

    /// What a method that a library calls back gets: what its lambda has captured, or the object that it is called on.
    fn called_back(&mut self, body: &MethodBody, link: &ChainLink, argument: u8, ran: Ran<'_>) -> Path {
        let member = self.bodies.member(self.solution, link.callee);
        let operands = body.origins.operands(link.bci).len() as u8;
        for operand in 0..operands {
            let path = self.operand(link.method, body, link.bci, operand, None);
            if let Base::Lambda(made) = path.base
                && body.origins.lambda(made) == Some(&*member)
            {
                return match body.origins.operands(made).get(usize::from(argument)) {
                    Some(_) => self.operand(link.method, body, made, argument, ran),
                    None => Path::unknown(),
                };
            }
        }
        let is_static = self.bodies.of(self.solution, link.callee).is_none_or(|callee| callee.is_static);
        if argument > 0 || is_static {
            return Path::unknown();
        }
        let receivers = self.solution.parameter(link.callee, 0);
        let may_be = |&operand: &u8| {
            let given = self.solution.points_to(link.method, link.bci, OperandNo(operand));
            given.iter().any(|one| receivers.binary_search(one).is_ok())
        };
        let fitting: Vec<u8> = (0..operands).filter(may_be).collect();
        match fitting.as_slice() {
            [one] => self.operand(link.method, body, link.bci, *one, ran),
            _ => Path::unknown(),
        }
    }

    /// May code that leads to a place of a method, and was not executed, write one of the fields of a path?
    pub fn may_reassign(&mut self, method: MethodNo, before: u16, ran: Ran<'_>, path: &Path) -> bool {
        let fields = path.hops.iter().filter_map(|hop| match hop {
            Hop::Field(field) => Some(field.as_ref()),
            Hop::Element(_) => None,
        });
        let base = match &path.base {
            Base::Static(field) => Some(field.as_ref()),
            _ => None,
        };
        let fields: Vec<&MemberName> = base.into_iter().chain(fields).collect();
        let elements = path.hops.iter().any(|hop| matches!(hop, Hop::Element(_)));
        if fields.is_empty() && !elements {
            return false;
        }
        let Some(body) = self.bodies.of(self.solution, method) else { return true };
        let leads = leading_to(&body, before);
        let skipped = |bci: u16| leads(bci) && ran.is_none_or(|done| (done.skipped)(bci));
        let mut seen = HashSet::from([method]);
        let mut open = Vec::new();
        if self.writes(method, &body, &skipped, &fields, elements, &mut open) {
            return true;
        }
        while let Some(callee) = open.pop() {
            if !self.solution.is_program(callee) || !seen.insert(callee) {
                continue;
            }
            if seen.len() > CALLEES {
                return true;
            }
            let Some(body) = self.bodies.of(self.solution, callee) else { continue };
            if self.writes(callee, &body, &|_| true, &fields, elements, &mut open) {
                return true;
            }
        }
        false
    }

    fn writes(
        &self,
        method: MethodNo,
        body: &MethodBody,
        counts: &dyn Fn(u16) -> bool,
        fields: &[&MemberName],
        elements: bool,
        callees: &mut Vec<MethodNo>,
    ) -> bool {
        for insn in body.code.insns.iter().filter(|insn| counts(insn.bci)) {
            match insn.op {
                op::PUTFIELD | op::PUTSTATIC => {
                    let name = body.origins.name(insn.bci);
                    let same = |field: &&MemberName| {
                        name.is_some_and(|name| {
                            name.name == field.name && name.descriptor == field.descriptor
                        })
                    };
                    if fields.iter().any(same) {
                        return true;
                    }
                }
                op::AASTORE if elements => return true,
                code if op::is_invoke(code) => callees.extend(self.solution.callees(method, insn.bci)),
                _ => {}
            }
        }
        false
    }
}

/// Instructions from which control may get to a place, those in its own block up to it.
fn leading_to(body: &MethodBody, place: u16) -> impl Fn(u16) -> bool + use<> {
    let cfg = &body.code.cfg;
    let mut leads = vec![false; cfg.blocks.len()];
    let own = cfg.block_at(place);
    let mut open: Vec<_> =
        own.into_iter().flat_map(|block| cfg.before(block)).map(|edge| edge.from).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut leads[usize::from(block.0)], true) {
            open.extend(cfg.before(block).map(|edge| edge.from));
        }
    }
    let ranges: Vec<(u16, u16)> = cfg
        .ids()
        .filter_map(|id| {
            let block = cfg.block(id);
            match (leads[usize::from(id.0)], Some(id) == own) {
                (true, _) => Some((block.first, block.last)),
                (false, true) => place.checked_sub(1).map(|last| (block.first, last)),
                (false, false) => None,
            }
        })
        .collect();
    move |bci| ranges.iter().any(|&(first, last)| (first..=last).contains(&bci))
}
