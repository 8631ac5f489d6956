//! `inquest open`: the page in the browser, of a recording or of a program that is recorded meanwhile. Here is only
//! where it listens, what becomes of a program that runs, and how it ends.

pub mod browser;
mod follow;
mod signals;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use collector::LiveTail;
use past::{Past, Settings};
use server::{RunningServer, Server, SharedSession};
use session::{NamedSymptom, Oracles};

use crate::args::{OpenArgs, RecordArgs, SearchArgs};
use crate::ask;
use crate::open::{self, Opened};
use crate::opened;
use crate::record::{self, BesideRecording, RunningProgram};
use crate::run::{first_symptom, is_firm};
use crate::symptoms::Run;

/// Said on the page until there is something to ask about.
const WAITING: &str = "waiting for the program's first call";
const ENDED: &str = "the program has ended: reading what was recorded";
const NOTHING: &str = "nothing of the program was recorded, so there is nothing to ask";

pub fn run(typed: OpenArgs) -> Result<u8> {
    // What is wrong with the request is said before anything else happens.
    Oracles::check(&typed.search.oracle)?;
    let server = Server::bind(typed.port).map_err(|error| cannot_listen(typed.port, error))?;
    match typed.dir.clone() {
        Some(dir) => open_recording(&dir, server, typed).map(|()| 0),
        None => open_command(server, typed),
    }
}

fn cannot_listen(port: Option<u16>, error: io::Error) -> anyhow::Error {
    let port = port.map_or("any port".to_owned(), |port| format!("port {port}"));
    anyhow::Error::new(error)
        .context(format!("cannot listen on {port} of 127.0.0.1: give another with --port, or leave it out"))
}

fn settings(typed: &OpenArgs, memory: Option<u64>) -> Settings {
    let usual = Settings::default();
    Settings {
        memory: memory.map_or(usual.memory, |memory| usize::try_from(memory).unwrap_or(usize::MAX)),
        sources: typed.source.clone(),
        working_folder: std::env::current_dir().ok(),
        large: opened::large(),
    }
}

/// The page of a recording that is there, finished or not.
fn open_recording(dir: &Path, server: Server, typed: OpenArgs) -> Result<()> {
    let record = &typed.record;
    if record.output.is_some() || record.force || !record.include.is_empty() || !record.exclude.is_empty() {
        bail!(
            "{} is recorded already: -o, --include, --exclude and --force are for a command",
            dir.display()
        );
    }
    let settings = settings(&typed, record.memory);
    let run = Run::open_for(dir, &typed.symptom, None, &typed.search, &settings)?;
    let (place, past, symptom) = run.choose(&typed.symptom, None, &typed.search, &settings)?;
    let running = past.is_live();
    let partial = past.partial().is_some();
    let shared = SharedSession::empty(WAITING);
    let waits = running && !is_firm(&past, typed.search.root.as_deref(), false);
    let past = if waits {
        Some(past)
    } else {
        begin(&shared, past, &place, &typed.search, symptom.clone(), &settings)?;
        None
    };
    let address = server.address();
    let port = server.port();
    signals::hold();
    let serving = server.start(Arc::clone(&shared))?;
    // Whoever closed our output does not want to know.
    let _ = writeln!(io::stdout(), "{address}").and_then(|()| io::stdout().flush());
    if !typed.no_browser {
        browser::browse(&address, port);
    }
    if running || partial {
        let shared = Arc::clone(&shared);
        std::thread::spawn(move || {
            let begun = match past {
                Some(past) => follow::wait(past, typed.search.root.as_deref())
                    .and_then(|past| begin(&shared, past, &place, &typed.search, symptom, &settings)),
                None => Ok(()),
            };
            match begun {
                Ok(()) => follow::follow(&shared, &|| false),
                Err(error) => shared.explain(&report_error(&error)),
            }
        });
    }
    signals::wait();
    end(serving, &shared);
    Ok(())
}

/// Records a program and shows its page meanwhile, and afterwards.
fn open_command(server: Server, mut typed: OpenArgs) -> Result<u8> {
    let settings = settings(&typed, None);
    if typed.symptom.symptom.is_some() || typed.symptom.request.is_some() {
        bail!("--symptom and --request are for a recording that is there: a command has not shown any yet");
    }
    if let Some(output) = &typed.record.output {
        typed.record.output = Some(std::path::absolute(output)?);
    }
    let shared = SharedSession::empty(WAITING);
    let (address, port) = (server.address(), server.port());
    let serving = signals::held(|| server.start(Arc::clone(&shared)))?;
    let page = Page {
        shared: Arc::clone(&shared),
        address: address.clone(),
        port: (!typed.no_browser).then_some(port),
        search: typed.search,
        settings,
        state: Mutex::default(),
    };
    let ran = record::run_with(RecordArgs { options: typed.record, command: typed.command }, Some(&page));
    let code = match ran {
        Ok(code) => code,
        Err(error) => {
            serving.end();
            return Err(error);
        }
    };
    if !record::was_told_to_end() {
        eprintln!("inquest: the program has ended; the page stays at {address} until Ctrl-C");
        signals::hold();
        std::thread::spawn(move || {
            if let Err(error) = page.after() {
                page.shared.explain(&report_error(&error));
            }
        });
        signals::wait();
    }
    end(serving, &shared);
    Ok(code)
}

/// The page of a program that is being recorded.
struct Page {
    shared: Arc<SharedSession>,
    address: String,
    /// To be opened in a browser.
    port: Option<u16>,
    search: SearchArgs,
    settings: Settings,
    state: Mutex<RecordingState>,
}

#[derive(Clone, Default)]
struct RecordingState {
    /// Where the program's recordings are.
    dir: PathBuf,
    /// There is a session on one of them.
    begun: bool,
}

impl BesideRecording for Page {
    fn takes_input(&self) -> bool {
        false
    }

    fn keep(&self, running: &RunningProgram) {
        eprintln!("inquest: the page is at {}", self.address);
        if let Some(port) = self.port {
            browser::browse(&self.address, port);
        }
        self.state().dir = running.dir.to_owned();
        // The program goes on, and so does its recording.
        if let Err(error) = self.show(running) {
            self.shared.explain(&report_error(&error));
        }
    }
}

impl Page {
    fn state(&self) -> std::sync::MutexGuard<'_, RecordingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows the program to its end. The last it did is read when its recording is where it stays.
    fn show(&self, running: &RunningProgram) -> Result<()> {
        let root = self.search.root.as_deref();
        let Some((place, past)) = first_symptom(running, root, &self.settings, false)? else {
            self.shared.explain(ENDED);
            return Ok(());
        };
        if collector::jvm_folders(running.dir).len() > 1 {
            eprintln!("inquest: the page shows {}", place.display());
        }
        begin(&self.shared, past, &place, &self.search, None, &self.settings)?;
        self.state().begun = true;
        follow::follow(&self.shared, &|| running.over.load(std::sync::atomic::Ordering::Acquire));
        Ok(())
    }

    /// When the program has ended and its recording is where it stays.
    fn after(&self) -> Result<()> {
        let RecordingState { dir, begun } = self.state().clone();
        if begun {
            follow::follow(&self.shared, &|| false);
            return Ok(());
        }
        if !dir.is_dir() {
            bail!(NOTHING);
        }
        let places = open::all(&dir)?;
        for place in &places {
            let past = opened::past(Opened::Finished(place.clone()), &self.settings)?;
            if is_firm(&past, self.search.root.as_deref(), true) {
                if places.len() > 1 {
                    eprintln!("inquest: the page shows {}", place.display());
                }
                return begin(&self.shared, past, place, &self.search, None, &self.settings);
            }
        }
        bail!(NOTHING)
    }
}

fn begin(
    shared: &SharedSession,
    mut past: Past,
    place: &Path,
    search: &SearchArgs,
    symptom: Option<NamedSymptom>,
    settings: &Settings,
) -> Result<()> {
    if past.is_live() {
        past.follow_beside(LiveTail::open(place).map(|tail| Box::new(tail) as _))?;
    }
    let session = ask::begin(past, place, search, symptom, settings, ask::Asked::Person, false)?;
    if let Some(why) = session.forgets() {
        eprintln!("inquest: {}", words::forgets(why));
    }
    shared.begin(session).context("there is no first question")
}

/// Says what went wrong, here and for the page.
fn report_error(error: &anyhow::Error) -> String {
    let text = crate::error_chain(error);
    eprintln!("inquest: {text}{}", crate::option_for(error));
    text
}

fn end(serving: RunningServer, shared: &SharedSession) {
    serving.end();
    // This may take a moment, and somebody may not want to wait for it.
    signals::release();
    shared.leave();
}
