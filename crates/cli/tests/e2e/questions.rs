//! Questions about recorded programs: what a person reads of a call, of several calls at once, of a loop, of a statement.
//! The texts are compared whole, because leaving out is as much the point as showing.

use past::{CallId, Past, Settings, StreamId};
use session::{Held, NodeKind, Question, QuestionDetail, QuestionNote, Subject, Thrown, question};
use words::{called, question_line, question_note};

use crate::debuggee::{Program, Recorded, jdk17, root};

struct Asked {
    past: Past,
    _recorded: Recorded,
}

impl Asked {
    fn new(group: &str, program: &str) -> Asked {
        let (ran, recorded) = Program::new(group, &[program]).record(&jdk17(), &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let folder = if group == "examples" { root().to_owned() } else { root().join("fixtures") };
        let sources = vec![folder.join(group)];
        let settings = Settings { sources, ..Settings::default() };
        let past = Past::open(&recorded.path(), &settings, &mut |_| {}).unwrap();
        Asked { past, _recorded: recorded }
    }

    fn number(&self, call: &str) -> u64 {
        self.past.find_call(call).unwrap_or_else(|error| panic!("{error}")).number()
    }

    fn ask(&self, subject: Subject) -> Question {
        question(&self.past, &subject, QuestionDetail::Short)
            .unwrap_or_else(|error| panic!("{subject:?}: {error}"))
    }

    fn call(&self, call: &str) -> Question {
        self.ask(Subject::Call { call: self.number(call) })
    }

    /// Asks about each call, and compares the line.
    fn check(&self, expected: &[(&str, &str)]) {
        for (call, text) in expected {
            assert_eq!(question_line(&self.call(call)), *text, "{call}");
        }
    }

    fn run(&self, first: &str, last: &str, collapsed: bool) -> Question {
        let (first, last) = (self.number(first), self.number(last));
        self.ask(Subject::Run { first, last, collapsed, independent: false })
    }
}

fn value(text: &str) -> Held {
    Held::Value(text.to_owned())
}

fn note(question: &Question) -> Option<String> {
    question.note.as_ref().map(question_note)
}

#[test]
fn a_call_is_asked_about_by_what_went_in_and_what_came_out() {
    Asked::new("examples", "SumNumbers").check(&[
        ("SumNumbers.sumNumbers#1", r#"SumNumbers.sumNumbers([1, 2, 3], "odd") = 3"#),
        ("SumNumbers.isEven#2", "SumNumbers.isEven(3) = false"),
    ]);
    Asked::new("examples", "BottomUpMergeSort").check(&[
        ("BottomUpMergeSort.sort#1", "BottomUpMergeSort.sort([4, 9, 1, 7] → [1, 4, 9, 7]) = void"),
        (
            "BottomUpMergeSort.merge#3",
            "BottomUpMergeSort.merge([4, 9, 0, 0], [1, 7, 0, 0], 0, 2, [4, 9, 1, 7] → [1, 4, 9, 7]) = void",
        ),
    ]);
    let castling = Asked::new("examples", "Castling");
    castling.check(&[
        ("Square.new#1", "new Square() = Square@1{file=0, rank=0}"),
        ("Square.right#1", "Square.right() = void; this.file: 8 → 9"),
        (
            "Castling.castling#1",
            "Castling.castling(Square@1{file=8, rank=1}, Square@2{file=5, rank=1}) = void; \
             rook.file: 8 → 11; king.file: 5 → 3",
        ),
    ]);
    let right = castling.call("Square.right#1").receiver.unwrap();
    assert_eq!((right.before, right.after), (value("Square@1{file=8}"), Some(value("Square@1{file=9}"))));
    // Castling reaches its squares through its arguments, and the squares by their own names.
    let names: Vec<_> =
        castling.call("Castling.castling#1").changes.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["Square@1.file", "Square@2.file"]);
}

#[test]
fn several_calls_are_asked_about_by_their_composed_effect() {
    let castling = Asked::new("examples", "Castling");
    let right = castling.run("Square.right#1", "Square.right#3", true);
    assert_eq!(question_line(&right), "Square.right() × 3; rook.file: 8 → 11");
    assert_eq!((right.kind, right.members.len(), right.changes.len()), (NodeKind::Collapse, 3, 1));
    let all = castling.run("Square.right#1", "Square.left#2", false);
    assert_eq!(
        question_line(&all),
        "Square.right() of Square@1 × 3, Square.left() of Square@2 × 2; rook.file: 8 → 11; king.file: 5 → 3"
    );
    assert_eq!((all.kind, all.members.len()), (NodeKind::Projection, 5));
    let sum = Asked::new("examples", "SumNumbers");
    // What the library does between two calls is left out.
    let even = sum.run("SumNumbers.isEven#1", "SumNumbers.isEven#2", true);
    assert_eq!(question_line(&even), "SumNumbers.isEven(2) = true, SumNumbers.isEven(3) = false");
}

#[test]
fn a_loop_is_asked_about_by_its_variables() {
    let sort = Asked::new("examples", "BottomUpMergeSort");
    let call = sort.number("BottomUpMergeSort.merge#3");
    let whole = sort.ask(Subject::Loop { call, run: 0, from: 0, to: None });
    assert_eq!(
        question_line(&whole),
        "BottomUpMergeSort.merge: loop at line 39, 3 iterations; l: 0 → 1; r: 0 → 2; out: 0 → 3; \
         a: [4, 9, 1, 7] → [1, 4, 7, 7]"
    );
    assert_eq!((whole.kind, whole.iterations), (NodeKind::Loop, Some(3)));
    assert_eq!(note(&whole).as_deref(), Some("its condition ended it"));
    let second = sort.ask(Subject::Loop { call, run: 0, from: 1, to: Some(2) });
    assert_eq!(
        question_line(&second),
        "BottomUpMergeSort.merge: loop at line 39, iteration 2 of 3; l: 0 → 1; out: 1 → 2; a[1]: 9 → 4"
    );
    assert_eq!((second.kind, second.iterations), (NodeKind::Iterations, Some(1)));
    let given = |question: &Question| {
        let list = question.reads.iter().map(|(name, held)| match held {
            Held::Value(text) => format!("{name} = {text}"),
            other => format!("{name}: {other:?}"),
        });
        list.collect::<Vec<_>>().join(", ")
    };
    // `a` is among what changed. The loop does not read `from`, but it is what the call was given.
    assert_eq!(given(&whole), "left = [4, 9, 0, 0], right = [1, 7, 0, 0], to = 2, from = 0");
    let parcels = Asked::new("questions", "Parcels");
    let call = parcels.number("Parcels.offer#1");
    let offer = parcels.ask(Subject::Loop { call, run: 0, from: 0, to: None });
    assert_eq!(given(&offer), "weight = 1, then 7");
    let second = parcels.ask(Subject::Loop { call, run: 0, from: 1, to: None });
    assert_eq!(given(&second), "weight = 7, price = Money[cents=799]");
    let asked = Asked::new("questions", "Asked");
    let search = asked.ask(Subject::Loop { call: asked.number("Asked.search#1"), run: 0, from: 0, to: None });
    assert_eq!(note(&search).as_deref(), Some("left by break"));
}

#[test]
fn a_statement_is_asked_about_by_what_it_did() {
    let sum = Asked::new("examples", "SumNumbers");
    let call = sum.number("SumNumbers.sumNumbers#1");
    let texts: Vec<String> =
        (0..15).map(|at| question_line(&sum.ask(Subject::Statement { call, at }))).collect();
    assert_eq!(texts[0], "SumNumbers.sumNumbers line 11 `int total = 0;`; total = 0");
    assert_eq!(
        texts[2],
        "SumNumbers.sumNumbers line 13 `while (at < numbers.length) {`; it holds, went to line 14; with numbers = [1, 2, 3]; \
         with at = 1"
    );
    assert_eq!(texts[11], "SumNumbers.sumNumbers line 18 `total = add(total, numbers[at]);`; total: 0 → 3");
    assert_eq!(texts[14], "SumNumbers.sumNumbers line 22 `return total;`; return 3");
    assert!(question(&sum.past, &Subject::Statement { call, at: 99 }, QuestionDetail::Short).is_err());
}

#[test]
fn what_changed_is_named_from_what_was_given() {
    let asked = Asked::new("questions", "Asked");
    asked.check(&[
        ("Asked.add#2", "Asked.add(2) = void; this.numbers: [1] → [1, 2]"),
        ("Asked.price#1", r#"Asked.price("pear", 4) = void; this.prices: {} → {"pear"=4}"#),
        ("Asked.deep#1", "Asked.deep(9) = void; this.left.value: 0 → 9; this.left.left.slots[2]: 0 → 9"),
        ("Asked.fill#1", "Asked.fill(10) = void; this.slots: [0, 0, 0, 0, 0, 0] → [10, 11, 12, 13, 14, 15]"),
        ("Asked.sum#1", "Asked.sum() = 17; with this.value = 0; with this.unread = 17"),
        ("Asked.log#2", r#"Asked.log("two") = void; Asked.LOG: ["one"] → ["one", "two"]"#),
        ("Asked.addTo#1", r#"Asked.addTo([1] → [1, 7], {"a"=1} → {"a"=1, "fig"=3}) = void"#),
    ]);
    // Fields that were neither read nor changed are left out.
    let sum = asked.call("Asked.sum#1").receiver.unwrap();
    assert_eq!(sum.before, value("Asked@1{value=0, unread=17}"));
}

#[test]
fn every_way_to_end_is_told() {
    let asked = Asked::new("questions", "Asked");
    let caught = asked.call("Asked.caught#1");
    assert_eq!(
        question_line(&caught),
        "Asked.caught([0, 0]) threw IllegalStateException: no `third`\\n| value"
    );
    let exception = Thrown::Value("IllegalStateException: no `third`\\n| value".to_owned());
    assert_eq!(caught.thrown, Some(exception));
    assert_eq!(caught.result, None);
    let halted = asked.call("Asked.halt#1");
    assert!(!halted.finished && question_line(&halted).ends_with('…'), "{halted:?}");
    assert_eq!(halted.note, Some(QuestionNote::SoFar));
    let lambda = question_line(&asked.call("Asked.lambda$main$0#1"));
    assert!(lambda.ends_with(") = 4"), "{lambda}");
    let made = asked.call("Asked$Late.static#1");
    assert_eq!(
        question_line(&made),
        "Asked$Late.static() = void; Asked.count: 3 → 103; Asked$Late.TABLE: null → [0, 5, 0]"
    );
    let nest = asked.ask(Subject::Nest { call: asked.number("Asked.factorial#1"), levels: 3 });
    assert_eq!(question_line(&nest), "Asked.factorial(4) = 24");
    let members: Vec<String> = nest.members.iter().map(called).collect();
    assert_eq!(members, ["Asked.factorial(4) = 24", "Asked.factorial(3) = 6", "Asked.factorial(2) = 2"]);
    let other = asked.past.streams().into_iter().find(|&stream| asked.past.thread_name(stream) == "other");
    let first = CallId { stream: other.unwrap_or(StreamId(1)), index: 0 }.number();
    let thread = asked.ask(Subject::Thread { first });
    assert_eq!(
        question_line(&thread),
        r#"thread other: Asked.lambda$main$1(); Asked.LOG: ["one", "two"] → ["one", "two", "three"]"#
    );
}

#[test]
fn questions_are_bounded_lines() {
    for (group, program) in
        [("questions", "Asked"), ("examples", "MergeSortMissing"), ("repeat", "shop.Shop")]
    {
        let asked = Asked::new(group, program);
        let mut count = 0;
        for row in asked.past.tree_rows(None, None, true) {
            count += 1;
            let subject = Subject::Call { call: row.call.number() };
            let short = asked.ask(subject);
            let text = question_line(&short);
            let length = text.chars().count();
            assert!(length <= 1_000, "{length} characters: {text}");
            assert!(!text.chars().any(char::is_control), "{text:?}");
            assert!((1.0..20.0).contains(&short.cost), "{}: {}", short.call, short.cost);
            let more = question(&asked.past, &subject, QuestionDetail::More).unwrap();
            assert!(more.changes.len() >= short.changes.len() && more.args.len() == short.args.len());
        }
        assert!(count > 10, "{program}: {count} calls");
    }
    let asked = Asked::new("questions", "Asked");
    let longest = asked.call("Asked.longest#1");
    let [text, list, nothing] = [0, 1, 2].map(|at| words::held(&longest.args[at].before));
    assert!(text.ends_with("(100000 chars)"), "{text:?}");
    assert!(list.contains("more"), "{list:?}");
    assert_eq!(nothing, "null");
    // What there is to read makes the difference.
    assert!(longest.cost > asked.call("Asked.value#1").cost + 1.0);
}

/// The lines of a question as they are shown.
fn lines(question: &Question) -> Vec<String> {
    let shown = words::shown(question);
    let facts = shown.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.text));
    let folded = shown.folded.iter().map(|folded| format!("({folded})"));
    std::iter::once(shown.head.clone()).chain(facts).chain(folded).collect()
}

#[test]
fn a_question_says_the_most_in_the_fewest_lines() {
    let shown = Asked::new("questions", "Shown");
    // What came to a list, not the list twice; which constant a number is; what says which object it is.
    assert_eq!(
        lines(&shown.call("Shown.add#1")),
        [
            r#"Shown.add("plus", 2 = KIND_NUMBER)"#,
            r#"gave: Shown$Token@13{line=3, column=5, quoted=false, name="plus", kind=2}"#,
            r#"this.tokens: added [12] Shown$Token@13{name="plus"} (now 13)"#,
        ]
    );
    // The middle of a text.
    assert_eq!(
        lines(&shown.call("Shown.mend#1"))[1..],
        [r#"this.text: …" over the lazy dog, and"… → …" over the busy dog, and"…"#]
    );
    // Many elements of a long array are one line, and so are equal ones.
    assert_eq!(
        lines(&shown.call("Shown.blank#1"))[1..],
        ["this.buffer[0..39]: [0 × 40] → [7 × 40]", "(there is more)"]
    );
    // A sum that stays 0 is told.
    let sum = shown.ask(Subject::Loop { call: shown.number("Shown.sum#1"), run: 0, from: 0, to: None });
    assert!(lines(&sum).contains(&"sum: still 0, written 3 times".to_owned()), "{:?}", lines(&sum));
    assert!(lines(&shown.call("Shown.sum#1")).contains(&"this.total: still 0, written 3 times".to_owned()));
    // What the calls of a statement gave stands below it.
    let statements = (0..60).map(|at| Subject::Statement { call: shown.number("Shown.main#1"), at });
    let all: Vec<Vec<String>> = statements
        .filter_map(|subject| question(&shown.past, &subject, QuestionDetail::Short).ok())
        .map(|question| lines(&question))
        .collect();
    assert!(all.iter().flatten().any(|line| line == "1: Shown.sum([1, 2, 3]) = 0"), "{all:#?}");
}

#[test]
fn what_decides_is_seen_however_deep_it_lies() {
    let asked = Asked::new("questions", "Parcels");
    let told = |call: &str| lines(&asked.call(call)).join("\n");
    // Records within a list within a record, objects within objects.
    let offer = told("Parcels.offer#1");
    assert!(offer.contains(r#"Parcel[to="Bonn", price=Money[cents=449]]"#), "{offer}");
    let sum = told("Parcels.sum#1");
    assert!(sum.contains(r#"sign="b""#), "{sum}");
    // What a switch and an enum are made of is no input of a call.
    let price = told("Parcels.price#1");
    assert!(!price.contains("SwitchMap") && !price.contains("Size@"), "{price}");
    let size = told("Parcels$Size.of#1");
    assert!(size.contains("SMALL") && !size.contains('?'), "{size}");
    // A loop fills a list that has a name, and its iterator has none.
    let call = asked.number("Parcels.heaviest#1");
    let filled = lines(&asked.ask(Subject::Loop { call, run: 0, from: 0, to: None })).join("\n");
    assert!(filled.contains("prices: ") && !filled.contains("Itr"), "{filled}");
}

#[test]
fn a_question_has_twelve_lines_at_most() {
    for (group, program) in
        [("questions", "Asked"), ("questions", "Shown"), ("questions", "Noisy"), ("repeat", "shop.Shop")]
    {
        let asked = Asked::new(group, program);
        for row in asked.past.tree_rows(None, None, true) {
            let told = lines(&asked.ask(Subject::Call { call: row.call.number() }));
            assert!(told.len() <= session::MAX_LINES, "{told:#?}");
        }
    }
}
