//! A recording of each version of the format, kept as it was written: what was recorded once stays readable.

use std::fs;
use std::path::{Path, PathBuf};

use trace::Recording;
use trace::record::Record;

use crate::lab::{Lab, compare, lines, program};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format-1")
}

#[test]
fn a_recording_of_format_1_is_read() {
    let recording = Recording::open(&folder()).unwrap();
    assert_eq!(recording.damaged(), &[]);
    let (found, outcome) = lines(&recording);
    compare(
        &found,
        "0 sync 1
        1 enter Main.go:3 by-library (Main@1, \"hi\")
        1 call Main.go:3 String.length on \"hi\" ()
        1 return Main.go:3 2
        1 local Main.go:3 n = 2
        1 throw Main.go:4 ArithmeticException@4 \"/ by zero\"
        1 catch Main.go:4 ArithmeticException@4 \"/ by zero\"
        1 local Main.go:4 e = ArithmeticException@4
        1 field Main.go:4 Main@1.f = 2
        1 exit Main.go:5 2",
    );
    assert_eq!((outcome.gap_count, outcome.open), (0, 0));
}

#[test]
#[ignore = "writes the golden recording; only for a new version of the format"]
fn write_the_golden_recording() {
    let mut lab = Lab::new(
        "public class Main {
            int f;
            static int go(Main m, String s) { int n = s.length();
                try { n = 1 / m.f; } catch (ArithmeticException e) { m.f = n; }
                return n;
            }
        }",
    );
    let m = program(1);
    lab.seq(1).object(m, "Main").enter("Main.go").reference(m).text("hi").int(2).int(0);
    lab.object(4, "java/lang/ArithmeticException");
    let message = trace::StringId(9);
    lab.put(Record::String { id: message, chars: 9, flags: 0, data: b"/ by zero" });
    lab.put(Record::Exception { id: trace::ObjectId(4), message });
    lab.catch(1, 0, 4).exit();
    let recording = lab.open();
    fs::create_dir_all(folder()).unwrap();
    for file in ["manifest.json", "chunks-000.inq"] {
        fs::copy(recording.path().join(file), folder().join(file)).unwrap();
    }
}
