//! What all requests share: the one session, and for each page what it has expanded. Work on the recording happens on
//! threads of its own, so that a long answer never keeps a short one waiting for the network. It is there before
//! there is a session: a program that was only just started has nothing to ask about yet.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use past::Past;
use session::Session;
use tokio::sync::watch;

use crate::dialogue::Dialogue;
use crate::failure::Failure;
use crate::tree_views::TreeViews;

/// How long those who look into the past are waited for when a running program's news come in; new ones wait meanwhile.
const LET_FINISH: Duration = Duration::from_millis(50);
/// How long those who look into the past are waited for at the end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

pub struct SharedSession {
    slot: Mutex<SessionSlot>,
    pub views: TreeViews,
    /// Counts up whenever something changed that a page shows.
    changed: watch::Sender<u64>,
}

/// The place of the session.
pub enum SessionSlot {
    /// There is none yet, and why.
    Waiting(String),
    Ready(Box<Dialogue>),
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

impl SharedSession {
    /// Without a session yet; pages are told why.
    pub fn empty(why: &str) -> Arc<SharedSession> {
        let slot = Mutex::new(SessionSlot::Waiting(why.to_owned()));
        Arc::new(SharedSession { slot, views: TreeViews::default(), changed: watch::channel(0).0 })
    }

    /// The session begins, with its first question at hand.
    pub fn begin(&self, session: Session) -> Result<(), Failure> {
        *self.lock() = SessionSlot::Ready(Box::new(Dialogue::begin(session)?));
        self.notify_pages();
        Ok(())
    }

    /// Says something else about why there is no session.
    pub fn explain(&self, why: &str) {
        if let slot @ SessionSlot::Waiting(_) = &mut *self.lock() {
            *slot = SessionSlot::Waiting(why.to_owned());
        }
        self.notify_pages();
    }

    /// Whoever panicked with the lock has left the session between two answers, not within one: those are on disk.
    pub fn lock(&self) -> MutexGuard<'_, SessionSlot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that pages should look again.
    pub fn notify_pages(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// How often pages were told to look again.
    pub fn version(&self) -> u64 {
        *self.changed.borrow()
    }

    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Works with the dialogue, off the network's thread.
    pub async fn with<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&mut Dialogue, &SharedSession) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let shared = Arc::clone(&self);
        let done = tokio::task::spawn_blocking(move || work(self.lock().dialogue()?, &self)).await;
        done.unwrap_or_else(|_| {
            shared.clear_up();
            Err(Failure::Broken)
        })
    }

    /// Looks into the past. The session is not held meanwhile, so that questions go on.
    pub async fn past<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Past) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let done = tokio::task::spawn_blocking(move || {
            let past = self.lock().session()?.shared_past();
            work(&past)
        });
        done.await.unwrap_or(Err(Failure::Broken))
    }

    /// After a panic: what was worked out from the answers is worked out again.
    fn clear_up(&self) {
        if let Ok(dialogue) = self.lock().dialogue() {
            dialogue.unsettle();
        }
    }

    /// Takes in what a running program did since. The session is held only to put it in place; what takes long is done
    /// while others go on asking. Over as well if the session was left meanwhile.
    pub fn look_after(&self) -> Result<Looked, Failure> {
        let Ok(past) = self.lock().session().map(|session| session.shared_past()) else {
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
        if let Ok(dialogue) = self.lock().dialogue() {
            dialogue.advance()?;
        }
        self.notify_pages();
        Ok(if self.is_live() { Looked::News } else { Looked::Over })
    }

    /// Something short with the past while nobody looks into it; none if somebody does for long.
    fn alone<T>(&self, work: impl FnOnce(&mut Past) -> T) -> Result<Option<T>, Failure> {
        let mut slot = self.lock();
        let session = slot.session()?;
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
        if let Ok(mut slot) = self.slot.try_lock()
            && let Ok(session) = slot.session()
        {
            session.past().make_room();
        }
    }

    /// May the program still do something?
    pub fn is_live(&self) -> bool {
        match &*self.lock() {
            SessionSlot::Waiting(_) => true,
            SessionSlot::Ready(dialogue) => dialogue.session.is_live(),
        }
    }

    /// At the end: keeps what was said for sessions to come. The index of a running program goes with the last who
    /// looks into it.
    pub fn leave(&self) {
        let left = std::mem::replace(&mut *self.lock(), SessionSlot::Waiting(String::new()));
        let SessionSlot::Ready(dialogue) = left else { return };
        let mut session = dialogue.session;
        session.remember();
        let past = session.shared_past();
        drop(session);
        let until = Instant::now() + SHUTDOWN_GRACE;
        while Arc::strong_count(&past) > 1 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl SessionSlot {
    pub fn dialogue(&mut self) -> Result<&mut Dialogue, Failure> {
        match self {
            SessionSlot::Waiting(why) => Err(Failure::Waiting(why.clone())),
            SessionSlot::Ready(dialogue) => Ok(dialogue),
        }
    }

    pub fn session(&mut self) -> Result<&mut Session, Failure> {
        self.dialogue().map(|dialogue| &mut dialogue.session)
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
