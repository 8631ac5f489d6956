//! Who gets in: only requests to this machine's own address, from pages of our own, with the token in the path. A page
//! of another site that finds the port, or makes a name of its own point here, gets nothing.

use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_stream::StreamExt;

use crate::failure::{Failure, error_response};

/// More than any answer or selection needs.
const MAX_BODY: usize = 256 * 1024;
/// What is read of a body that is too long.
const MAX_READ: usize = 16 * 1024 * 1024;
/// Time in which a request's body has to come.
const BODY_TIME: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct Gate {
    port: u16,
    token: String,
}

impl Gate {
    pub fn new(port: u16) -> io::Result<Gate> {
        let mut random = [0; 24];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Gate { port, token })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The first part of every path.
    pub fn path(&self) -> String {
        format!("/{}", self.token)
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Is the request for us, and from a page of ours or from none?
    fn admits(&self, headers: &HeaderMap) -> bool {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let mut given = headers.get_all(header::HOST).iter();
        let host = given.next().and_then(|host| host.to_str().ok());
        let for_us = host.is_some_and(|host| hosts.iter().any(|own| own == host)) && given.next().is_none();
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let from_us = origins.all(|origin| {
            origin.to_str().is_ok_and(|origin| hosts.iter().any(|own| origin == format!("http://{own}")))
        });
        for_us && from_us
    }
}

/// Nothing but what we serve ourselves; styles may be set on elements (the source view does that), scripts may not.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub async fn check(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let inside = request.uri().path().strip_prefix('/').is_some_and(|path| {
        let (first, _) = path.split_once('/').unwrap_or((path, ""));
        same(first.as_bytes(), gate.token.as_bytes())
    });
    // A request that names a host in its first line as well may name another.
    let mut response = if !gate.admits(request.headers()) || request.uri().authority().is_some() {
        refused(StatusCode::FORBIDDEN, "not from here")
    } else if !inside {
        refused(StatusCode::NOT_FOUND, "nothing here: the address that inquest printed has a token in it")
    } else {
        within(request, next).await
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    // What was recorded stays out of the browser's cache; the page itself says otherwise.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Who does not belong here keeps no connection either.
fn refused(code: StatusCode, text: &str) -> Response {
    let mut response = error_response(code, text);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Reads the body, within a size and a time, and lets a task of its own answer: if that panics, the others go on.
/// Refusals that do not come from us are put in the form that the page expects.
async fn within(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let bytes = match tokio::time::timeout(BODY_TIME, read(body)).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return refused(StatusCode::PAYLOAD_TOO_LARGE, "this is more than any answer needs"),
        Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "the request did not come to its end"),
    };
    let request = Request::from_parts(head, bytes.into());
    let Ok(response) = tokio::spawn(next.run(request)).await else { return Failure::Broken.into_response() };
    let code = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !(code.is_client_error() || code.is_server_error()) {
        return response;
    }
    let (head, body) = response.into_parts();
    let text = axum::body::to_bytes(body, MAX_BODY).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let reason = code.canonical_reason().unwrap_or("this was refused").to_lowercase();
    let mut response = error_response(code, if text.is_empty() { &reason } else { &text });
    // Which methods there are.
    if let Some(allow) = head.headers.get(header::ALLOW) {
        response.headers_mut().insert(header::ALLOW, allow.clone());
    }
    response
}

/// A body; none if it is too long. What is too much is still read, within reason: who is still sending does not listen.
async fn read(body: Body) -> Option<Vec<u8>> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.ok()?;
        length += piece.len();
        if length <= MAX_BODY {
            bytes.extend_from_slice(&piece);
        } else if length > MAX_READ {
            return None;
        }
    }
    (length <= MAX_BODY).then_some(bytes)
}

/// Compares in a time that does not tell how much is right.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use axum::Router;
    use axum::routing::get;

    use super::*;

    #[test]
    fn only_requests_to_our_own_address_from_our_own_page_are_admitted() {
        let gate = Gate { port: 4000, token: "t".into() };
        let admits = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for &(name, value) in lines {
                headers.append(name, HeaderValue::from_static(value));
            }
            gate.admits(&headers)
        };
        for (lines, so) in [
            (&[("host", "127.0.0.1:4000")][..], true),
            (&[("host", "localhost:4000")], true),
            (&[("host", "127.0.0.1:4000"), ("origin", "http://127.0.0.1:4000")], true),
            (&[], false),
            (&[("host", "127.0.0.1")], false),
            (&[("host", "127.0.0.1:4001")], false),
            (&[("host", "evil.example:4000")], false),
            (&[("host", "127.0.0.1:4000"), ("host", "evil.example")], false),
            (&[("host", "127.0.0.1:4000"), ("origin", "http://evil.example")], false),
            (&[("host", "127.0.0.1:4000"), ("origin", "null")], false),
            (&[("host", "127.0.0.1:4000"), ("origin", "https://127.0.0.1:4000")], false),
        ] {
            assert_eq!(admits(lines), so, "{lines:?}");
        }
    }

    /// What a router behind the gate says to requests, one after the other on connections of their own.
    fn replies(inside: Router, paths: &'static [&'static str]) -> Vec<String> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = crate::guarded(inside, Gate { port, token: "t".into() });
        let ask = move || {
            let one = |path: &&str| {
                let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
                write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")
                    .unwrap();
                let mut reply = String::new();
                stream.read_to_string(&mut reply).unwrap();
                reply
            };
            paths.iter().map(one).collect()
        };
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let asked = tokio::task::spawn_blocking(ask);
            tokio::select! {
                ended = crate::listen::answer(listener, router) => panic!("{ended:?}"),
                replies = asked => replies.unwrap(),
            }
        })
    }

    #[test]
    fn a_request_that_panics_is_told_so_and_others_go_on() {
        async fn panics() -> &'static str {
            panic!("a recorded secret")
        }
        let inside = Router::new().route("/t/panics", get(panics)).route("/t/fine", get(async || "fine"));
        let replies = replies(inside, &["/t/panics", "/t/fine", "/t/panics?again"]);
        assert!(
            replies[0].starts_with("HTTP/1.1 500") && replies[0].contains("{\"error\":"),
            "{}",
            replies[0]
        );
        assert!(!replies[0].contains("secret") && replies[0].contains("content-security-policy"));
        assert!(replies[1].starts_with("HTTP/1.1 200") && replies[1].ends_with("fine"), "{}", replies[1]);
        assert!(replies[2].starts_with("HTTP/1.1 500"));
    }

    #[test]
    fn a_binary_without_its_page_says_how_to_get_it() {
        let replies = replies(crate::assets::of("/t", &[]), &["/t/"]);
        assert!(
            replies[0].starts_with("HTTP/1.1 200") && replies[0].contains("make build"),
            "{}",
            replies[0]
        );
    }
}
