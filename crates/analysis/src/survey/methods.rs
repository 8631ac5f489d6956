//! The methods that a pass came by, with the numbers that their edges, chains and loops have among all.

use std::sync::Arc;

use trace::{MethodId, Program};

use super::{Entities, SurveyOptions};
use crate::code::{Code, Codes};
use crate::defuse::{ChainId, DefId, VariableAccess};
use crate::substance;

/// A method by its place in `Methods`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodNumber(pub u32);

pub struct SurveyedMethod {
    pub code: Arc<Code>,
    /// Number of its first covered entity, and how many it has.
    pub first_entity: u32,
    pub entities: u32,
    /// Group of its first loop.
    pub first_group: u32,
    /// By block: what it does with variables, made quick to follow.
    pub blocks: Vec<Vec<Quick>>,
    /// By edge: its number among the method's entities, `NO_ENTITY` if it is none.
    pub edges: Vec<u32>,
}

pub const NO_ENTITY: u32 = u32::MAX;

/// An access to a variable.
pub enum Quick {
    /// The chains that end here, by definition.
    Use {
        bci: u16,
        slot: u16,
        chains: Vec<(DefId, ChainId)>,
    },
    Define {
        bci: u16,
        slot: u16,
        definition: DefId,
    },
}

#[derive(Default)]
pub struct SurveyedMethods {
    codes: Codes,
    all: Vec<SurveyedMethod>,
    /// By number of the method: its place in `all`, plus one; `NONE` if it has no code.
    by_id: Vec<u32>,
    pub entities: u32,
    /// By edge that can be covered: how much there is to get wrong where it leads.
    pub substance: Vec<f64>,
    /// Method and head of each loop, in the order of groups.
    pub heads: Vec<(MethodId, u16)>,
}

const NONE: u32 = u32::MAX;
/// Methods with larger numbers are not looked at: no recording has as many.
const MAX_METHODS: usize = 1 << 24;

impl SurveyedMethods {
    pub fn get(&self, known: MethodNumber) -> &SurveyedMethod {
        &self.all[known.0 as usize]
    }

    /// None for a method without code that could be followed.
    pub fn find(&mut self, program: &Program, id: MethodId, want: &SurveyOptions) -> Option<MethodNumber> {
        let at = id.0 as usize;
        if at >= MAX_METHODS {
            return None;
        }
        if self.by_id.len() <= at {
            self.by_id.resize(at + 1, 0);
        }
        if self.by_id[at] == 0 {
            self.by_id[at] = self.add(program, id, want).unwrap_or(NONE);
        }
        Some(self.by_id[at]).filter(|&place| place != NONE).map(|place| MethodNumber(place - 1))
    }

    fn add(&mut self, program: &Program, id: MethodId, want: &SurveyOptions) -> Option<u32> {
        let code = self.codes.get(program, id)?;
        let (mut entities, mut blocks, mut edges) = (0, Vec::new(), Vec::new());
        match want.coverage {
            Some(Entities::Edges) => {
                edges = telling_edges(&code);
                entities = 1 + edges.iter().filter(|&&edge| edge != NO_ENTITY).count() as u32;
                self.substance.extend(led_to(&code, &edges, entities as usize));
            }
            Some(Entities::DefUse) => {
                entities = code.defuse().chains.len() as u32;
                blocks = code.cfg.ids().map(|block| quick(&code, block)).collect();
            }
            None => {}
        }
        let first_group = want.first_loop_group + self.heads.len() as u32;
        if want.loops {
            let heads = code.loops().all.iter().map(|one| (id, code.cfg.block(one.head).first));
            self.heads.extend(heads);
        }
        self.all.push(SurveyedMethod {
            code,
            first_entity: self.entities,
            entities,
            first_group,
            blocks,
            edges,
        });
        self.entities += entities;
        Some(self.all.len() as u32)
    }
}

/// Entity 0 is the edge that leads into the method. An edge that is the only way out of its block says no more than
/// those that lead to the block, and is none.
fn telling_edges(code: &Code) -> Vec<u32> {
    let mut next = 1;
    let number = |edge: &crate::cfg::Edge| {
        let choices = code.cfg.after(edge.from).filter(|other| !other.exceptional).count();
        if choices < 2 && !edge.exceptional {
            return NO_ENTITY;
        }
        next += 1;
        next - 1
    };
    code.cfg.edges.iter().map(number).collect()
}

/// How much there is to get wrong where each of the telling edges leads, up to the next ones. What several lead to is
/// parted among them.
fn led_to(code: &Code, edges: &[u32], entities: usize) -> Vec<f64> {
    let mut led = vec![0.0; entities];
    if substance::hands_on(code) {
        led[0] = substance::LEAST;
        return led;
    }
    // Who leads to each block: edges that say nothing hand on what leads to where they begin.
    let blocks = code.cfg.blocks.len();
    let mut by: Vec<Vec<u32>> = vec![Vec::new(); blocks];
    by[0].push(0);
    let mut changed = true;
    while changed {
        changed = false;
        for (edge, &entity) in code.cfg.edges.iter().zip(edges) {
            let news: Vec<u32> = match entity {
                NO_ENTITY => by[usize::from(edge.from.0)].clone(),
                entity => vec![entity],
            };
            let known = &mut by[usize::from(edge.to.0)];
            for entity in news {
                if !known.contains(&entity) {
                    known.push(entity);
                    changed = true;
                }
            }
        }
    }
    for (block, by) in code.cfg.ids().zip(&by) {
        let share = substance::of_block(code, block) / by.len().max(1) as f64;
        by.iter().for_each(|&entity| led[entity as usize] += share);
    }
    led.iter_mut().for_each(|led| *led = led.max(substance::LEAST));
    led
}

fn quick(code: &Code, block: crate::cfg::BlockId) -> Vec<Quick> {
    let defuse = code.defuse();
    let one = |access: &VariableAccess| match *access {
        VariableAccess::Define { bci, slot, definition } => Quick::Define { bci, slot, definition },
        VariableAccess::Use { bci, slot } => {
            let same = defuse.definitions.iter().enumerate().filter(|(_, one)| one.slot == slot);
            let ids = same.map(|(at, _)| DefId(at as u32));
            let chains = ids.filter_map(|id| Some((id, defuse.chain(id, bci)?))).collect();
            Quick::Use { bci, slot, chains }
        }
    };
    defuse.accesses(block).iter().map(one).collect()
}
