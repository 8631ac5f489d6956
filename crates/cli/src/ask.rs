//! `inquest ask`: the dialogue, with keys in a terminal, with lines otherwise. Here is only what is said and how;
//! what is asked and why is decided in `session`.

pub mod changed;
pub mod converse;
mod output;
mod path_to_question;
mod program_oracle;
mod replies;
pub mod reply;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use past::{Past, Settings};
use session::{NamedSymptom, OracleSpec, Oracles, Session, Strategy, Transform};

use crate::args::{AskArgs, DialogueArgs, SearchArgs, SymptomArgs};
use crate::opened;
use crate::symptoms::Run;
use crate::terminal::Terminal;

pub use converse::{DialogueEnd, converse, now};
pub use output::DialogueOutput;
use program_oracle::ProgramOracle;
pub use replies::Replies;

pub fn run(typed: &AskArgs) -> Result<u8> {
    let settings = opened::settings(&typed.recording);
    let search = &typed.dialogue.search;
    let output = typed.output.as_deref();
    let run = Run::open_for(&typed.recording.dir, &typed.symptom, output, search, &settings)?;
    let (place, past, symptom) = run.choose(&typed.symptom, typed.output.as_deref(), search, &settings)?;
    if typed.summary {
        return summary(&past, &place, typed.recording.json);
    }
    let replies = Replies::open(typed.dialogue.answers.as_deref())?;
    let ending = talk(place, past, symptom, &typed.dialogue, replies, typed.recording.json, &settings)?;
    Ok(ending.code())
}

/// The dialogue about a symptom of a run that is there.
pub fn about(
    run: Run,
    number: Option<usize>,
    typed: &DialogueArgs,
    replies: Replies,
    json: bool,
    settings: &Settings,
) -> Result<DialogueEnd> {
    let symptom = SymptomArgs { symptom: number, request: None };
    let (place, past, named) = run.choose(&symptom, None, &typed.search, settings)?;
    talk(place, past, named, typed, replies, json, settings)
}

fn talk(
    place: PathBuf,
    past: Past,
    symptom: Option<NamedSymptom>,
    typed: &DialogueArgs,
    mut replies: Replies,
    json: bool,
    settings: &Settings,
) -> Result<DialogueEnd> {
    let asked = Asked::by(json, typed);
    let mut session = begin(past, &place, &typed.search, symptom, settings, asked, replies.begin_anew()?)?;
    let mut output = DialogueOutput::new(json, place, replies.driven());
    let live = session.is_live();
    converse(&mut session, &mut replies, &mut output, typed, &mut |session| Ok(live && session.refresh()?))
}

/// What the journal says of the last session.
fn summary(past: &Past, place: &std::path::Path, json: bool) -> Result<u8> {
    let Some(found) = session::summary(past, place)? else {
        bail!("nobody was asked about {} yet: inquest ask {} begins", place.display(), place.display());
    };
    let mut out = Terminal::open();
    match json {
        true => out.json(&wire::Summary::from(&found))?,
        false => out.lines(&words::summary(&found))?,
    }
    out.flush()?;
    Ok(0)
}

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Person,
    /// Or a file of answers.
    Program,
}

impl Asked {
    pub fn by(json: bool, typed: &DialogueArgs) -> Asked {
        if json || typed.answers.is_some() { Asked::Program } else { Asked::Person }
    }
}

/// A session as the command line describes it. `repeat`: one that is over is not shown again.
pub fn begin(
    past: Past,
    place: &std::path::Path,
    typed: &SearchArgs,
    symptom: Option<NamedSymptom>,
    settings: &Settings,
    asked: Asked,
    repeat: bool,
) -> Result<Session> {
    let mut oracles = Oracles::open(&typed.oracle, &past, settings)?;
    for oracle in typed.oracle.iter().take_while(|oracle| **oracle != OracleSpec::User) {
        if let OracleSpec::Command(command) = oracle {
            oracles.add(Box::new(ProgramOracle::new(command, Duration::from_secs(typed.oracle_wait))));
        }
    }
    let options = session::SessionOptions {
        root: typed.root.clone(),
        symptom,
        ask_root: typed.ask_root,
        // Who names a strategy wants its order.
        root_first: typed.ask_root && typed.strategy.is_none(),
        take_over: typed.strategy.is_none(),
        lists: typed.strategy.is_none() && asked == Asked::Person,
        strategy: typed.strategy.unwrap_or(Strategy::DEFAULT),
        easy: typed.easy,
        transforms: match &typed.transform[..] {
            // A program that answers knows of single calls.
            [] if typed.strategy.is_none() && asked == Asked::Person => Transform::DEFAULT.to_vec(),
            named => named.iter().flatten().copied().collect(),
        },
        trust: typed.trust.clone(),
        distrust: typed.distrust.clone(),
        changed: typed.changed.as_deref().map(changed::changed).transpose()?,
        certain: typed.certain,
        fresh: typed.fresh,
        repeat,
    };
    Ok(Session::open(past, place, options, oracles, now())?)
}
