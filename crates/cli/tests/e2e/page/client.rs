//! `inquest open` as a child process, and requests to it byte by byte: a browser would not send what is tried here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::debuggee::{inquest, until};

/// Longer than any answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Page {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub port: u16,
    pub token: String,
    out: Receiver<String>,
    err: Receiver<String>,
}

#[derive(Debug)]
pub struct Reply {
    pub code: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Page {
    pub fn of(recording: &Path) -> Page {
        Page::start(inquest(&["open", "--no-browser"]).arg(recording))
    }

    /// Starts it and waits for its address, on stdout for a recording, on stderr for a command.
    pub fn start(command: &mut Command) -> Page {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = lines(child.stdout.take().unwrap());
        let err = lines(child.stderr.take().unwrap());
        let input = child.stdin.take();
        let (mut address, mut said) = (None, Vec::new());
        until("the address is printed", || {
            for line in out.try_iter().chain(err.try_iter()) {
                address = line.find("http://").map(|at| line[at..].trim().to_owned()).or(address.take());
                said.push(line);
            }
            address.is_some() || child.try_wait().unwrap().is_some()
        });
        let address = address.unwrap_or_else(|| panic!("no address: {said:?}"));
        let (port, token) = address.strip_prefix("http://127.0.0.1:").unwrap().split_once('/').unwrap();
        Page {
            port: port.parse().unwrap(),
            token: token.trim_end_matches('/').to_owned(),
            child,
            input,
            out,
            err,
        }
    }

    /// Lines that were printed since.
    pub fn printed(&self) -> Vec<String> {
        self.out.try_iter().collect()
    }

    pub fn said(&self) -> Vec<String> {
        self.err.try_iter().collect()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends bytes as they are; the reply to them, none if the connection was closed instead.
    pub fn raw(&self, request: &[u8]) -> Option<Reply> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        // A server that has seen enough closes the connection before all is sent.
        let _ = stream.write_all(request);
        let mut reply = Vec::new();
        let mut piece = [0; 1 << 16];
        loop {
            let read = stream.read(&mut piece).unwrap_or(0);
            reply.extend_from_slice(&piece[..read]);
            if read == 0 || whole(&reply) {
                return parsed(&reply);
            }
        }
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request = format!("{method} /{}/{path} HTTP/1.1\r\n", self.token);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        request += "\r\n";
        let request = [request.as_bytes(), body].concat();
        self.raw(&request).unwrap_or_else(|| panic!("no reply to {method} {path}"))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    pub fn session(&self) -> Value {
        self.get("api/session").json()
    }

    /// Answers what is asked now.
    pub fn answer(&self, answer: &str) -> Reply {
        let subject = self.session()["question"]["subject"].clone();
        self.post("api/answer", &serde_json::json!({ "subject": subject, "answer": answer, "asked": true }))
    }

    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: a plain system call on our own child, which has not been waited for.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    /// The exit code, once it ends by itself.
    pub fn code(&mut self) -> Option<i32> {
        let mut ended = None;
        until("inquest ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap().code()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        BufReader::new(source).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
}

/// Is everything there that the length says?
fn whole(reply: &[u8]) -> bool {
    let Some(end) = reply.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&reply[..end]).to_lowercase();
    let length = head.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
    match length.and_then(|length| length.trim().parse::<usize>().ok()) {
        Some(length) => reply.len() >= end + 4 + length,
        None => head.starts_with("http/1.1 304") || head.contains("text/event-stream"),
    }
}

fn parsed(reply: &[u8]) -> Option<Reply> {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&reply[..end]).into_owned();
    let code = head.split(' ').nth(1)?.parse().ok()?;
    Some(Reply { code, head, body: reply[end + 4..].to_vec() })
}
