//! News for the page: something was answered, or the program went on. Each message is only a number; the page asks
//! for what it shows.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::desk::Desk;

pub async fn live(State(desk): State<Arc<Desk>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let news = WatchStream::new(desk.watch()).map(|count| Ok(Event::default().data(count.to_string())));
    Sse::new(news).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
