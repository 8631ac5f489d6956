//! What all requests share: the one session, and for each page what it has expanded. Work on the recording happens on
//! threads of its own, so that a long answer never keeps a short one waiting for the network. The desk is there before
//! the session is: a program that was only just started has nothing to ask about yet.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use past::Past;
use session::{Next, Session};
use tokio::sync::watch;

use crate::failure::Failure;
use crate::looks::Looks;

/// Answers of oracles that are taken in before somebody asks what the question is.
const IN_A_ROW: usize = 200;
/// How long those who look into the past are waited for when a running program's news come in; new ones wait meanwhile.
const LET_FINISH: Duration = Duration::from_millis(50);
/// How long those who look into the past are waited for at the end.
const LAST_LOOK: Duration = Duration::from_secs(2);

pub struct Desk {
    seat: Mutex<Seat>,
    pub looks: Looks,
    /// Counts up whenever something changed that a page shows.
    changed: watch::Sender<u64>,
}

/// Who sits at the desk.
pub enum Seat {
    /// Nobody yet, and why.
    Empty(String),
    Taken(Box<Session>),
}

/// What became of looking after a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// It did nothing since.
    Same,
    /// It did something, and pages were told.
    News,
    /// Nothing more will come.
    Over,
}

impl Desk {
    /// A desk without a session yet; pages are told why.
    pub fn empty(why: &str) -> Arc<Desk> {
        let seat = Mutex::new(Seat::Empty(why.to_owned()));
        Arc::new(Desk { seat, looks: Looks::default(), changed: watch::channel(0).0 })
    }

    /// The session begins, with its first question at hand.
    pub fn begin(&self, mut session: Session) -> Result<(), Failure> {
        ready(&mut session)?;
        *self.seat() = Seat::Taken(Box::new(session));
        self.touch();
        Ok(())
    }

    /// Says something else about why there is no session.
    pub fn explain(&self, why: &str) {
        if let seat @ Seat::Empty(_) = &mut *self.seat() {
            *seat = Seat::Empty(why.to_owned());
        }
        self.touch();
    }

    /// Whoever panicked while sitting here has left the session between two answers, not within one: those are on disk.
    pub fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that pages should look again.
    pub fn touch(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// How often pages were told to look again.
    pub fn news(&self) -> u64 {
        *self.changed.borrow()
    }

    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Works with the session, off the network's thread.
    pub async fn with<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&mut Session, &Desk) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let desk = Arc::clone(&self);
        let done = tokio::task::spawn_blocking(move || work(self.seat().session()?, &self)).await;
        done.unwrap_or_else(|_| {
            desk.clear_up();
            Err(Failure::Broken)
        })
    }

    /// Looks into the past. The session is not held meanwhile, so that questions go on.
    pub async fn past<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Past) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let done = tokio::task::spawn_blocking(move || {
            let past = self.seat().session()?.shared_past();
            work(&past)
        });
        done.await.unwrap_or(Err(Failure::Broken))
    }

    /// After a panic: what was worked out from the answers is worked out again.
    fn clear_up(&self) {
        if let Ok(session) = self.seat().session() {
            let (strategy, transforms) = (session.options().strategy, session.options().transforms.clone());
            session.choose_by(strategy, transforms);
        }
    }

    /// Takes in what a running program did since. The session is held only to put it in place; what takes long is done
    /// while others go on asking. Over as well if the session was left meanwhile.
    pub fn look_after(&self) -> Result<Looked, Failure> {
        let Ok(past) = self.seat().session().map(|session| session.shared_past()) else {
            return Ok(Looked::Over);
        };
        let mut news = past.catch_up()?;
        if news.is_none() {
            return Ok(if past.is_live() { Looked::Same } else { Looked::Over });
        }
        drop(past);
        while news.is_some() {
            let taken = self.alone(|past| news.take().into_iter().for_each(|news| past.take_in(news)));
            if taken.is_err() {
                return Ok(Looked::Over);
            }
        }
        if let Ok(session) = self.seat().session() {
            ready(session)?;
        }
        self.touch();
        Ok(if self.is_live() { Looked::News } else { Looked::Over })
    }

    /// Something short with the past while nobody looks into it; none if somebody does for long.
    fn alone<T>(&self, work: impl FnOnce(&mut Past) -> T) -> Result<Option<T>, Failure> {
        let mut seat = self.seat();
        let session = seat.session()?;
        let until = Instant::now() + LET_FINISH;
        loop {
            if let Some(past) = session.past_alone() {
                return Ok(Some(work(past)));
            }
            if Instant::now() > until {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Lets go of mapped files if the process is near its memory setting: one long answer may read more than that.
    pub fn stay_small(&self) {
        if let Ok(mut seat) = self.seat.try_lock()
            && let Ok(session) = seat.session()
        {
            session.past().make_room();
        }
    }

    /// May the program still do something?
    pub fn is_live(&self) -> bool {
        match &*self.seat() {
            Seat::Empty(_) => true,
            Seat::Taken(session) => session.is_live(),
        }
    }

    /// At the end: keeps what was said for sessions to come. The index of a running program goes with the last who
    /// looks into it.
    pub fn leave(&self) {
        let Seat::Taken(mut session) = std::mem::replace(&mut *self.seat(), Seat::Empty(String::new()))
        else {
            return;
        };
        session.remember();
        let past = session.shared_past();
        drop(session);
        let until = Instant::now() + LAST_LOOK;
        while Arc::strong_count(&past) > 1 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Seat {
    pub fn session(&mut self) -> Result<&mut Session, Failure> {
        match self {
            Seat::Empty(why) => Err(Failure::Waiting(why.clone())),
            Seat::Taken(session) => Ok(session),
        }
    }
}

/// Goes on to the next question for a person, so that it is at hand when a page asks.
fn ready(session: &mut Session) -> Result<(), Failure> {
    for _ in 0..IN_A_ROW {
        if !matches!(session.next(now())?, Next::Answered { .. }) {
            break;
        }
    }
    Ok(())
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
