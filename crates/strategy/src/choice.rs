//! A question to ask and why it was chosen, as plain data: what to say about it is up to the client.

use tree::{Node, Suspects};

/// What to ask about next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub node: Node,
    pub why: ChoiceReason,
}

/// Why that, in numbers that a person can check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiceReason {
    pub rule: ChoiceRule,
    /// What the suspects in the node weigh: they stay if it is wrong.
    pub inside: f64,
    /// What the others weigh: they stay if it is correct.
    pub outside: f64,
    /// How many suspects there are in the node.
    pub suspects_inside: u32,
    pub suspects_outside: u32,
    /// About how many more questions to expect after this one: log2 of the suspects left, by the odds of either
    /// answer.
    pub expected: f64,
    /// What it teaches, where that is what it was chosen by.
    pub teaches: Option<Teaches>,
}

/// What is expected of an answer, by what is believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teaches {
    /// How likely the node is wrong.
    pub wrong: f64,
    /// How much less is unknown afterwards, on average, in bits.
    pub bits: f64,
    /// What is unknown now.
    pub open: f64,
}

/// What made the node the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceRule {
    /// Nothing in it is left to ask about.
    Innermost,
    /// It comes first.
    First,
    /// It is a recursive call of the code that was wrong.
    Recursive,
    /// It holds the most.
    Heaviest,
    /// The most different methods ran in it.
    MostRules,
    /// It holds the most that is at most half.
    AtMostHalf,
    /// It is nearest to half.
    NearestHalf,
    /// What lies below it and what lies outside of it weigh nearly the same.
    BestSplit,
    /// It is as good as others, and allows for the better question after it.
    BestSplitAhead,
    /// The number of different methods that ran in it is nearest to half.
    HalfOfRules,
    /// Its method got the smallest share of correct answers.
    LeastCorrect,
    /// No other question leads to fewer questions on average: every dialogue was weighed.
    FewestQuestions,
    /// The same, of the few best, by playing the dialogues that follow.
    FewestQuestionsPlayed,
    /// Asking it takes the least effort on the whole.
    LeastEffort,
    /// Its answer says the most about which code is wrong, for the time that it takes.
    TeachesMost,
}

impl Choice {
    pub(crate) fn of(suspects: &Suspects, node: Node, rule: ChoiceRule) -> Choice {
        let inside = suspects.weight(node);
        let outside = suspects.total() - inside;
        let suspects_inside = suspects.count(node);
        let suspects_outside = suspects.len() - suspects_inside;
        let bits = |count: u32| f64::from(count.max(1)).log2();
        let expected =
            (inside * bits(suspects_inside) + outside * bits(suspects_outside)) / (inside + outside);
        Choice {
            node,
            why: ChoiceReason {
                rule,
                inside,
                outside,
                suspects_inside,
                suspects_outside,
                expected,
                teaches: None,
            },
        }
    }
}
