//! The strategies by name, and the one function that all of them are reached by.

use std::fmt;
use std::str::FromStr;

use tree::{Node, Suspects};

use crate::choice::Choice;
use crate::learned::{Coverage, Learned};
use crate::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    SingleStep,
    TopDown,
    TopDownZoom,
    HeaviestFirst,
    MoreRules,
    DqShapiro,
    DqHirunkitti,
    DqNearest,
    DqOptimal,
    DivideByRules,
    LessYes,
    DivideByYes,
    DynamicWeight,
    HatDelta,
    CoverageEdge,
    CoverageDefuse,
    Optimal,
}

impl Strategy {
    /// What a person who names none gets: within 3 % of the optimum wherever that can be computed.
    pub const DEFAULT: Strategy = Strategy::DqOptimal;

    pub const ALL: [Strategy; 17] = [
        Strategy::SingleStep,
        Strategy::TopDown,
        Strategy::TopDownZoom,
        Strategy::HeaviestFirst,
        Strategy::MoreRules,
        Strategy::DqShapiro,
        Strategy::DqHirunkitti,
        Strategy::DqNearest,
        Strategy::DqOptimal,
        Strategy::DivideByRules,
        Strategy::LessYes,
        Strategy::DivideByYes,
        Strategy::DynamicWeight,
        Strategy::HatDelta,
        Strategy::CoverageEdge,
        Strategy::CoverageDefuse,
        Strategy::Optimal,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::SingleStep => "single-step",
            Strategy::TopDown => "top-down",
            Strategy::TopDownZoom => "top-down-zoom",
            Strategy::HeaviestFirst => "heaviest-first",
            Strategy::MoreRules => "more-rules",
            Strategy::DqShapiro => "dq-shapiro",
            Strategy::DqHirunkitti => "dq-hirunkitti",
            Strategy::DqNearest => "dq-nearest",
            Strategy::DqOptimal => "dq-optimal",
            Strategy::DivideByRules => "divide-by-rules",
            Strategy::LessYes => "less-yes",
            Strategy::DivideByYes => "divide-by-yes",
            Strategy::DynamicWeight => "dynamic-weight",
            Strategy::HatDelta => "hat-delta",
            Strategy::CoverageEdge => "coverage-edge",
            Strategy::CoverageDefuse => "coverage-defuse",
            Strategy::Optimal => "optimal",
        }
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
        match self {
            Strategy::SingleStep => single_step::choose(suspects),
            Strategy::TopDown => top_down::choose(suspects),
            Strategy::TopDownZoom => top_down_zoom::choose(suspects),
            Strategy::HeaviestFirst | Strategy::LessYes => heaviest_first::choose(suspects),
            Strategy::MoreRules => more_rules::choose(suspects),
            Strategy::DqShapiro => dq_shapiro::choose(suspects),
            Strategy::DqHirunkitti => dq_hirunkitti::choose(suspects),
            Strategy::DqOptimal => dq_optimal::choose(suspects),
            Strategy::DivideByRules => divide_by_rules::choose(suspects),
            Strategy::HatDelta => hat_delta::choose(suspects, learned),
            Strategy::Optimal => optimal::choose(suspects, &learned.solved),
            Strategy::DqNearest
            | Strategy::DivideByYes
            | Strategy::DynamicWeight
            | Strategy::CoverageEdge
            | Strategy::CoverageDefuse => dq_nearest::choose(suspects),
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
        let choice = self.next(suspects, learned, coverage)?;
        match self.divides() {
            true => effort::choose(suspects, choice, cost),
            false => Some(choice),
        }
    }

    /// Does it look for the node that divides what is suspected best?
    pub fn divides(self) -> bool {
        use Strategy::*;
        matches!(
            self,
            DqShapiro
                | DqHirunkitti
                | DqNearest
                | DqOptimal
                | DivideByYes
                | DynamicWeight
                | CoverageEdge
                | CoverageDefuse
                | Optimal
        )
    }

    /// Does it matter what was answered, beyond what is still suspected?
    pub fn learns(self) -> bool {
        use Strategy::*;
        matches!(self, LessYes | DivideByYes | DynamicWeight | HatDelta | CoverageEdge | CoverageDefuse)
    }

    /// Does it matter what was covered?
    pub fn covers(self) -> bool {
        matches!(self, Strategy::CoverageEdge | Strategy::CoverageDefuse)
    }

    /// Does choosing take a pass over all that is left, rather than a walk down one path?
    pub fn passes(self) -> bool {
        use Strategy::*;
        matches!(
            self,
            MoreRules | DivideByRules | LessYes | DivideByYes | DynamicWeight | CoverageEdge | CoverageDefuse
        )
    }

    /// From how many suspects on playing all dialogues takes too long to wait for.
    pub fn simulation_limit(self) -> Option<u32> {
        (self == Strategy::Optimal).then_some(optimal::SIMULATED)
    }

    fn weigh(self, suspects: &mut Suspects, learned: &Learned, coverage: Option<&Coverage>) {
        match (self, coverage) {
            (Strategy::LessYes, _) => less_yes::weigh(suspects, learned),
            (Strategy::DivideByYes, _) => divide_by_yes::weigh(suspects, learned),
            (Strategy::DynamicWeight, _) => dynamic_weight::weigh(suspects, learned),
            (Strategy::CoverageEdge, Some(coverage)) => coverage_edge::weigh(suspects, learned, coverage),
            (Strategy::CoverageDefuse, Some(coverage)) => coverage_defuse::weigh(suspects, learned, coverage),
            _ => suspects.weigh_alike(),
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
