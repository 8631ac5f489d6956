//! `inquest open` from outside: who gets in, what bad requests get, what happens to answers when something ends or
//! fails, and the page of a program that still runs.

mod client;

use std::fs;
use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::{Program, Recorded, classes, inquest, jdk17, run, until};
use client::{Page, Reply};

fn recorded() -> Recorded {
    Program::new("examples", &["BottomUpMergeSort"]).record(&jdk17(), &[]).1
}

const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", "default-src 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-"),
];

fn check_headers(what: &str, reply: &Reply) {
    for (name, begin) in HEADERS {
        assert!(
            reply.header(name).is_some_and(|value| value.starts_with(begin)),
            "{what}: {name}: {reply:?}"
        );
    }
    assert_eq!(reply.header("access-control-allow-origin"), None, "{what}");
}

#[test]
fn only_who_has_the_address_gets_in() {
    let recorded = recorded();
    let page = Page::of(&recorded.path());
    let (port, token) = (page.port, page.token.clone());
    let own = format!("Host: 127.0.0.1:{port}");
    for (first, headers, code) in [
        (format!("GET /{token}/api/session"), own.clone(), 200),
        (format!("GET /{token}/"), own.clone(), 200),
        (format!("GET /{token}/"), format!("Host: localhost:{port}"), 200),
        (format!("GET /{token}/"), format!("{own}\r\nOrigin: http://127.0.0.1:{port}"), 200),
        ("GET /".into(), own.clone(), 404),
        ("GET /api/session".into(), own.clone(), 404),
        (format!("GET /{}/api/session", "0".repeat(token.len())), own.clone(), 404),
        (format!("GET /{}/api/session", &token[..token.len() - 1]), own.clone(), 404),
        (format!("GET /{token}0/api/session"), own.clone(), 404),
        (format!("GET /{token}/api/session"), "X: y".into(), 403),
        (format!("GET /{token}/api/session"), format!("Host: evil.example:{port}"), 403),
        (format!("GET /{token}/api/session"), "Host: 127.0.0.1".into(), 403),
        (format!("GET /{token}/api/session"), format!("{own}\r\nHost: evil.example"), 403),
        (format!("GET /{token}/api/session"), format!("{own}\r\nOrigin: http://evil.example"), 403),
        (format!("GET /{token}/api/session"), format!("{own}\r\nOrigin: null"), 403),
        (format!("GET http://evil.example/{token}/api/session"), own.clone(), 403),
        (format!("OPTIONS /{token}/api/answer"), format!("{own}\r\nOrigin: http://evil.example"), 403),
        ("GET /../../etc/passwd".into(), own.clone(), 404),
        (format!("GET /{token}/../../../etc/passwd"), own.clone(), 404),
        (format!("GET /{token}/%2e%2e/%2e%2e/etc/passwd"), own.clone(), 404),
        (format!("GET /{token}/..%2f..%2fetc%2fpasswd"), own.clone(), 404),
        (format!("GET /{token}//etc/passwd"), own.clone(), 404),
        (format!("GET /{token}/api/nothing"), own.clone(), 404),
        (format!("DELETE /{token}/api/session"), own.clone(), 405),
        (format!("OPTIONS /{token}/api/session"), own.clone(), 405),
        (format!("POST /{token}/"), own.clone(), 405),
    ] {
        let what = format!("{first} {headers}");
        let reply = page.raw(format!("{first} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).expect(&what);
        assert_eq!(reply.code, code, "{what}: {reply:?}");
        check_headers(&what, &reply);
        if code >= 400 {
            assert!(reply.json()["error"].is_string(), "{what}: {reply:?}");
        }
    }
    let head = page.raw(format!("HEAD /{token}/api/session HTTP/1.0\r\n{own}\r\n\r\n").as_bytes()).unwrap();
    assert_eq!((head.code, head.body.len()), (200, 0));
    let first = page.get("");
    let again = page.request("GET", "", &[("If-None-Match", first.header("etag").unwrap_or("none"))], b"");
    assert_eq!(again.code, if first.header("etag").is_some() { 304 } else { 200 });
}

/// Every route, with parameters that make no sense: a refusal in our form, and the session is as it was.
#[test]
fn nonsense_is_refused_kindly_and_changes_nothing() {
    let recorded = recorded();
    let page = Page::of(&recorded.path());
    let before = page.session();
    let huge = "18446744073709551615";
    let most = "9007199254740993";
    let long = "x".repeat(8_000);
    let gets = [
        "api/call/{}",
        "api/call/{}/events",
        "api/call/1/events?from={}&count={}",
        "api/call/{}/rows",
        "api/call/1/rows?at={}&before={}&after={}&unfolded={}&location={}",
        "api/call/{}/source",
        "api/call/1/source?at={}",
        "api/call/{}/text",
        "api/call/1/line?line={}&at={}",
        "api/question?subject={}",
        "api/question?number={}",
        "api/goto?text={}",
        "api/step?time={}&direction=over",
        "api/step?time=1&direction={}",
        "api/step?time=1&direction=next-write&location={}",
        "api/text?location={}",
        "api/text?location=int[]@1&at={}&skip={}&count={}",
        "api/change?before={}&after={}&from={}&to={}&raw=true&index={}&back=false",
        "api/history?location={}",
        "api/history?location=int[]@1[0]&at={}",
        "api/history?location=int[]@1[0]&around={}&before={}&after={}",
        "api/about?location={}",
        "api/about?location=int[]@1&at={}&before={}&after={}&number={}&meant={}",
        "api/slice?location={}&count={}",
        "api/omissions?location={}",
        "api/omissions?location=int[]@1&at={}&number={}",
        "api/timeline?from={}&to={}&width={}",
        "api/timeline?width=700&thread={}&top={}",
        "api/timeline/call/{}",
        "api/timeline/mark?time={}",
        "api/tree?page=p&from={}&count={}",
        "api/tree?page={}&from=0&count=5",
        "api/report?x={}",
        "api/report.html?x={}",
    ];
    let values = [
        "",
        "-1",
        "0",
        huge,
        most,
        "1e999",
        "NaN",
        "%00",
        "%ff%fe",
        "%F0%9F%98%80",
        "a%2Fb",
        "%27%22%3Cscript%3E",
        "int[]@9[99]",
        &long,
    ];
    for get in gets {
        for value in values {
            let path = get.replace("{}", value);
            check_refusal(&path, &page.get(&path), false);
        }
        let bare = get.split('?').next().unwrap().replace("{}", "x");
        check_refusal(&bare, &page.get(&bare), false);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "\"x\"",
        "{}",
        "nul",
        "{\"subject\":{\"call\":{\"number\":-1}},\"answer\":\"y\"}",
        "{\"subject\":{\"call\":{\"number\":1e30}},\"answer\":\"y\"}",
        "{\"subject\":{\"call\":{\"number\":1}},\"answer\":\"maybe\"}",
        "{\"subject\":{\"nothing\":{}},\"answer\":\"y\"}",
        "{\"subject\":1,\"answer\":2}",
        "{\"undo\":\"yes\"}",
        "{\"strategy\":\"none\",\"transforms\":[],\"plain\":false}",
        "{\"strategy\":\"top-down\",\"transforms\":[\"x\"],\"plain\":false}",
        "{\"strategy\":[],\"transforms\":{},\"plain\":7}",
        "{\"number\":18446744073709551615}",
        "{\"number\":\"1\"}",
        "{\"page\":\"p\",\"act\":\"explode\",\"count\":5}",
        "{\"page\":\"p\",\"act\":\"expand\",\"subject\":{\"call\":{\"number\":99999}},\"count\":5}",
        "{\"page\":\"p\",\"act\":\"look\",\"count\":-5}",
        "{\"page\":\"p\",\"act\":\"find\",\"text\":\"\",\"back\":false,\"stay\":false,\"count\":5}",
        "{\"to\":-1,\"raw\":1}",
        "{\"to\":99999,\"open\":[{\"path\":7}]}",
        &deep,
        "\u{0}",
        "\u{feff}{}",
    ];
    for route in ["api/answer", "api/move", "api/choose", "api/zoom", "api/tree", "api/call/99/state"] {
        for body in bodies {
            let reply = page.request("POST", route, &[("Content-Type", "application/json")], body.as_bytes());
            check_refusal(&format!("{route} {body:.60}"), &reply, true);
        }
        let reply = page.request("POST", route, &[("Content-Type", "application/json")], b"\xff\xfe\x00{");
        check_refusal(route, &reply, true);
        let reply = page.request("POST", route, &[("Content-Type", "text/plain")], b"{\"undo\":true}");
        check_refusal(route, &reply, true);
        let reply = page.request("POST", route, &[("Content-Type", "application/json")], &[b' '; 300_000]);
        assert_eq!((reply.code, reply.json()["error"].is_string()), (413, true), "{route}");
    }
    let after = page.session();
    assert_eq!(before["question"], after["question"]);
    assert_eq!(before["answers"], after["answers"]);
}

/// What a page may get wrong is no failure of the server's.
fn check_refusal(what: &str, reply: &Reply, must: bool) {
    assert!(reply.code < 500 && (reply.code >= 400 || !must), "{what}: {} {:?}", reply.code, reply.json());
    check_headers(what, reply);
    if reply.code >= 400 {
        assert!(reply.json()["error"].as_str().is_some_and(|text| !text.is_empty()), "{what}: {reply:?}");
    }
}

#[test]
fn who_sends_too_much_or_nothing_at_all_keeps_nobody_waiting() {
    let recorded = recorded();
    let page = Page::of(&recorded.path());
    let own = format!("Host: 127.0.0.1:{}", page.port);
    let long_path = format!("GET /{}/{} HTTP/1.1\r\n{own}\r\n\r\n", page.token, "a".repeat(200_000));
    let long_header = format!("GET / HTTP/1.1\r\n{own}\r\nX: {}\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{own}\r\n{}\r\n", "X: y\r\n".repeat(5000));
    for request in [
        long_path.as_bytes(),
        long_header.as_bytes(),
        many.as_bytes(),
        b"\x16\x03\x01\x00",
        b"\0\0\0\r\n\r\n",
    ] {
        let reply = page.raw(request);
        assert!(reply.as_ref().is_none_or(|reply| (400..500).contains(&reply.code)), "{reply:?}");
    }
    // More than are admitted at a time; those that are one too many are let go.
    let mut idle: Vec<_> = (0..300).map(|_| page.connect()).collect();
    for stream in &mut idle {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHo");
    }
    let mut let_go = 0;
    for stream in &mut idle {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        let_go +=
            usize::from(matches!(stream.read(&mut [0; 16]), Ok(0)) || stream.take_error().unwrap().is_some());
    }
    assert!(let_go < 300);
    drop(idle);
    until("there is room again", || {
        page.raw(format!("GET /{}/api/session HTTP/1.1\r\n{own}\r\n\r\n", page.token).as_bytes())
            .is_some_and(|reply| reply.code == 200)
    });
}

#[test]
fn what_was_answered_outlives_the_server_however_it_ends() {
    let recorded = recorded();
    let mut answered = Vec::new();
    for (signal, code) in [(libc::SIGINT, Some(0)), (libc::SIGTERM, Some(0)), (libc::SIGKILL, None)] {
        let mut page = Page::of(&recorded.path());
        let session = page.session();
        assert_eq!(names(&session), answered, "what was said before is there");
        let asked = session["question"]["call"].as_str().unwrap().to_owned();
        // Somebody listens for news, which has no end.
        let mut news = page.connect();
        let listen =
            format!("GET /{}/api/live HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", page.token, page.port);
        news.write_all(listen.as_bytes()).unwrap();
        assert_eq!(page.answer("d").code, 200);
        answered.push(asked);
        let began = Instant::now();
        page.signal(signal);
        assert_eq!(page.code(), code);
        assert!(began.elapsed() < Duration::from_secs(5), "it ended after {:?}", began.elapsed());
    }
    let page = Page::of(&recorded.path());
    assert_eq!(names(&page.session()), answered);
}

fn names(session: &Value) -> Vec<String> {
    let answers = session["answers"].as_array().unwrap();
    answers.iter().map(|answer| answer["call"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn two_pages_share_one_session_and_an_outdated_answer_is_refused() {
    let recorded = recorded();
    let page = Page::of(&recorded.path());
    let subject = page.session()["question"]["subject"].clone();
    let mut news = page.connect();
    let listen = format!("GET /{}/api/live HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", page.token, page.port);
    news.write_all(listen.as_bytes()).unwrap();
    let said = json!({ "subject": subject, "answer": "y", "asked": true });
    let first = page.post("api/answer", &said);
    assert_eq!(first.code, 200);
    let second = page.post("api/answer", &said);
    assert_eq!(second.code, 409, "{second:?}");
    let sees = |session: &Value| (session["question"].clone(), session["answers"].clone());
    assert_eq!(sees(&first.json()), sees(&page.session()));
    assert_eq!(sees(&page.session()), sees(&page.session()), "a question stays until something is said");
    let mut heard = String::new();
    until("the other page hears of it", || {
        let mut piece = [0; 1024];
        let read = news.read(&mut piece).unwrap();
        heard += &String::from_utf8_lossy(&piece[..read]);
        heard.matches("data:").count() >= 2
    });
    // Another process would not see what is said here.
    for command in ["ask", "open"] {
        let ran = run(inquest(&[command]).arg(recorded.path()), None);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("another inquest"), "{ran:?}");
    }
}

#[test]
fn an_answer_that_cannot_be_kept_is_not_taken() {
    let recorded = recorded();
    // Files of this process may grow to so many bytes and no further, as on a disk that is full.
    let limited = |bytes: u64| {
        let mut command = Command::new("sh");
        let inner = inquest(&["open", "--no-browser"]);
        command.args(["-c", "trap '' XFSZ; exec prlimit --fsize=\"$0\" \"$@\""]).arg(bytes.to_string());
        command.arg(inner.get_program()).args(inner.get_args()).arg(recorded.path());
        for (name, value) in inner.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
    };
    // The index is there, and the session has begun.
    drop(Page::of(&recorded.path()));
    let length = fs::metadata(recorded.path().join("answers")).unwrap().len();
    let page = Page::start(&mut limited(length + 20));
    let before = page.session();
    let reply = page.answer("y");
    assert_eq!(reply.code, 507, "{reply:?}");
    assert!(reply.json()["error"].as_str().unwrap().contains("not kept"), "{reply:?}");
    let after = page.session();
    assert_eq!((&before["question"], &before["answers"]), (&after["question"], &after["answers"]));
    drop(page);
    let page = Page::of(&recorded.path());
    assert_eq!(page.session()["answers"], json!([]));
    assert_eq!(page.answer("y").code, 200);
    drop(page);
    assert_eq!(names(&Page::of(&recorded.path()).session()).len(), 1);
}

#[test]
fn a_recording_that_goes_away_under_the_page_loses_nothing_that_was_said() {
    let recorded = recorded();
    let dir = recorded.path();
    let page = Page::of(&dir);
    assert_eq!(page.answer("d").code, 200);
    let moved = dir.with_extension("moved");
    fs::rename(&dir, &moved).unwrap();
    assert_eq!(page.session()["answers"].as_array().unwrap().len(), 1);
    assert_eq!(page.answer("d").code, 200, "the file of answers was moved, and is held");
    drop(page);
    fs::rename(&moved, &dir).unwrap();
    let mut page = Page::of(&dir);
    assert_eq!(page.session()["answers"].as_array().unwrap().len(), 2);
    for file in fs::read_dir(dir.join("index")).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::File::options().write(true).open(file.path()).unwrap().set_len(0).unwrap();
    }
    // A file that is mapped and cut off ends the process, with a word.
    let own = format!("Host: 127.0.0.1:{}", page.port);
    for path in ["api/timeline?width=100", "api/call/1", "api/tree?page=p&from=0&count=50"] {
        let _ = page.raw(format!("GET /{}/{path} HTTP/1.1\r\n{own}\r\n\r\n", page.token).as_bytes());
    }
    assert_eq!(page.code(), Some(2));
    until("it says why", || page.said().iter().any(|line| line.contains("cut off")));
    drop(page);
    let page = Page::of(&dir);
    assert_eq!(page.session()["answers"].as_array().unwrap().len(), 2, "the index is built again");
}

fn calls(page: &Page) -> u64 {
    page.session()["recording"]["calls"].as_u64().unwrap()
}

#[test]
fn a_program_is_debugged_while_it_runs_and_everything_of_it_is_its_own() {
    let recorded = Recorded::new();
    let mut command = inquest(&["open", "--no-browser", "-q", "--strategy", "top-down", "-o"]);
    command.arg(recorded.path()).arg("--").arg(jdk17().java()).arg("-cp").arg(classes("live")).arg("Echo");
    let mut page = Page::start(&mut command);
    until("the program's first call", || {
        let reply = page.get("api/session");
        assert!(matches!(reply.code, 200 | 202), "{reply:?}");
        assert_eq!(reply.code == 202, reply.json()["waiting"].is_string());
        reply.code == 200
    });
    until("there is a question", || page.session()["question"].is_object());
    let (asked, before) = (page.session()["question"]["subject"].clone(), calls(&page));
    writeln!(page.input.as_mut().unwrap(), "one").unwrap();
    until("the tree grows", || calls(&page) > before);
    let session = page.session();
    assert_eq!(
        (&session["question"]["subject"], &session["live"]),
        (&asked, &json!(true)),
        "the question stays"
    );
    assert_eq!(page.answer("d").code, 200);
    page.input = None;
    until("the run is over", || page.session()["live"] == json!(false));
    until("it is said", || page.said().iter().any(|line| line.contains("the program has ended")));
    until("the recording is where it was asked for", || {
        page.session()["recording"]["path"].as_str() == recorded.path().to_str()
    });
    let printed = page.printed();
    assert!(printed.contains(&"echo one 3".to_owned()), "{printed:?}");
    assert!(
        printed.iter().all(|line| !line.contains("http")),
        "the program's output is its own: {printed:?}"
    );
    page.signal(libc::SIGINT);
    assert_eq!(page.code(), Some(0));
    assert_eq!(Page::of(&recorded.path()).session()["answers"].as_array().unwrap().len(), 1);
}

#[test]
fn the_exit_code_is_the_programs_and_what_is_too_short_to_follow_is_shown_afterwards() {
    let recorded = Recorded::new();
    let mut command = inquest(&["open", "--no-browser", "-q", "-o"]);
    command
        .arg(recorded.path())
        .arg("--")
        .arg(jdk17().java())
        .arg("-cp")
        .arg(classes("live"))
        .args(["Slow", "1"]);
    let mut page = Page::start(&mut command);
    until("it has ended", || page.get("api/session").code == 200 && page.session()["live"] == json!(false));
    assert!(page.session()["recording"]["calls"].as_u64() > Some(1));
    until("it is said", || page.said().iter().any(|line| line.contains("the program has ended")));
    page.signal(libc::SIGTERM);
    assert_eq!(page.code(), Some(7));
    // A command that cannot be run, a port that is taken.
    let ran =
        run(inquest(&["open", "--no-browser", "--", "no-such-program"]).current_dir(recorded.path()), None);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = run(inquest(&["open", "--no-browser", "--port", &port]).arg(recorded.path()), None);
    assert!(ran.code == Some(2) && ran.stderr.contains("give another with --port"), "{ran:?}");
}
