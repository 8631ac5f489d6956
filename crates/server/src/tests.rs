//! Requests and their answers on a small recording that is kept with the sources: over the network as the page makes
//! them, but without a page. What is checked of all of them is what the interface promises.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use past::{Past, Settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::{OracleSpec, Oracles, Session, SessionOptions, Strategy};

use crate::dialogue::Dialogue;
use crate::shared_session::SessionSlot;
use crate::{RunningServer, Server, SharedSession};

/// A server on a copy of the recording.
struct Served {
    folder: tempfile::TempDir,
    shared: Arc<SharedSession>,
    running: Option<RunningServer>,
    port: u16,
    /// `/TOKEN/api/`
    below: String,
}

struct Reply {
    code: u16,
    body: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {}", self.code, String::from_utf8_lossy(&self.body)))
    }
}

fn kept() -> PathBuf {
    testkit::root().join("fixtures/recorded/merge-sort")
}

fn copy(to: &Path) {
    fs::create_dir(to).unwrap();
    for file in ["manifest.json", "chunks-000.inq"] {
        fs::copy(kept().join(file), to.join(file)).unwrap();
    }
}

fn past(place: &Path) -> Past {
    Past::open(place, &Settings::default(), &mut |_| {}).unwrap()
}

impl Served {
    /// `oracles`: as `--oracle` names them, of the folder; not advanced yet.
    fn new(oracle: Option<&str>) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("recording");
        copy(&place);
        let past = past(&place);
        let specs: Vec<OracleSpec> = oracle
            .map(|name| {
                let other = folder.path().join("other");
                copy(&other);
                format!("{name}:{}", other.display()).parse().unwrap()
            })
            .into_iter()
            .collect();
        let oracles = Oracles::open(&specs, &past, &Settings::default()).unwrap();
        let options = SessionOptions {
            root: None,
            symptom: None,
            ask_root: false,
            root_first: false,
            take_over: false,
            lists: false,
            strategy: Strategy::TopDown,
            easy: false,
            transforms: Vec::new(),
            trust: Vec::new(),
            distrust: Vec::new(),
            changed: None,
            certain: false,
            fresh: false,
            repeat: false,
        };
        let session = Session::open(past, &place, options, oracles, 0).unwrap();
        let shared = SharedSession::empty("nothing yet");
        *shared.lock() = SessionSlot::Ready(Box::new(Dialogue::unadvanced(session)));
        let server = Server::bind(None).unwrap();
        let port = server.port();
        let address = server.address();
        let below = address.strip_prefix(&format!("http://127.0.0.1:{port}")).unwrap().to_owned() + "api/";
        let running = Some(server.start(Arc::clone(&shared)).unwrap());
        Served { folder, shared, running, port, below }
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        write!(
            stream,
            "{method} {}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{kind}Content-Length: {}\r\n\r\n{body}",
            self.below,
            self.port,
            body.len(),
        )
        .unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(reply[..end].to_vec()).unwrap();
        assert!(!head.to_lowercase().contains("transfer-encoding"), "{head}");
        let code = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { code, body: reply[end + 4..].to_vec() }
    }

    fn get(&self, path: &str) -> Reply {
        self.request("GET", path, None)
    }

    fn post(&self, path: &str, body: Value) -> Reply {
        self.request("POST", path, Some(&body))
    }

    /// What is kept of the recording, but for what can be worked out again.
    fn on_disk(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        for place in ["recording", "other"] {
            let entries = fs::read_dir(self.folder.path().join(place)).into_iter().flatten();
            for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
                files.push((path.clone(), fs::read(path).unwrap()));
            }
        }
        files.sort();
        files
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
        self.shared.leave();
    }
}

/// Every route that is only read.
const GETS: [&str; 22] = [
    "session",
    "question?number=1",
    "question?subject=%7B%22call%22:%7B%22number%22:2%7D%7D&more=true",
    "goto?text=merge",
    "report",
    "report.html",
    "tree?page=p&from=0&count=50",
    "call/1",
    "call/1/events",
    "call/1/rows?after=50",
    "call/1/source",
    "call/1/text",
    "call/1/line?line=1",
    "step?time=3&direction=over",
    "text?location=BottomUpMergeSort.main%231:args",
    "change?before=int[]@1&after=int[]@1&from=1&to=9&index=0",
    "history?location=int[]@1[0]",
    "about?location=int[]@1",
    "slice?location=int[]@1[0]",
    "timeline?width=100",
    "timeline/call/1",
    "timeline/mark?time=3",
];

#[test]
fn to_look_changes_nothing_and_only_to_say_something_goes_on() {
    let served = Served::new(Some("tests"));
    let before = served.on_disk();
    for _ in 0..2 {
        for path in GETS {
            let reply = served.get(path);
            assert!(matches!(reply.code, 200 | 400 | 404), "{path}: {}", reply.code);
            assert!(served.on_disk() == before, "{path} wrote to the disk");
        }
    }
    let session = served.get("session").json();
    assert_eq!((&session["advancing"], &session["question"]), (&json!(true), &json!(null)));
    assert_eq!(session["answers"], json!([]));
    // The oracle has something to say to every call: whoever asks it to gets it written down. By its word alone the root
    // would be to blame, so a person is asked after all.
    let after = served.post("advance", json!({})).json();
    assert_eq!(after["advancing"], false, "{after:#}");
    assert_eq!(after["question"]["call"], "BottomUpMergeSort.sort#1", "{after:#}");
    assert!(served.on_disk() != before);
    let now = served.on_disk();
    assert_eq!(served.get("session").json()["answered"], after["answered"]);
    assert!(served.on_disk() == now);
}

#[test]
fn a_dialogue_goes_from_question_to_report_request_by_request() {
    let served = Served::new(None);
    let mut session = served.post("advance", json!({})).json();
    assert_eq!(session["version"], wire::VERSION);
    assert_eq!(served.get("report").code, 404, "there is none yet");
    for _ in 0..50 {
        let question = &session["question"];
        if question.is_null() {
            break;
        }
        // What the example's own test says: the last merge is at fault.
        let wrong = matches!(
            question["call"].as_str(),
            Some("BottomUpMergeSort.sort#1" | "BottomUpMergeSort.merge#3")
        );
        let said =
            json!({ "subject": question["subject"], "answer": if wrong { "n" } else { "y" }, "asked": true });
        let reply = served.post("answer", said.clone());
        assert_eq!(reply.code, 200);
        assert_eq!(served.post("answer", said).code, 409, "it is not asked any more");
        session = reply.json();
        assert_eq!(served.get("session").json()["question"], session["question"], "looking changes nothing");
    }
    assert_eq!(session["verdict"]["verdict"], "buggy", "{session:#}");
    assert_eq!(session["verdict"]["report"]["method"], "BottomUpMergeSort.merge");
    assert!(
        String::from_utf8(served.get("report").body)
            .unwrap()
            .contains("# Defect in `BottomUpMergeSort.merge`")
    );
    assert_eq!(served.post("move", json!({ "undo": true })).code, 200);
    assert_eq!(served.get("report").code, 404, "the verdict was taken back");
}

/// What a program reads of an answer is all that is in it.
fn round_trip<T: Serialize + DeserializeOwned>(served: &Served, path: &str) {
    let answer = served.get(path).json();
    let read: T = serde_json::from_value(answer.clone()).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(serde_json::to_value(read).unwrap(), answer, "{path}");
}

#[test]
fn every_answer_is_of_its_type() {
    let served = Served::new(None);
    served.post("advance", json!({}));
    round_trip::<wire::Session>(&served, "session");
    round_trip::<wire::AskableQuestion>(&served, "question?number=2&more=true");
    round_trip::<wire::GotoAnswer>(&served, "goto?text=merge");
    round_trip::<wire::TreeRows>(&served, "tree?page=p&from=0&count=50");
    round_trip::<wire::CallDetails>(&served, "call/1");
    round_trip::<wire::Events>(&served, "call/2/events");
    round_trip::<wire::EventRows>(&served, "call/2/rows?after=50");
    round_trip::<wire::EventRows>(&served, "about?location=int[]@1");
    round_trip::<Option<wire::Source>>(&served, "call/2/source");
    round_trip::<wire::LineEvent>(&served, "call/2/line?line=1");
    round_trip::<Option<wire::Event>>(&served, "step?time=3&direction=over");
    round_trip::<wire::ChangedPart>(&served, "change?before=int[]@1&after=int[]@1&from=1&to=9&index=0");
    round_trip::<wire::History>(&served, "history?location=int[]@1[0]");
    round_trip::<wire::Slice>(&served, "slice?location=int[]@1[0]");
    round_trip::<wire::Timeline>(&served, "timeline?width=100");
    round_trip::<wire::TimelineCall>(&served, "timeline/call/2");
    let state = served.post("call/2/state", json!({})).json();
    let read: wire::CallState = serde_json::from_value(state.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), state);
}

/// A call's name is its name and its number its number, in whatever answer it stands.
#[test]
fn names_and_numbers_of_calls_belong_together() {
    let served = Served::new(None);
    served.post("advance", json!({}));
    let mut pairs = 0;
    for path in GETS.into_iter().filter(|path| !path.starts_with("report")) {
        let reply = served.get(path);
        if reply.code == 200 {
            check_pairs(&served, path, &reply.json(), &mut pairs);
        }
    }
    assert!(pairs > 100, "{pairs}");
}

fn check_pairs(served: &Served, path: &str, value: &Value, pairs: &mut usize) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| check_pairs(served, path, one, pairs)),
        Value::Object(fields) => {
            if let (Some(Value::String(call)), Some(number)) =
                (fields.get("call"), fields.get("number").and_then(Value::as_u64))
            {
                let mut slot = served.shared.lock();
                let found = slot.session().unwrap().past().find_call(call).unwrap().number();
                assert_eq!(found, number, "{path}: {call}");
                *pairs += 1;
            }
            fields.values().for_each(|one| check_pairs(served, path, one, pairs));
        }
        _ => {}
    }
}

#[test]
fn a_refusal_says_why_and_has_its_code() {
    let served = Served::new(None);
    served.post("advance", json!({}));
    for (path, code) in [
        ("call/999999", 404),
        ("call/x", 400),
        ("question", 400),
        ("question?subject=7", 400),
        ("step?time=3&direction=sideways", 400),
        ("step?time=3&direction=next-write", 400),
        ("history?location=nothing@1", 400),
        ("slice", 400),
        ("nothing", 404),
        ("report", 404),
    ] {
        let reply = served.get(path);
        assert_eq!(reply.code, code, "{path}: {}", reply.json());
        let refusal: wire::Refusal = serde_json::from_value(reply.json()).unwrap();
        assert!(!refusal.error.is_empty(), "{path}");
    }
    for (path, body, code) in [
        ("answer", json!({ "subject": { "call": { "number": 1 } }, "answer": "maybe" }), 400),
        ("answer", json!({ "subject": { "call": { "call": 1 } }, "answer": "y" }), 422),
        ("move", json!({ "undo": false }), 409),
        ("choose", json!({ "strategy": "none", "transforms": [], "plain": false }), 400),
        ("zoom", json!({ "number": 999_999 }), 404),
        ("zoom", json!({}), 422),
        ("tree", json!({ "page": "p", "act": "explode", "count": 5 }), 422),
        ("session", json!({}), 405),
    ] {
        let reply = served.post(path, body.clone());
        assert_eq!(reply.code, code, "{path} {body}: {}", reply.json());
    }
}

#[test]
fn without_a_session_pages_are_told_to_wait() {
    let served = Served::new(None);
    *served.shared.lock() = SessionSlot::Waiting("the first call".to_owned());
    let reply = served.get("session");
    assert_eq!(reply.code, 202);
    assert_eq!(reply.json(), json!({ "waiting": "the first call" }));
}
