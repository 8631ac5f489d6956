//! The strategies by name, and the one function that all of them are reached by.

use std::fmt;
use std::str::FromStr;

use tree::{Node, Suspects};

use crate::belief::Belief;
use crate::choice::Choice;
use crate::definition::{Choose, Covered, Definition, Weights};
use crate::effort;
use crate::learned::{Coverage, Learned};

/// Each strategy with the file that defines it, in the order in which they are shown.
macro_rules! strategies {
    ($($strategy:ident: $file:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Strategy {
            $($strategy,)*
        }

        impl Strategy {
            pub const ALL: [Strategy; [$(Strategy::$strategy),*].len()] = [$(Strategy::$strategy),*];

            fn definition(self) -> &'static Definition {
                match self {
                    $(Strategy::$strategy => &crate::$file::DEFINITION,)*
                }
            }
        }
    };
}

strategies! {
    SingleStep: single_step,
    TopDown: top_down,
    TopDownZoom: top_down_zoom,
    HeaviestFirst: heaviest_first,
    MoreRules: more_rules,
    DqShapiro: dq_shapiro,
    DqHirunkitti: dq_hirunkitti,
    DqNearest: dq_nearest,
    DqOptimal: dq_optimal,
    DivideByRules: divide_by_rules,
    LessYes: less_yes,
    DivideByYes: divide_by_yes,
    DynamicWeight: dynamic_weight,
    HatDelta: hat_delta,
    CoverageEdge: coverage_edge,
    CoverageDefuse: coverage_defuse,
    Optimal: optimal,
    Belief: belief,
}

impl Strategy {
    /// What who names none gets: it finds mistakes in real programs with half of the questions that others need.
    pub const DEFAULT: Strategy = Strategy::Belief;

    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// A line for whoever has to choose one.
    pub fn summary(self) -> &'static str {
        self.definition().summary
    }

    /// The node to ask about next, or none if nothing is left but what was put off. Expects that `Suspects::found`
    /// has nothing to say, and sets the weights as the strategy wants them. `coverage` is by edges or by def-use chains
    /// as the strategy's name says; without it all suspects weigh the same.
    pub fn next(
        self,
        suspects: &mut Suspects,
        learned: &Learned,
        coverage: Option<&Coverage>,
    ) -> Option<Choice> {
        if suspects.is_empty() {
            return None;
        }
        self.weigh(suspects, learned, coverage);
        match self.definition().choose {
            Choose::Walk(choose) => choose(suspects),
            Choose::WalkByAnswers(choose) => choose(suspects, learned),
            Choose::Pass(choose) => choose(suspects),
            Choose::Play { choose, .. } => choose(suspects, &learned.solved),
            Choose::Believe { choose, .. } => choose(suspects, learned, None),
        }
    }

    /// As `next`, but of the nodes that are nearly as good it takes the one that costs the least on the whole. `cost`
    /// says what asking about a node costs. Only for strategies that divide: the others order the questions for a
    /// person who follows along, and stay as they are.
    pub fn next_by_effort(
        self,
        suspects: &mut Suspects,
        learned: &Learned,
        coverage: Option<&Coverage>,
        cost: &dyn Fn(Node) -> f64,
    ) -> Option<Choice> {
        if let Choose::Believe { choose, .. } = self.definition().choose {
            return if suspects.is_empty() { None } else { choose(suspects, learned, Some(cost)) };
        }
        let choice = self.next(suspects, learned, coverage)?;
        match self.divides() {
            true => effort::choose(suspects, choice, cost),
            false => Some(choice),
        }
    }

    /// What it begins with, before anything is answered.
    pub fn begin(self, suspects: &Suspects) -> Learned {
        let belief = self.believes().then(|| Belief::of_tree(suspects));
        Learned { belief, ..Learned::default() }
    }

    /// Does it ask by what is believed of the code, rather than by the tree alone? Then what a question costs counts too.
    pub fn believes(self) -> bool {
        matches!(self.definition().choose, Choose::Believe { .. })
    }

    /// Does it look for the node that divides what is suspected best?
    pub fn divides(self) -> bool {
        self.definition().divides
    }

    /// What of each call has to be known as covered, if anything.
    pub fn covered(self) -> Option<Covered> {
        match self.definition().weights {
            Weights::Coverage(covered, _) => Some(covered),
            Weights::Alike | Weights::Answers(_) => None,
        }
    }

    /// Does it look at every suspect for a question, or at many of them more than once? Then the tree had better be in
    /// memory.
    pub fn looks_at_all(self) -> bool {
        self.passes() || matches!(self.definition().choose, Choose::Play { .. })
    }

    /// Does choosing take a pass over all that is left, rather than a walk down one path?
    pub(crate) fn passes(self) -> bool {
        self.weighs() || matches!(self.definition().choose, Choose::Pass(_))
    }

    /// Does it matter what was answered, beyond what is still suspected?
    pub(crate) fn learns(self) -> bool {
        self.weighs() || self.believes() || matches!(self.definition().choose, Choose::WalkByAnswers(_))
    }

    /// Do the weights change with the answers?
    fn weighs(self) -> bool {
        match self.definition().weights {
            Weights::Alike => false,
            Weights::Answers(_) | Weights::Coverage(..) => true,
        }
    }

    /// From how many suspects on playing all dialogues takes too long to wait for.
    pub fn simulation_limit(self) -> Option<u32> {
        match self.definition().choose {
            Choose::Play { simulated, .. } | Choose::Believe { simulated, .. } => Some(simulated),
            Choose::Walk(_) | Choose::WalkByAnswers(_) | Choose::Pass(_) => None,
        }
    }

    fn weigh(self, suspects: &mut Suspects, learned: &Learned, coverage: Option<&Coverage>) {
        match (&self.definition().weights, coverage) {
            (Weights::Answers(weigh), _) => weigh(suspects, learned),
            (Weights::Coverage(_, weigh), Some(coverage)) => weigh(suspects, learned, coverage),
            (Weights::Alike, _) | (Weights::Coverage(..), None) => suspects.weigh_alike(),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "there is no strategy {:?}; there are", self.0)?;
        Strategy::ALL.iter().try_for_each(|strategy| write!(f, " {strategy}"))
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Strategy, UnknownStrategy> {
        let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        known.ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}
