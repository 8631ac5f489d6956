//! Fields and callees have numbers that do not depend on the order of reading, and reads are told with their values.

use trace::record::Record;
use trace::{
    Event, EventKind, FieldId, FieldRef, ObjectId, Read, ReadKind, Recording, StreamId, Then, TypeId, Value,
    Visitor,
};

use crate::lab::{Lab, program};

const CLASSES: &str = "public class Main {
    interface Constants { Object SHARED = new Object(); }
    static class Base { int a; int b; static int count; }
    static class Middle extends Base { int c; }
    static class Leaf extends Middle implements Constants { static int own; int a; }
    static int go(Leaf leaf, int[] array) {
        leaf.a = 1;
        leaf.b = 2;
        ((Base) leaf).a = 3;
        Leaf.count = 4;
        Object shared = Leaf.SHARED;
        return leaf.c + array[1];
    }
}";

fn lab() -> Lab {
    let mut lab = Lab::new(CLASSES);
    let leaf = program(1);
    lab.object(leaf, "Main$Leaf").array(2, "[I", 3);
    lab.enter("Main.go").reference(leaf).reference(2).reference(9).int(7).int(8).exit();
    lab
}

/// What fields are written and read, by the class that declares them, and what is read.
struct Used<'r> {
    recording: &'r Recording,
    lines: Vec<String>,
}

impl Used<'_> {
    fn declared(&self, field: &FieldRef) -> String {
        let program = self.recording.program();
        let id = field.id(program).unwrap();
        assert_eq!(field.id(program), Some(id));
        let (class, field) = program.field(id).unwrap();
        format!("{}.{}", class.name, field.name)
    }
}

impl Visitor for Used<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        if let EventKind::FieldWrite { field, .. } | EventKind::StaticWrite { field, .. } = event.kind {
            self.lines.push(format!("write {}", self.declared(field)));
        }
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        assert_eq!(read.depth, 1);
        self.lines.push(match read.kind {
            ReadKind::Field { object, field, value } => {
                assert_eq!(object, Value::Object(ObjectId(program(1))));
                format!("read {} {value:?}", self.declared(field))
            }
            ReadKind::Static { field, value } => format!("read {} {value:?}", self.declared(field)),
            ReadKind::Element { array, index, value } => format!("read {array:?}[{index}] {value:?}"),
        });
    }
}

#[test]
fn a_field_is_that_of_the_class_that_declares_it_and_reads_are_told() {
    let recording = lab().open();
    let mut replay = recording.replay(StreamId(1), Used { recording: &recording, lines: Vec::new() });
    replay.run(u64::MAX);
    assert_eq!(
        replay.visitor().lines,
        [
            "write Main$Leaf.a",
            "write Main$Base.b",
            "write Main$Base.a",
            "write Main$Base.count",
            "read Main$Constants.SHARED Object(ObjectId(9))",
            "read Main$Middle.c Int(7)",
            "read Object(ObjectId(2))[1] Int(8)",
        ]
    );
}

#[test]
fn the_fields_of_an_object_are_those_of_all_its_classes() {
    let mut lab = lab();
    let ty = lab.ty("Main$Leaf");
    let recording = lab.open();
    let program = recording.program();
    let fields = program.instance_fields(ty);
    let named = |&(id, field): &(FieldId, &trace::Field)| {
        let (class, same) = program.field(id).unwrap();
        assert!(std::ptr::eq(field, same));
        format!("{}.{}", class.name, field.name)
    };
    let names: Vec<String> = fields.iter().map(named).collect();
    assert_eq!(names, ["Main$Base.a", "Main$Base.b", "Main$Middle.c", "Main$Leaf.a"]);
    assert!(program.instance_fields(TypeId(999)).is_empty());
    assert!(program.field(FieldId(u32::MAX)).is_none());
}

#[test]
fn a_callee_is_found_again_by_its_number() {
    let mut lab = Lab::new("public class Main { static String go(String s) { return s.trim().concat(s); } }");
    lab.enter("Main.go").text("a").put(Record::Ref(0));
    let recording = lab.open();
    let mut found = Vec::new();
    recording.events(StreamId(1), |event| {
        if let EventKind::Call { callee, .. } = event.kind {
            let names = (callee.owner.clone(), callee.name.clone(), callee.descriptor.clone());
            assert_eq!(recording.program().callee(callee.id), Some(names));
            found.push((callee.name.clone(), callee.kinds().to_vec(), callee.receiver(), callee.result()));
        }
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(found, [("trim".to_owned(), b"L".to_vec(), true, b'L')]);
}
