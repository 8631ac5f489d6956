//! What a strategy says of itself, at the head of its file: all that any client shows of it, and all that the others
//! have to know to play it. Whatever else is true of a strategy follows from this.

use tree::{Node, Suspects};

use crate::choice::Choice;
use crate::learned::{Coverage, Learned};
use crate::optimal::Solved;

pub(crate) struct Definition {
    /// As it is typed.
    pub name: &'static str,
    /// A line for whoever has to choose one.
    pub summary: &'static str,
    pub weights: Weights,
    pub choose: Choose,
    /// It looks for the node that divides what is suspected best. Otherwise it orders the questions for a person who
    /// follows along.
    pub divides: bool,
}

/// What suspects weigh.
pub(crate) enum Weights {
    Alike,
    /// By what was answered about their methods.
    Answers(fn(&mut Suspects, &Learned)),
    /// By what of this kind they covered.
    Coverage(Covered, fn(&mut Suspects, &Learned, &Coverage)),
}

/// Which kind of thing is looked at to know what a call covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// Edges of control flow.
    Edges,
    /// Chains from a write of a variable to a read of it.
    DefUse,
}

/// The last is what asking about a node costs.
pub(crate) type Believing = fn(&mut Suspects, &Learned, Option<&dyn Fn(Node) -> f64>) -> Option<Choice>;

/// How the node is found, and so what that takes.
pub(crate) enum Choose {
    /// Down a path.
    Walk(fn(&mut Suspects) -> Option<Choice>),
    /// Down a path, with a look at what was answered.
    WalkByAnswers(fn(&mut Suspects, &Learned) -> Option<Choice>),
    /// By a pass over all that is left.
    Pass(fn(&Suspects) -> Option<Choice>),
    /// By playing what may follow. With more suspects than this, playing all dialogues takes too long to wait for.
    Play { choose: fn(&mut Suspects, &Solved) -> Option<Choice>, simulated: u32 },
    /// By what is believed of the code, and what a question costs if that is known. It takes a while for each question, so
    /// all dialogues are not played with more suspects than this.
    Believe { choose: Believing, simulated: u32 },
}
