//! News for the page: something was answered, or the program went on. Each message is only a number; the page asks
//! for what it shows.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::shared_session::SharedSession;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/live", get(live))
}

async fn live(
    State(shared): State<Arc<SharedSession>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let news = WatchStream::new(shared.watch()).map(|count| Ok(Event::default().data(count.to_string())));
    Sse::new(news).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
