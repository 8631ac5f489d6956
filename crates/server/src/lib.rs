//! The page's server: a small JSON interface over the session, and the page itself, on the loopback interface only.
//! Whoever does not have the random token in the address gets nothing. It makes no debugging decisions: it asks
//! `session` and `past`, and gives their plain data on.

mod api;
mod assets;
mod dialogue;
mod failure;
mod guard;
mod listen;
mod shared_session;
#[cfg(test)]
mod tests;
mod tree_view;
mod tree_views;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::{Router, middleware};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

pub use assets::has_page;
pub use failure::Failure;
pub use guard::Gate;
pub use shared_session::{Looked, SharedSession};

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    gate: Gate,
}

impl Server {
    /// Listens on a port of the loopback interface (IPv4: `127.0.0.1`); on any free one if none is given.
    pub fn bind(port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        listener.set_nonblocking(true)?;
        let gate = Gate::new(listener.local_addr()?.port())?;
        Ok(Server { listener, gate })
    }

    pub fn port(&self) -> u16 {
        self.gate.port()
    }

    /// What to open in a browser.
    pub fn address(&self) -> String {
        self.gate.address()
    }

    /// Answers in a thread of its own.
    pub fn start(self, shared: Arc<SharedSession>) -> io::Result<RunningServer> {
        let path = self.gate.path();
        let routes = api::routes().with_state(Arc::clone(&shared));
        let inside = Router::new().nest(&path, routes).merge(assets::routes(&path));
        let router = guarded(inside, self.gate);
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_THREADS).build()?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("server".into()).spawn(move || {
            runtime.spawn(stay_small(shared));
            runtime.block_on(async {
                tokio::select! {
                    _ = listen::answer(self.listener, router) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_timeout(LAST_WORDS);
        })?;
        Ok(RunningServer { stop, thread })
    }
}

/// Threads for work on the recording.
const MAX_THREADS: usize = 64;
/// An answer that is being written at the end may be written to its end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often the process's size is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

async fn stay_small(shared: Arc<SharedSession>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        shared.stay_small();
    }
}

/// A server that answers.
pub struct RunningServer {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl RunningServer {
    /// Ends it now: connections that only listen for news would stay for ever.
    pub fn end(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

/// What is behind the gate.
fn guarded(inside: Router, gate: Gate) -> Router {
    inside.layer(middleware::from_fn_with_state(gate, guard::check))
}
