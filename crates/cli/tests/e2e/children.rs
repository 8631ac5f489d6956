//! A JVM that a recorded program starts is recorded too, in a folder of its own.

use std::ops::ControlFlow;

use crate::debuggee::{Program, document, jdks};
use trace::{EventKind, Recording, Value};

#[test]
fn a_jvm_that_the_program_starts_gets_its_own_recording() {
    for jdk in jdks() {
        let program = Program::new("children", &["Parent"]);
        let plain = program.run(&jdk);
        assert_eq!(plain.stdout, "child: 42\nchild ended with 5\n");
        let (recorded, recording) = program.record(&jdk, &[]);
        assert_eq!(recorded, plain);
        let mut found = Recording::find(&recording.path()).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        found.sort_by_key(|path| calls(&Recording::open(path).unwrap(), "Child.twice"));
        let of_child = Recording::open(&found[1]).unwrap();
        assert_eq!(
            (calls(&Recording::open(&found[0]).unwrap(), "Parent.main"), calls(&of_child, "Child.twice")),
            (1, 1)
        );
        assert!(of_child.manifest().complete);
        for path in found {
            assert_eq!(document("verify", &path)["ok"], true);
        }
    }
}

/// How often a method was called; `Child.twice` must have been given what the parent said.
fn calls(recording: &Recording, name: &str) -> usize {
    let mut count = 0;
    for thread in recording.threads() {
        recording.events(thread.stream, |event| {
            if let EventKind::Enter { args, .. } = event.kind
                && event.site.is_some_and(|site| recording.method_name(site.method) == name)
            {
                assert!(name != "Child.twice" || args == [Value::Int(21)], "{args:?}");
                count += 1;
            }
            ControlFlow::Continue(())
        });
    }
    count
}
