//! Where exceptions go inside a method: to the handlers around the instruction that throws, in their order, and out of
//! the method unless one of them takes everything. Instructions with the same handlers share one variable.

use classfile::{Code, ConstantPool, ExceptionEntry};

use crate::body::{Body, ESCAPE, Local, NONE, Op};

#[derive(Default)]
pub struct Regions {
    /// For each region where its handlers start in `handlers`.
    regions: Vec<Region>,
    handlers: Vec<u16>,
    /// Which entries of the exception table take everything.
    takes_all: Vec<bool>,
    entries: Vec<ExceptionEntry>,
    throws: Vec<(u32, Local)>,
    targets: Vec<Local>,
}

#[derive(Clone, Copy)]
struct Region {
    start: u32,
    end: u32,
    escapes: bool,
}

impl Regions {
    pub fn reset(&mut self, code: &Code<'_>, pool: &ConstantPool<'_>) {
        self.regions.clear();
        self.handlers.clear();
        self.throws.clear();
        self.targets.clear();
        self.entries.clear();
        self.entries.extend_from_slice(&code.exceptions);
        self.takes_all.clear();
        self.takes_all.extend(code.exceptions.iter().map(|e| {
            e.catch_type == 0 || pool.class_name(e.catch_type).is_ok_and(|n| n == b"java/lang/Throwable")
        }));
    }

    /// The number of the region around an instruction; turned into a variable by `target` in the end.
    pub fn at(&mut self, exceptions: &[ExceptionEntry], pc: u32) -> u32 {
        if exceptions.is_empty() {
            return ESCAPE;
        }
        let start = self.handlers.len();
        let mut escapes = true;
        for (i, e) in exceptions.iter().enumerate() {
            if e.start as u32 <= pc && pc < e.end as u32 {
                self.handlers.push(i as u16);
                if self.takes_all[i] {
                    escapes = false;
                    break;
                }
            }
        }
        if self.handlers.len() == start {
            return ESCAPE;
        }
        let same = |r: &Region| {
            self.handlers[r.start as usize..r.end as usize] == self.handlers[start..]
                && r.end as usize <= start
        };
        if let Some(known) = self.regions.iter().rposition(same) {
            self.handlers.truncate(start);
            return known as u32;
        }
        self.regions.push(Region { start: start as u32, end: self.handlers.len() as u32, escapes });
        self.regions.len() as u32 - 1
    }

    pub fn throw(&mut self, exceptions: &[ExceptionEntry], pc: u32, from: Local) {
        let region = self.at(exceptions, pc);
        self.throws.push((region, from));
    }

    /// Gives each region its variable and connects it. `caught` tells the variable of a handler's exception, if the
    /// handler uses it.
    pub fn settle(&mut self, body: &mut Body, caught: impl Fn(u16) -> Local) {
        let mut typed: Vec<(u16, u16, Local)> = Vec::new();
        for e in &self.entries {
            let variable = caught(e.handler);
            if variable == NONE || typed.iter().any(|t| (t.0, t.1) == (e.handler, e.catch_type)) {
                continue;
            }
            let alone = self.entries.iter().all(|o| o.handler != e.handler || o.catch_type == e.catch_type);
            let local = if alone {
                variable
            } else {
                let local = body.locals;
                body.locals += 1;
                body.ops.push(Op::Copy { from: local, to: variable });
                local
            };
            if e.catch_type != 0 {
                body.types.push((local, e.catch_type));
            }
            body.ops.push(Op::Caught { to: local });
            typed.push((e.handler, e.catch_type, local));
        }
        for r in &self.regions {
            let mut ways: Vec<Local> = Vec::new();
            for &h in &self.handlers[r.start as usize..r.end as usize] {
                let e = self.entries[h as usize];
                if let Some(t) = typed.iter().find(|t| (t.0, t.1) == (e.handler, e.catch_type))
                    && !ways.contains(&t.2)
                {
                    ways.push(t.2);
                }
            }
            if r.escapes {
                ways.push(ESCAPE);
            }
            self.targets.push(match ways[..] {
                [] => NONE,
                [only] => only,
                _ => {
                    let all = body.locals;
                    body.locals += 1;
                    body.ops.extend(ways.iter().map(|&to| Op::Copy { from: all, to }));
                    all
                }
            });
        }
        for &(region, from) in &self.throws {
            let to = self.target(region);
            if to != NONE {
                body.ops.push(Op::Copy { from, to });
            }
        }
    }

    pub fn target(&self, region: u32) -> Local {
        if region == ESCAPE { ESCAPE } else { self.targets.get(region as usize).copied().unwrap_or(NONE) }
    }
}
