//! The page itself, built beforehand and put into the binary. Without it the server says how to build it.

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

/// A file of the page.
pub struct Asset {
    pub path: &'static str,
    pub kind: &'static str,
    /// Says which build it is from.
    pub tag: &'static str,
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const WITHOUT: &str = "<!doctype html><title>Inquest</title><p>This binary was built without its page. \
                       Run <code>make build</code> and start it again; the commands work as they are.";

/// Was the page built before this binary?
pub fn has_page() -> bool {
    !ASSETS.is_empty()
}

/// The page, and what it loads, below a path that ends without a slash.
pub fn routes(below: &str) -> Router {
    of(below, ASSETS)
}

/// The same, of any files.
pub fn of(below: &str, assets: &'static [Asset]) -> Router {
    let mut router = Router::new();
    if assets.is_empty() {
        return router.route(&format!("{below}/"), get(async || Html(WITHOUT)));
    }
    for asset in assets {
        router = router.route(
            &format!("{below}{}", asset.path),
            get(async |headers: HeaderMap| asset.response(&headers)),
        );
    }
    router
}

impl Asset {
    /// A page of the binary before must not be shown: browsers ask each time, and get it only if it is another.
    fn response(&self, asked: &HeaderMap) -> Response {
        let headers = [
            (header::CONTENT_TYPE, self.kind),
            (header::CACHE_CONTROL, "no-cache"),
            (header::ETAG, self.tag),
        ];
        if asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == self.tag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, self.bytes).into_response()
    }
}
