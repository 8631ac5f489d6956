//! Connections: not too many at a time, each with a limit on what it may send before it is known to be one of ours.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections at a time; browsers use six per page.
const MAX_CONNECTIONS: usize = 256;
/// Time for a request's headers, and for the next request on a connection.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// Bytes of a request's line and headers.
const MAX_HEADERS: usize = 64 * 1024;
/// After a failure to accept (too many open files), the next attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers whoever connects, for ever.
pub async fn answer(listener: std::net::TcpListener, router: Router) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Whoever is one too many is let go at once.
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(MAX_HEADERS);
            // A connection that breaks is nobody's business but its own.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}
