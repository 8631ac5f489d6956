//! What was said, why it was asked and why the search begins where it does, in words that are the same for every client.

use session::{
    Answer, AskReason, Author, Clash, Keeper, Lacking, MemoryError, Report, SearchNote, Session,
    SymptomReason, TrustScope, TrustedPart,
};
use strategy::ChoiceRule;

use crate::quantity::count;
use crate::symptom::{symptom_line, symptom_text};

/// Why this is asked, and what either answer leaves.
pub fn reason(reason: &AskReason) -> String {
    let why = match reason {
        AskReason::Followed => return "The value that you called wrong was written here.".to_owned(),
        AskReason::Prevented => {
            return "What you miss could have happened here, and was prevented in this call.".to_owned();
        }
        AskReason::Given => {
            return "What should never have been given like this came from here, or was called from here."
                .to_owned();
        }
        AskReason::Unproven => {
            return "Nothing else is left, but nobody has called this wrong and nothing failed by itself."
                .to_owned();
        }
        AskReason::Unsure => {
            return "Nothing else is left, but only a program that is not sure has called this wrong."
                .to_owned();
        }
        AskReason::Root => {
            return "This is where the search begins; you want to be asked about it.".to_owned();
        }
        AskReason::Left => return "These calls are all that is left.".to_owned(),
        AskReason::Again => return "Nobody could say before, and nothing else is left to ask.".to_owned(),
        AskReason::Chosen(why) => why,
    };
    let calls = |count: u32| format!("{count} {}", if count == 1 { "suspect" } else { "suspects" });
    format!(
        "Asked because {}.\nIf it is wrong, {} left; if it is right, {}.",
        rule(why.rule),
        calls(why.suspects_inside) + if why.suspects_inside == 1 { " is" } else { " are" },
        calls(why.suspects_outside),
    )
}

/// After "because".
fn rule(rule: ChoiceRule) -> &'static str {
    match rule {
        ChoiceRule::Innermost => "everything in it is settled",
        ChoiceRule::First => "it comes first",
        ChoiceRule::Recursive => "it is a recursive call of the code that was wrong",
        ChoiceRule::Heaviest => "it holds the most",
        ChoiceRule::MostRules => "the most different methods ran in it",
        ChoiceRule::AtMostHalf => "it holds the most that is at most half",
        ChoiceRule::NearestHalf => "it is nearest to half of what is suspected",
        ChoiceRule::BestSplit => "it parts what is suspected into nearly equal halves",
        ChoiceRule::BestSplitAhead => {
            "it parts what is suspected as well as others do, and allows for a better question next"
        }
        ChoiceRule::HalfOfRules => "the number of different methods that ran in it is nearest to half",
        ChoiceRule::LeastCorrect => "its method got the smallest share of right answers",
        ChoiceRule::FewestQuestions => "no other question leads to fewer questions on average",
        ChoiceRule::FewestQuestionsPlayed => "of the best few, it leads to the fewest questions on average",
        ChoiceRule::TeachesMost => {
            "its answer says the most about which code is wrong, for the time that it takes"
        }
        ChoiceRule::LeastEffort => "on the whole it takes the least effort to answer",
    }
}

/// Why there is no verdict yet although nothing else is left.
pub fn lacking(lacking: &Lacking) -> String {
    match lacking {
        Lacking::Judgement { call } => {
            format!("nobody has called {call} wrong, and nothing failed by itself: say whether it is")
        }
        Lacking::Certainty { call } => {
            format!("only a program that is not sure has called {call} wrong: say whether it is")
        }
        Lacking::Confirmation => {
            "by the oracles' word alone the root itself would be to blame: say of the calls that they found right \
             whether these are"
                .to_owned()
        }
    }
}

/// What failed, in one line that stays in sight; none where nothing failed by itself. Where there is not room for all of it,
/// which test it was is left out: the way to the call begins with it.
pub fn in_sight(session: &Session, room: usize) -> Option<String> {
    let symptom = session.symptom();
    match &symptom.why {
        SymptomReason::Named | SymptomReason::NamedBefore | SymptomReason::Main | SymptomReason::WholeRun => {
            None
        }
        why => {
            let text = symptom_text(symptom);
            let whole = format!("{}: {text}", symptom_line(session.past(), symptom));
            Some(if why.test().is_some() && whole.chars().count() > room { text } else { whole })
        }
    }
}

/// Why the tree is not transformed as it was asked for.
pub fn search_note(note: SearchNote) -> String {
    match note {
        SearchNote::ManySuspects { suspects, limit } => {
            format!("{suspects} calls are suspected: the tree is left as it is until {limit} are")
        }
        SearchNote::ManyEvents { events, limit } => {
            format!("{events} events are looked at: the tree is left as it is until {limit} are")
        }
        SearchNote::SomeStatements => "not all statements of the call are known".to_owned(),
    }
}

/// What it means that answers cannot be kept for other sessions.
pub fn forgets(why: &MemoryError) -> String {
    format!("{why}; what you say is kept for this recording only")
}

/// What is wrong with answers that do not go together.
pub fn clash(clash: Clash) -> &'static str {
    match clash {
        Clash::Same => "the same was judged differently",
        Clash::WrongInCorrect => "something wrong lies in what was judged right",
        Clash::RunOfCorrect => "all of these are right, but not together",
    }
}

/// An answer, with what was said about it.
pub fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Correct => "correct".to_owned(),
        Answer::Wrong { because, missing, expected } => {
            let mut text = "wrong".to_owned();
            for (what, words) in
                [("because of", because), ("something is missing at", missing), ("expected", expected)]
            {
                if let Some(words) = words {
                    text.push_str(&format!(", {what} {words}"));
                }
            }
            text
        }
        Answer::Trust { scope: TrustScope::Method, name } => format!("trust the method {name}"),
        Answer::Trust { scope: TrustScope::Class, name } => format!("trust the class {name}"),
        Answer::Trust { scope: TrustScope::Package, name } => format!("trust the package {name}"),
        Answer::Inadmissible => "should never have been called like this".to_owned(),
        Answer::DontKnow => "not known".to_owned(),
    }
}

/// An answer in a word or two, after a question.
pub fn answer_word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Correct => "right",
        Answer::Wrong { .. } => "wrong",
        Answer::Trust { .. } => "trusted",
        Answer::Inadmissible => "should not have been called",
        Answer::DontKnow => "don't know",
    }
}

/// Who answered.
pub fn author(by: &Author) -> String {
    match by {
        Author::Person => "you".to_owned(),
        Author::Rule => "a rule of trust".to_owned(),
        Author::Reference(dir) => format!("the reference run {dir}"),
        Author::Tests(dir) => format!("the passing tests {dir}"),
        Author::Assertion => "an assertion that held".to_owned(),
        Author::Command { command, why, reliability } => {
            let why = why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            format!("`{command}`, {} % sure{why}", (1000.0 * reliability.share()).round() / 10.0)
        }
        Author::Remembered => "an earlier dialogue".to_owned(),
        Author::Inferred => "you, of the same call before".to_owned(),
        Author::Agent(name) => name.clone(),
    }
}

/// Where the search began: a call's name, or what stands for all of them.
pub fn root_name(session: &Session) -> String {
    session
        .symptom_call()
        .map_or_else(|| session::WHOLE_RUN.to_owned(), |call| session.past().call_name(call))
}

/// What a verdict takes for granted: `rates.jar, 541 calls`.
pub fn trusted(parts: &[TrustedPart]) -> String {
    let part = |part: &TrustedPart| {
        format!("{}, {} {}", part.name, count(part.calls), if part.calls == 1 { "call" } else { "calls" })
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// Where else the defect may be, of which the verdict knows: calls that kept what others changed, and those before all that was looked at.
/// Each follows on "or ".
pub fn elsewhere(report: &Report) -> Vec<String> {
    let keepers = report.keepers.iter().map(|Keeper { call, kept }| {
        format!(
            "in {call}: it keeps {} as {}, not a copy, and {} changes it later",
            kept.location, kept.by, kept.changer
        )
    });
    let earlier = (!report.earlier.is_empty()).then(|| {
        format!("before it, in what made the values that it went by: {}", report.earlier.join(", "))
    });
    keepers.chain(earlier).collect()
}
