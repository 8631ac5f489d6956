//! A session and how far its dialogue is. To go on writes to the journal (what oracles say, that it came to its end), so
//! it happens when something was said or the program went on, and never because somebody looks: what is asked now is
//! kept here and only read.

use std::time::{Duration, Instant};

use session::{Next, Session, Verdict};
use wire::AskedQuestion;

use crate::failure::Failure;
use crate::shared_session::now;

/// Answers of oracles that are taken in at once; others wait for the session meanwhile.
const IN_A_ROW: usize = 200;
/// And how long that may take: programs need seconds for an answer.
const LONG: Duration = Duration::from_millis(500);

pub struct Dialogue {
    pub session: Session,
    reached: Reached,
}

/// Where the dialogue is.
pub enum Reached {
    /// Oracles may have more to say.
    Advancing,
    Question(Box<AskedQuestion>),
    Verdict(Verdict),
}

impl Dialogue {
    /// As it was left, whatever oracles have to say.
    pub fn unadvanced(session: Session) -> Dialogue {
        Dialogue { session, reached: Reached::Advancing }
    }

    /// With its first question at hand.
    pub fn begin(session: Session) -> Result<Dialogue, Failure> {
        let mut dialogue = Dialogue::unadvanced(session);
        dialogue.advance()?;
        Ok(dialogue)
    }

    /// Goes on until a person is to be asked, or there is an end, or oracles have said much.
    pub fn advance(&mut self) -> Result<(), Failure> {
        self.reached = Reached::Advancing;
        let began = Instant::now();
        for _ in 0..IN_A_ROW {
            if began.elapsed() > LONG {
                break;
            }
            self.reached = match self.session.next(now())? {
                Next::Answered(_) | Next::Confirmed(_) => continue,
                Next::Question(asked) => Reached::Question(Box::new((*asked).into())),
                Next::Verdict(outcome) => Reached::Verdict(outcome),
            };
            break;
        }
        Ok(())
    }

    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// What was worked out from the answers is to be worked out again.
    pub fn unsettle(&mut self) {
        let (strategy, transforms) =
            (self.session.options().strategy, self.session.options().transforms.clone());
        self.session.choose_by(strategy, transforms);
        self.reached = Reached::Advancing;
    }
}
