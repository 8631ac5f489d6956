//! Objects: construction, class initialisation, what libraries write.

use classfile::opcode as op;
use trace::ObjectId;
use trace::record::Record;
use trace::tables::Detail;

use crate::lab::{Lab, program};

#[test]
fn an_object_gets_its_name_when_its_outermost_constructor_part_returns() {
    let mut lab = Lab::new(
        "public class Main {
            static class Base { int b = 1; }
            static class Derived extends Base { int d; Derived(int x) { d = x + b; } }
            static int go() { return new Derived(4).d; }
            static void unused() { new Object(); }
        }",
    );
    let object = program(2);
    lab.enter("Main.go").enter("Main$Derived.<init>").int(4).enter("Main$Base.<init>");
    lab.returned().object(object, "Main$Derived").reference(object);
    lab.exit().returned().reference(object).int(1).exit().returned().reference(object).int(5).exit();
    lab.enter("Main.unused").returned().object(6, "java/lang/Object").reference(6).exit();
    lab.check(
        "1 enter Main.go:4 by-library ()
        1 new Main.go:4 Main$Derived new#1
        1 call Main.go:4 Main$Derived.<init> on new#1 (4)
        2 enter Main$Derived.<init>:3 this=new#1 (4)
        2 call Main$Derived.<init>:3 Main$Base.<init> on new#1 ()
        3 enter Main$Base.<init>:2 this=new#1 ()
        3 call Main$Base.<init>:2 Object.<init> on new#1 ()
        3 return Main$Base.<init>:2 -
        3 named Main$Base.<init>:2 new#1 is Main$Derived@2
        3 field Main$Base.<init>:2 Main$Derived@2.b = 1
        3 exit Main$Base.<init>:2 -
        2 return Main$Derived.<init>:3 -
        2 field Main$Derived.<init>:3 Main$Derived@2.d = 5
        2 exit Main$Derived.<init>:3 -
        1 return Main.go:4 -
        1 exit Main.go:4 5
        1 enter Main.unused:5 by-library ()
        1 new Main.unused:5 Object new#2
        1 call Main.unused:5 Object.<init> on new#2 ()
        1 return Main.unused:5 -
        1 named Main.unused:5 new#2 is Object@6
        1 exit Main.unused:5 -",
    );
}

#[test]
fn an_inner_class_writes_its_outer_object_before_it_has_a_name() {
    let mut lab = Lab::new(
        "public class Main {
            class Inner { int i = 3; }
            Object make() { return new Inner(); }
        }",
    );
    let (outer, inner) = (program(1), program(2));
    lab.object(outer, "Main").enter("Main.make").reference(outer);
    lab.enter("Main$Inner.<init>")
        .reference(outer)
        .returned()
        .object(inner, "Main$Inner")
        .reference(inner)
        .exit();
    lab.returned().reference(inner).exit();
    lab.check(
        "1 enter Main.make:3 by-library this=Main@1 ()
        1 new Main.make:3 Main$Inner new#1
        1 call Main.make:3 Main$Inner.<init> on new#1 (Main@1)
        2 enter Main$Inner.<init>:2 this=new#1 (Main@1)
        2 field Main$Inner.<init>:2 new#1.this$0 = Main@1
        2 call Main$Inner.<init>:2 Object.<init> on new#1 ()
        2 return Main$Inner.<init>:2 -
        2 named Main$Inner.<init>:2 new#1 is Main$Inner@2
        2 field Main$Inner.<init>:2 Main$Inner@2.i = 3
        2 exit Main$Inner.<init>:2 -
        1 return Main.make:3 -
        1 exit Main.make:3 Main$Inner@2",
    );
}

#[test]
fn class_initialisers_run_inside_the_instruction_that_needs_the_class() {
    let mut lab = Lab::new(
        "public class Main {
            static class Config { static int limit = 5; static int other; }
            static class Later { static int n = 7; }
            static int read() { return Config.limit; }
            static void write() { int x = 1; Later.n = 2; x = 3; }
        }",
    );
    lab.enter("Main.read").enter("Main$Config.<clinit>").exit().int(5).exit();
    lab.enter("Main.write").enter("Main$Later.<clinit>").exit().exit();
    lab.check(
        "1 enter Main.read:4 by-library ()
        2 enter Main$Config.<clinit>:2 by-library ()
        2 static Main$Config.<clinit>:2 Config.limit = 5
        2 exit Main$Config.<clinit>:2 -
        1 exit Main.read:4 5
        1 enter Main.write:5 by-library ()
        1 local Main.write:5 x = 1
        2 enter Main$Later.<clinit>:3 by-library ()
        2 static Main$Later.<clinit>:3 Later.n = 7
        2 exit Main$Later.<clinit>:3 -
        1 static Main.write:5 Later.n = 2
        1 local Main.write:5 x = 3
        1 exit Main.write:5 -"
            .replace("Config.limit", "Main$Config.limit")
            .replace("Later.n", "Main$Later.n")
            .as_str(),
    );
}

#[test]
fn what_a_library_wrote_belongs_to_the_call_that_caused_it() {
    let mut lab = Lab::new(
        "public class Main {
            static void go(Lib l) { l.add(3); }
        }
        class Lib { int size; int[] data; void add(int x) { data[size] = x; size = size + 1; } }",
    )
    .detail("Lib", Detail::Library);
    let element = lab.site("Lib.add", op::IASTORE, 0);
    let field = lab.site("Lib.add", op::PUTFIELD, 0);
    lab.object(1, "Lib").array(2, "[I", 4).enter("Main.go").reference(1);
    lab.put(Record::Element(element)).reference(2).int(0).int(3);
    lab.put(Record::Field(field)).reference(1).int(1);
    let data = [3, 0, 0, 0, 255, 255, 255, 255];
    lab.returned();
    lab.put(Record::Content { id: ObjectId(2), length: 4, from: 0, count: 2, kind: b'I', data: &data });
    lab.put(Record::Contents { id: ObjectId(3), length: 2, from: 0, count: 2 }).null().text("x");
    lab.put(Record::Fields { id: ObjectId(1), count: 2 }).int(1).reference(2);
    lab.exit();
    lab.check(
        "1 enter Main.go:2 by-library (Lib@1)
        1 call Main.go:2 Lib.add on Lib@1 (3)
        1 element Lib.add:4 (library) int[]@2[0] = 3
        1 field Lib.add:4 (library) Lib@1.size = 1
        1 return Main.go:2 -
        1 contents Main.go:2 int[]@2[0..2] of 4: 3, -1
        1 contents Main.go:2 object@3[0..2] of 2: null, \"x\"
        1 fields Main.go:2 Lib@1 {? = 1, ? = int[]@2}
        1 exit Main.go:2 -",
    );
}

#[test]
fn at_lower_detail_every_event_is_explicit() {
    let mut lab = Lab::new(
        "public class Main {
            static boolean go(String s) { Object o = new Object(); return s.isEmpty() && inner(o) > 1; }
            static long inner(Object o) { return 5; }
        }",
    )
    .detail("Main", Detail::Heap);
    let new = lab.site("Main.go", op::INVOKESPECIAL, 0);
    let empty = lab.site("Main.go", op::INVOKEVIRTUAL, 0);
    let inner = lab.site("Main.go", op::INVOKESTATIC, 0);
    lab.enter("Main.go").text("");
    lab.put(Record::Call { site: new, values: 0 }).returned();
    lab.put(Record::New(new)).object(4, "java/lang/Object").reference(4);
    lab.put(Record::Call { site: empty, values: 1 }).put(Record::Str(trace::StringId(1))).int(1);
    lab.put(Record::Call { site: inner, values: 1 }).reference(4);
    lab.enter("Main.inner").reference(4).put(Record::ExitValue).long(5).long(5);
    lab.put(Record::ExitValue).int(1);
    lab.check(
        "1 enter Main.go:2 by-library (\"\")
        1 call Main.go:2 Object.<init> on new#1 ()
        1 return Main.go:2 -
        1 new Main.go:2 Object Object@4
        1 named Main.go:2 new#1 is Object@4
        1 call Main.go:2 String.isEmpty on \"\" ()
        1 return Main.go:2 1
        1 call Main.go:2 Main.inner (Object@4)
        2 enter Main.inner:3 (Object@4)
        2 exit Main.inner:3 5
        1 return Main.go:2 5
        1 exit Main.go:2 true",
    );
}

#[test]
fn a_constructors_this_has_its_name_after_super_whatever_the_locals_beside_it() {
    let mut lab = Lab::new(
        "public class Main {
            int f;
            Main() { super(); f = 1; int x = 5; f = x; }
        }",
    );
    let m = program(1);
    lab.object(m, "Main").enter("Main.<init>").returned().reference(m).exit();
    let lines = lab.lines();
    let writes: Vec<&String> = lines.iter().filter(|line| line.starts_with("1 field")).collect();
    assert_eq!(writes, ["1 field Main.<init>:3 Main@1.f = 1", "1 field Main.<init>:3 Main@1.f = 5"]);
}
