//! The analysis while it runs: methods that are reached become constraints, objects flow, receivers choose methods, which
//! are then reached. It ends when nothing is new.

use crate::body::{Body, Returns};
use crate::circles;
use crate::filters::{ALL, Filter, Filters};
use crate::graph::{Graph, GraphNode, NO_NODE, Reaction};
use crate::hash::{Map, Set as HashSet};
use crate::hierarchy::{ClassIndex, FieldIndex, Hierarchy, MethodIndex};
use crate::known::KnownClasses;
use crate::set::Set;
use crate::signature::SigId;
use crate::translate::Translator;

/// The elements of an array, as a field.
pub const ELEMENTS: u32 = u32::MAX;

/// How often sets are passed on before circles are looked for again, if there are enough new ways.
const BETWEEN_COLLAPSES: u64 = 400_000;
/// So many late ways are worth a search for circles.
const WORTH_COLLAPSING: usize = 1000;

pub struct Object {
    pub class: ClassIndex,
    pub created: Option<(MethodIndex, u16)>,
}

/// A method that may run, with its variables: the reference parameters stand one after the other.
pub struct Reached {
    pub method: MethodIndex,
    pub parameters: GraphNode,
    pub count: u32,
    pub result: GraphNode,
    pub thrown: GraphNode,
    pub returns: Returns,
    pub sites: std::ops::Range<u32>,
    pub used: std::ops::Range<u32>,
    pub given: std::ops::Range<u32>,
}

/// An instruction that calls, or something that stands for one.
#[derive(Clone, Copy)]
pub struct CallSite {
    pub caller: u32,
    pub bci: u16,
    pub sig: SigId,
    /// What receivers must be.
    pub filter: Filter,
    /// Where its reference arguments start, the receiver first.
    pub arguments: u32,
    pub count: u16,
    pub has_receiver: bool,
    pub to: GraphNode,
    pub thrown: GraphNode,
}

#[derive(Clone, Copy)]
pub struct UsedAt {
    pub bci: u16,
    pub operand: u8,
    pub written: bool,
    pub node: GraphNode,
}

#[derive(Clone, Copy)]
pub enum Pending {
    Reach(MethodIndex),
    Connect { site: u32, target: MethodIndex },
    React { node: GraphNode, reaction: Reaction },
}

pub struct World<'s> {
    pub h: Hierarchy<'s>,
    pub filters: Filters,
    pub graph: Graph,
    pub known: KnownClasses,
    pub objects: Vec<Object>,
    pub merged: Map<ClassIndex, u32>,
    pub reached: Vec<Reached>,
    pub reached_at: Map<MethodIndex, u32>,
    pub sites: Vec<CallSite>,
    pub arguments: Vec<GraphNode>,
    pub used: Vec<UsedAt>,
    pub given: Vec<crate::given::Given>,
    pub calls: HashSet<(u32, MethodIndex)>,
    pub fields: Map<(u32, u32), GraphNode>,
    pub statics: Map<FieldIndex, GraphNode>,
    pub lambdas: Map<ClassIndex, crate::dynamic::Lambda>,
    /// By class: the node of all its objects that the program creates, where that is asked for.
    made: Map<ClassIndex, GraphNode>,
    pub dispatched: Map<(ClassIndex, SigId), Option<MethodIndex>>,
    pub missing_fields: Map<(ClassIndex, crate::names::Name), FieldIndex>,
    pub references: Vec<(ClassIndex, SigId)>,
    pub pending: Vec<Pending>,
    /// Ways of exceptions from callees to callers. They hardly make anything new happen, follow every call, and go in
    /// circles: all wait until the rest is quiet, and circles are found before anything flows.
    pub late: Vec<(GraphNode, GraphNode)>,
    pub translator: Translator,
    pub body: Body,
    volatile: Map<ClassIndex, Box<[FieldIndex]>>,
    any_elements: Filter,
}

impl<'s> World<'s> {
    pub fn new(mut h: Hierarchy<'s>) -> Self {
        let mut filters = Filters::new();
        let mut graph = Graph::default();
        let known = KnownClasses::new(&mut h, &mut filters, &mut graph);
        let objects_array = h.class(b"[Ljava/lang/Object;");
        let any_elements = filters.of(objects_array, &h);
        World {
            h,
            filters,
            graph,
            known,
            objects: Vec::new(),
            merged: Map::default(),
            reached: Vec::new(),
            reached_at: Map::default(),
            sites: Vec::new(),
            arguments: Vec::new(),
            used: Vec::new(),
            given: Vec::new(),
            calls: HashSet::default(),
            fields: Map::default(),
            statics: Map::default(),
            lambdas: Map::default(),
            made: Map::default(),
            dispatched: Map::default(),
            missing_fields: Map::default(),
            references: Vec::new(),
            pending: Vec::new(),
            late: Vec::new(),
            translator: Translator::default(),
            body: Body::default(),
            volatile: Map::default(),
            any_elements,
        }
    }

    pub fn run(&mut self, progress: &mut dyn FnMut(u32, u32)) {
        let mut edges = 0;
        let mut work = 0;
        let mut told = 0;
        loop {
            while let Some(one) = self.pending.pop() {
                match one {
                    Pending::Reach(method) => {
                        self.reach(method);
                    }
                    Pending::Connect { site, target } => self.connect(site, target, true),
                    Pending::React { node, reaction } => {
                        let points = self.graph.points(node).clone();
                        self.react(reaction, &points);
                    }
                }
            }
            if self.reached.len() >= told + 1000 {
                told = self.reached.len();
                progress(told as u32, self.h.methods.len() as u32);
            }
            let stats = self.graph.stats;
            if stats.passed - work > BETWEEN_COLLAPSES && stats.edges - edges > self.graph.len() as u64 / 8 {
                circles::collapse(&mut self.graph);
                (edges, work) = (stats.edges, stats.passed);
            }
            let Some((node, fresh)) = self.graph.next_changed(&self.filters) else {
                if self.late.is_empty() {
                    break;
                }
                let late = std::mem::take(&mut self.late);
                self.graph.link(&late);
                if late.len() > WORTH_COLLAPSING {
                    circles::collapse(&mut self.graph);
                }
                self.graph.flow(&self.filters, &late);
                continue;
            };
            for at in 0..self.graph.reactions(node).len() {
                let reaction = self.graph.reactions(node)[at];
                self.react(reaction, &fresh);
            }
        }
    }

    /// From now on something happens with each object that reaches a node.
    pub fn when(&mut self, node: GraphNode, reaction: Reaction) {
        if node == NO_NODE {
            return;
        }
        let node = self.graph.react(node, reaction);
        // What the node has not been looked at for yet will be seen by all its reactions.
        if self.graph.has_old(node) {
            self.pending.push(Pending::React { node, reaction });
        }
    }

    fn react(&mut self, reaction: Reaction, objects: &Set) {
        match reaction {
            Reaction::Load { field, to } => {
                let filter = self.field_filter(field);
                objects.for_each(|o| {
                    if self.filters.passes(filter, o) {
                        let from = self.field_node(o, field);
                        self.graph.copy(&self.filters, from, to);
                    }
                });
            }
            Reaction::Store { field, from } => {
                let filter = self.field_filter(field);
                objects.for_each(|o| {
                    if self.filters.passes(filter, o) {
                        let to = self.field_node(o, field);
                        self.graph.copy(&self.filters, from, to);
                    }
                });
            }
            Reaction::LoadAny { to } => objects.for_each(|o| {
                for f in self.reachable_by_offset(o) {
                    let from = self.field_node(o, f);
                    self.graph.copy(&self.filters, from, to);
                }
            }),
            Reaction::StoreAny { from } => objects.for_each(|o| {
                for f in self.reachable_by_offset(o) {
                    let to = self.field_node(o, f);
                    self.graph.copy(&self.filters, from, to);
                }
            }),
            Reaction::Call { site } => {
                let CallSite { filter, sig, .. } = self.sites[site as usize];
                let mut last = None;
                objects.for_each(|o| {
                    if !self.filters.passes(filter, o) {
                        return;
                    }
                    let class = self.objects[o as usize].class;
                    let target = match last {
                        Some((c, t)) if c == class => t,
                        _ => {
                            let target = self.dispatch(class, sig);
                            if let Some(t) = target {
                                self.connect(site, t, false);
                            }
                            let this = target.map_or(NO_NODE, |t| {
                                self.reach(t).map_or(NO_NODE, |r| self.reached[r as usize].parameters)
                            });
                            last = Some((class, this));
                            this
                        }
                    };
                    if target != NO_NODE {
                        self.graph.insert(&self.filters, target, o);
                    }
                });
            }
        }
    }

    fn field_filter(&mut self, field: u32) -> Filter {
        if field == ELEMENTS {
            self.any_elements
        } else {
            let class = self.h.field(FieldIndex(field)).class;
            self.filters.of(class, &self.h)
        }
    }

    /// The fields that code reaches by offsets or handles: those marked for it (volatile), and elements.
    fn reachable_by_offset(&mut self, object: u32) -> Box<[u32]> {
        let class = self.objects[object as usize].class;
        if self.h.is_array(class) {
            return if self.h.element(class).is_some() { [ELEMENTS].into() } else { Box::default() };
        }
        if !self.volatile.contains_key(&class) {
            let mut fields = Vec::new();
            for c in self.h.chain(class) {
                for f in self.h.classes[c.0 as usize].fields.clone() {
                    let field = &self.h.fields[f as usize];
                    let flags = field.access & (classfile::access::VOLATILE | classfile::access::STATIC);
                    if field.holds.is_some() && flags == classfile::access::VOLATILE {
                        fields.push(FieldIndex(f));
                    }
                }
            }
            self.volatile.insert(class, fields.into());
        }
        self.volatile[&class].iter().map(|f| f.0).collect()
    }

    /// The node of a field of an object.
    pub fn field_node(&mut self, object: u32, field: u32) -> GraphNode {
        if let Some(&node) = self.fields.get(&(object, field)) {
            return node;
        }
        let holds = if field == ELEMENTS {
            let class = self.objects[object as usize].class;
            self.h.element(class)
        } else {
            self.h.field(FieldIndex(field)).holds
        };
        let node = self.typed_node(holds);
        self.fields.insert((object, field), node);
        node
    }

    pub fn static_node(&mut self, field: FieldIndex) -> GraphNode {
        if let Some(&node) = self.statics.get(&field) {
            return node;
        }
        let holds = self.h.field(field).holds;
        let node = self.typed_node(holds);
        self.statics.insert(field, node);
        node
    }

    pub fn typed_node(&mut self, class: Option<ClassIndex>) -> GraphNode {
        let node = self.graph.add(1);
        self.graph.filter[node as usize] = class.map_or(ALL, |c| self.filters.of(c, &self.h));
        node
    }

    /// A new abstract object.
    pub fn object(&mut self, class: ClassIndex, created: Option<(MethodIndex, u16)>) -> u32 {
        let o = self.objects.len() as u32;
        self.objects.push(Object { class, created });
        self.filters.add(o, class, &mut self.h);
        if self.filters.passes(self.known.enums, o)
            && self.h.classes[class.0 as usize].state == crate::hierarchy::ClassState::Loaded
        {
            self.graph.insert(&self.filters, self.known.all_enums, o);
        }
        if let Some(&all) = self.made.get(&class)
            && self.is_made_by_program(o)
        {
            self.graph.insert(&self.filters, all, o);
        }
        o
    }

    /// All objects of a class that code of the program creates.
    pub fn made_of(&mut self, class: ClassIndex) -> GraphNode {
        if let Some(&known) = self.made.get(&class) {
            return known;
        }
        let all = self.graph.add(1);
        self.made.insert(class, all);
        for o in 0..self.objects.len() as u32 {
            if self.objects[o as usize].class == class && self.is_made_by_program(o) {
                self.graph.insert(&self.filters, all, o);
            }
        }
        all
    }

    fn is_made_by_program(&self, object: u32) -> bool {
        let creator = self.objects[object as usize].created.map(|(method, _)| self.h.method(method).class);
        creator.is_some_and(|class| self.h.classes[class.0 as usize].program)
    }

    /// The one object that stands for all of a class that nothing is known of but that.
    pub fn any_of(&mut self, class: ClassIndex) -> u32 {
        if let Some(&o) = self.merged.get(&class) {
            return o;
        }
        let o = self.object(class, None);
        self.merged.insert(class, o);
        if self.h.is_array(class)
            && let Some(element) = self.h.element(class)
        {
            let inner = self.any_of(element);
            let node = self.field_node(o, ELEMENTS);
            self.graph.insert(&self.filters, node, inner);
        }
        o
    }
}
