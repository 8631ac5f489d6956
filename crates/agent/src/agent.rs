//! The agent's state: one per JVM, made when the agent is loaded, never dropped.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, RwLock};
use std::time::Instant;

use pool::{CHUNK_SIZE, Lock, Pool};
use trace::tables;

use crate::jvm::Jvmti;
use crate::natives::Memory;
use crate::options::AgentOptions;
use crate::recorder::Recorder;
use crate::scope::Scope;
use crate::table_stream::TableStream;

pub struct Agent {
    pub options: AgentOptions,
    pub jvmti: Jvmti,
    pub pool: Pool,
    pub memory: Memory,
    pub tables: TableStream,
    pub started: Instant,
    pub scope: OnceLock<Scope>,
    pub recorder: OnceLock<Recorder>,
    /// Where threads have their generator of hash codes; nothing if it was not found.
    pub generator: OnceLock<isize>,
    /// Classes of the JDK that must stay as they are, with all that is nested in them, because the JVM's archive has
    /// their lambdas.
    pub archived_lambdas: OnceLock<HashSet<Vec<u8>>>,
    /// Held while the JVM lives.
    pub _lock: Lock,
    pub next_class: AtomicU32,
    pub next_method: AtomicU32,
    pub next_site: AtomicU32,
    next_type: AtomicU32,
    /// Name → loader and class number of each class of the program.
    classes: Mutex<HashMap<Vec<u8>, Vec<Numbers>>>,
    /// Names of classes of libraries whose fields the recording knows.
    described: Mutex<HashSet<Vec<u8>>>,
    /// Names of volatile fields of the program's classes. By name alone: a field may be named through a subclass, and
    /// an ordering point too many does no harm.
    pub volatile_fields: RwLock<HashSet<Vec<u8>>>,
    /// Packages that classes of the program are in.
    pub program_packages: RwLock<HashSet<Vec<u8>>>,
    /// Numbers of methods, by which a call and the method that it enters know each other; from 1 on.
    links: Mutex<HashMap<Vec<u8>, u32>>,
    /// Classes of the program with methods that are not recorded.
    partial: Mutex<HashSet<u32>>,
    /// The first class of each name.
    first: Mutex<HashMap<Vec<u8>, u32>>,
    first_chunk: OnceLock<usize>,
}

/// Of a class's loader, and of the class.
type Numbers = (u32, u32);

static AGENT: OnceLock<Agent> = OnceLock::new();

impl Agent {
    pub fn get() -> Option<&'static Agent> {
        AGENT.get()
    }

    pub fn install(agent: Agent) -> Option<&'static Agent> {
        AGENT.set(agent).ok()?;
        AGENT.get()
    }

    pub fn new(options: AgentOptions, jvmti: Jvmti, pool: Pool, memory: Memory, lock: Lock) -> Agent {
        Agent {
            options,
            jvmti,
            pool,
            memory,
            tables: TableStream::new(),
            started: Instant::now(),
            scope: OnceLock::new(),
            recorder: OnceLock::new(),
            generator: OnceLock::new(),
            archived_lambdas: OnceLock::new(),
            _lock: lock,
            next_class: AtomicU32::new(0),
            next_method: AtomicU32::new(0),
            next_site: AtomicU32::new(0),
            next_type: AtomicU32::new(0),
            classes: Mutex::new(HashMap::new()),
            described: Mutex::new(HashSet::new()),
            volatile_fields: RwLock::new(HashSet::new()),
            program_packages: RwLock::new(HashSet::new()),
            links: Mutex::new(HashMap::new()),
            partial: Mutex::new(HashSet::new()),
            first: Mutex::new(HashMap::new()),
            first_chunk: OnceLock::new(),
        }
    }

    pub fn next_type(&self) -> u32 {
        self.next_type.fetch_add(1, Ordering::Relaxed)
    }

    pub fn class_of(&self, name: &[u8], loader: u32) -> Option<u32> {
        let classes = self.classes.lock().ok()?;
        classes.get(name)?.iter().find(|(l, _)| *l == loader).map(|(_, class)| *class)
    }

    /// Whether a class of the program, of any loader, has this name.
    pub fn is_program(&self, name: &[u8]) -> bool {
        self.classes.lock().is_ok_and(|classes| classes.contains_key(name))
    }

    /// Whether a class of the JDK must not be changed.
    pub fn must_stay(&self, name: &[u8]) -> bool {
        let outermost = name.split(|&b| b == b'$').next().unwrap_or(name);
        self.archived_lambdas.get().is_some_and(|set| set.contains(outermost))
    }

    /// Whether methods of a class of the program run without being recorded.
    pub fn is_partial(&self, class: u32) -> bool {
        self.partial.lock().is_ok_and(|partial| partial.contains(&class))
    }

    pub fn remember_partial(&self, class: u32) {
        if let Ok(mut partial) = self.partial.lock() {
            partial.insert(class);
        }
    }

    /// Whether this is the first class of its name.
    pub fn is_first(&self, name: &[u8], class: u32) -> bool {
        self.first.lock().is_ok_and(|mut first| *first.entry(name.to_vec()).or_insert(class) == class)
    }

    /// The number of a method, given in words; 0 if it has none.
    pub fn link(&self, words: Vec<u8>) -> u32 {
        let Ok(mut links) = self.links.lock() else { return 0 };
        let next = links.len() as u32 + 1;
        *links.entry(words).or_insert(next)
    }

    pub fn remember_class(&self, name: &[u8], loader: u32, class: u32) {
        if let Ok(mut classes) = self.classes.lock() {
            let known = classes.entry(name.to_vec()).or_default();
            known.retain(|(l, _)| *l != loader);
            known.push((loader, class));
        }
    }

    /// Notes that the recording knows a library class's fields; false if it did already.
    pub fn describe(&self, name: &[u8]) -> bool {
        self.described.lock().is_ok_and(|mut described| described.insert(name.to_vec()))
    }

    /// The pool's index of the chunk at an address that the pool gave out.
    pub fn chunk_index(&self, address: i64) -> u32 {
        let first = *self.first_chunk.get_or_init(|| self.pool.chunk(0) as usize);
        ((address as usize - first) / CHUNK_SIZE) as u32
    }

    /// Writes a note into the recording.
    pub fn note(&self, code: u8, text: &str) {
        let mut out = Vec::with_capacity(text.len() + 16);
        tables::encode_note(&mut out, code, text.as_bytes());
        self.tables.append(&self.pool, &out);
    }
}
