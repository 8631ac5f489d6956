//! Which node to ask about next. Each strategy is a function of what is suspected and what was learned from the
//! answers so far, in a file of its own that begins with its definition.
//!
//! In the definitions: r is the lowest node judged wrong, or the root of all while that is not judged; A are the
//! suspects left in it; p(v) is what v itself weighs, 1 unless said otherwise; w(v) is what A weighs in the subtree
//! of v; W = w(r). "Child" means a topmost node below that can be asked about: what is trusted, not completed or put
//! off is looked through. Among equals the heavier comes first, then the earlier, unless said otherwise.

mod belief;
mod choice;
mod coverage_defuse;
mod coverage_edge;
mod definition;
mod divide_by_rules;
mod divide_by_yes;
mod dq_hirunkitti;
mod dq_nearest;
mod dq_optimal;
mod dq_shapiro;
mod dynamic_weight;
mod effort;
mod hat_delta;
mod heaviest_first;
mod learned;
mod less_yes;
mod more_rules;
mod optimal;
mod path;
mod rules;
mod simulate;
mod single_step;
mod strategy;
mod top_down;
mod top_down_zoom;

#[cfg(test)]
mod tests;

pub use belief::{Belief, CallClass, Hypothesis, PERSON, UnitChance, UnitId};
pub use choice::{Choice, ChoiceReason, ChoiceRule, Teaches};
pub use definition::Covered;
pub use learned::{Coverage, Judgement, Learned};
pub use simulate::{QuestionCounts, bugs_in, simulate, simulate_within};
pub use strategy::{Strategy, UnknownStrategy};
