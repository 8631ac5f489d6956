//! Why a question is asked, and why the search begins where it does, in words.

use session::{ChoiceRule as Rule, Reason, Why};

pub fn text(reason: &Reason) -> String {
    let why = match reason {
        Reason::Followed => return "The value that you called wrong was written here.".to_owned(),
        Reason::Prevented => {
            return "What you miss could have happened here, and was prevented in this call.".to_owned();
        }
        Reason::Again => return "Nobody could say before, and nothing else is left to ask.".to_owned(),
        Reason::Chosen(why) => why,
    };
    let rule = match why.rule {
        Rule::Innermost => "everything in it is settled",
        Rule::First => "it comes first",
        Rule::Recursive => "it is a recursive call of the code that was wrong",
        Rule::Heaviest => "it holds the most",
        Rule::MostRules => "the most different methods ran in it",
        Rule::AtMostHalf => "it holds the most that is at most half",
        Rule::NearestHalf => "it is nearest to half of what is suspected",
        Rule::BestSplit => "it parts what is suspected into nearly equal halves",
        Rule::BestSplitAhead => {
            "it parts what is suspected as well as others do, and allows for a better question next"
        }
        Rule::HalfOfRules => "the number of different methods that ran in it is nearest to half",
        Rule::LeastCorrect => "its method got the smallest share of right answers",
        Rule::FewestQuestions => "no other question leads to fewer questions on average",
        Rule::FewestQuestionsPlayed => "of the best few, it leads to the fewest questions on average",
        Rule::LeastEffort => "on the whole it takes the least effort to answer",
    };
    let calls = |count: u32| format!("{count} {}", if count == 1 { "suspect" } else { "suspects" });
    format!(
        "Asked because {rule}.\nIf it is wrong, {} left; if it is right, {}.",
        calls(why.suspects_inside) + if why.suspects_inside == 1 { " is" } else { " are" },
        calls(why.suspects_outside),
    )
}

/// After "Looking for the bug in main#1, ".
pub fn symptom(why: &Why) -> String {
    match why {
        Why::Named => "as you said".to_owned(),
        Why::FailedTest { message, .. } => format!("a test that failed: {message}"),
        Why::Uncaught { exception } => format!("which was left by {exception}"),
        Why::Main => "where the program began".to_owned(),
        Why::FirstCall => "the first call that was recorded".to_owned(),
    }
}
