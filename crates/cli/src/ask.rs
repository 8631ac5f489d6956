//! `inquest ask`: the dialogue, with keys in a terminal, with lines otherwise. Here is only what is said and how;
//! what is asked and why is decided in `session`.

pub mod converse;
mod place;
mod replies;
pub mod reply;
mod voice;

use anyhow::Result;
use past::{Past, Settings};
use session::{Oracles, Session};

use crate::args::{AskArgs, SearchArgs};
use crate::look;
use crate::open::{self, Opened};

pub use converse::{Ending, converse, now};
pub use replies::Replies;
pub use voice::Voice;

pub fn run(typed: &AskArgs) -> Result<u8> {
    let settings = look::settings(&typed.look);
    let opened = open::to_look(&typed.look.dir)?;
    let place = opened.place().to_owned();
    let past = look::past(opened, &settings)?;
    let mut replies = Replies::open(typed.dialogue.answers.as_deref())?;
    let mut session = begin(past, &place, &typed.dialogue.search, &settings, !replies.by_hand())?;
    let mut voice = Voice::new(typed.look.json, typed.look.dir.clone());
    let live = session.is_live();
    let ending = converse(&mut session, &mut replies, &mut voice, &typed.dialogue, &mut |session| {
        Ok(live && session.refresh()?)
    })?;
    Ok(ending.code())
}

/// A session as the command line describes it. `repeat`: one that is over is not shown again.
pub fn begin(
    past: Past,
    place: &std::path::Path,
    typed: &SearchArgs,
    settings: &Settings,
    repeat: bool,
) -> Result<Session> {
    let oracles = Oracles::open(&typed.oracle, &past, settings)?;
    let options = session::SessionOptions {
        root: typed.root.clone(),
        ask_root: typed.ask_root,
        strategy: typed.strategy,
        easy: typed.easy,
        transforms: typed.transform.iter().flatten().copied().collect(),
        trust: typed.trust.clone(),
        distrust: typed.distrust.clone(),
        fresh: typed.fresh,
        repeat,
    };
    Ok(Session::open(past, place, options, oracles, now())?)
}

impl Opened {
    pub fn place(&self) -> &std::path::Path {
        match self {
            Opened::Finished(place) | Opened::Running(place, _) => place,
        }
    }
}
