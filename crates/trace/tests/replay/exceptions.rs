//! Exceptions: where they come from is recomputed, where they go to is read.

use trace::record::Record;

use crate::lab::{Lab, program};

#[test]
fn a_division_by_zero_is_thrown_where_it_happens() {
    let mut lab = Lab::new(
        "public class Main {
            static int div(int a, int b) {
                int r = 1;
                try { r = a / b; r = 2; } catch (ArithmeticException e) { r = 3; }
                return r;
            }
        }",
    );
    lab.enter("Main.div").int(6).int(0).object(5, "java/lang/ArithmeticException").catch(1, 0, 5).exit();
    lab.check(
        "1 enter Main.div:3 by-library (6, 0)
        1 local Main.div:3 r = 1
        1 throw Main.div:4 ArithmeticException@5
        1 catch Main.div:4 ArithmeticException@5
        1 local Main.div:4 e = ArithmeticException@5
        1 local Main.div:4 r = 3
        1 exit Main.div:5 3",
    );
}

#[test]
fn an_exception_passes_finally_blocks_and_calls_on_its_way_out() {
    let mut lab = Lab::new(
        "public class Main {
            static int n;
            static void inner() { try { throw new IllegalStateException(); } finally { n = 1; } }
            static void outer() { try { inner(); } catch (RuntimeException e) { n = 2; } finally { n = 3; } }
        }",
    );
    lab.enter("Main.outer").enter("Main.inner");
    lab.returned().object(8, "java/lang/IllegalStateException").reference(8);
    lab.catch(2, 0, 8).unwind(2, 8).catch(1, 0, 8).exit();
    lab.check(
        "1 enter Main.outer:4 by-library ()
        1 call Main.outer:4 Main.inner ()
        2 enter Main.inner:3 ()
        2 new Main.inner:3 IllegalStateException new#1
        2 call Main.inner:3 IllegalStateException.<init> on new#1 ()
        2 return Main.inner:3 -
        2 named Main.inner:3 new#1 is IllegalStateException@8
        2 throw Main.inner:3 IllegalStateException@8
        2 catch Main.inner:3 IllegalStateException@8
        2 local Main.inner:3 local0 = IllegalStateException@8
        2 static Main.inner:3 Main.n = 1
        2 throw Main.inner:3 IllegalStateException@8
        2 unwind Main.inner:3 IllegalStateException@8
        1 throw Main.outer:4 IllegalStateException@8
        1 catch Main.outer:4 IllegalStateException@8
        1 local Main.outer:4 e = IllegalStateException@8
        1 static Main.outer:4 Main.n = 2
        1 static Main.outer:4 Main.n = 3
        1 exit Main.outer:4 -",
    );
}

#[test]
fn of_several_casts_and_stores_the_one_that_cannot_go_well_throws() {
    // None of the rounds before leaves anything in the log.
    let mut lab = Lab::new(
        "public class Main {
            static int cast(Object good, Object bad) {
                int n = 0;
                for (int i = 0; i < 3; i++) {
                    try { Main m = (Main) (i < 2 ? good : bad); n++; } catch (ClassCastException e) { n += 10; }
                }
                return n;
            }
            static int store(Object[] a, Object good, Object bad) {
                int n = 0;
                for (int i = 0; i < 3; i++) {
                    try { a[0] = i < 2 ? good : bad; n++; } catch (ArrayStoreException e) { n += 10; }
                }
                return n;
            }
        }",
    );
    lab.object(program(1), "Main").object(2, "java/lang/Object").array(3, "[Ljava/lang/Integer;", 1);
    lab.object(4, "java/lang/ClassCastException").object(5, "java/lang/ArrayStoreException");
    lab.enter("Main.cast").reference(program(1)).reference(2).catch(1, 0, 4).exit();
    lab.enter("Main.store")
        .reference(3)
        .put(Record::Box { kind: b'I', bits: 7 })
        .reference(2)
        .catch(1, 0, 5)
        .exit();
    let lines = lab.lines();
    let counts: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once(" n = ")).map(|(_, n)| n).collect();
    assert_eq!(counts, ["0", "1", "2", "12", "0", "1", "2", "12"], "{lines:#?}");
    lab.check_resuming();
}

#[test]
fn null_and_bad_index_and_bad_cast_throw_at_their_own_instruction() {
    let mut lab = Lab::new(
        "public class Main {
            int f;
            static void nul(Main m) { int x = 1; m.f = 2; x = 3; }
            static void index(int[] a) { a[0] = 1; a[2] = 2; a[1] = 3; }
            static void cast(Object o) { int x = 1; String s = (String) o; x = 2; }
            static void store(Object[] o) { o[0] = \"x\"; o[0] = null; }
            static synchronized void locked(int[] a) { a[0] = 1; a[5] = 2; a[1] = 3; }
        }",
    );
    for (id, ty) in [
        (1, "java/lang/NullPointerException"),
        (2, "java/lang/ArrayIndexOutOfBoundsException"),
        (3, "java/lang/ClassCastException"),
        (4, "java/lang/ArrayStoreException"),
        (5, "java/lang/Object"),
    ] {
        lab.object(id, ty);
    }
    lab.array(6, "[I", 2).array(7, "[Ljava/lang/Integer;", 1);
    lab.enter("Main.nul").null().unwind(1, 1);
    lab.enter("Main.index").reference(6).unwind(1, 2);
    lab.enter("Main.cast").reference(5).unwind(1, 3);
    lab.enter("Main.store").reference(7).unwind(1, 4);
    lab.enter("Main.locked").reference(6).seq(1).seq(2).unwind(1, 2);
    lab.check(
        "1 enter Main.nul:3 by-library (null)
        1 local Main.nul:3 x = 1
        1 throw Main.nul:3 NullPointerException@1
        1 unwind Main.nul:3 NullPointerException@1
        1 enter Main.index:4 by-library (int[]@6)
        1 element Main.index:4 int[]@6[0] = 1
        1 throw Main.index:4 ArrayIndexOutOfBoundsException@2
        1 unwind Main.index:4 ArrayIndexOutOfBoundsException@2
        1 enter Main.cast:5 by-library (Object@5)
        1 local Main.cast:5 x = 1
        1 throw Main.cast:5 ClassCastException@3
        1 unwind Main.cast:5 ClassCastException@3
        1 enter Main.store:6 by-library (Integer[]@7)
        1 throw Main.store:6 ArrayStoreException@4
        1 unwind Main.store:6 ArrayStoreException@4
        1 enter Main.locked:7 by-library (int[]@6)
        1 sync Main.locked:7 1
        1 element Main.locked:7 int[]@6[0] = 1
        1 sync Main.locked:7 2
        1 throw Main.locked:7 ArrayIndexOutOfBoundsException@2
        1 unwind Main.locked:7 ArrayIndexOutOfBoundsException@2",
    );
}

#[test]
fn calls_that_a_stack_overflow_left_are_closed_when_it_is_caught() {
    let mut lab = Lab::new(
        "public class Main {
            static void down() { down(); }
            static int go() { try { down(); return 1; } catch (StackOverflowError e) { return 2; } }
        }",
    );
    lab.enter("Main.go").enter("Main.down").enter("Main.down").enter("Main.down");
    lab.object(4, "java/lang/StackOverflowError").unwind(3, 4).catch(1, 0, 4).exit();
    lab.check(
        "1 enter Main.go:3 by-library ()
        1 call Main.go:3 Main.down ()
        2 enter Main.down:2 ()
        2 call Main.down:2 Main.down ()
        3 enter Main.down:2 ()
        3 call Main.down:2 Main.down ()
        4 enter Main.down:2 ()
        4 call Main.down:2 Main.down ()
        4 throw Main.down:2 StackOverflowError@4
        4 unwind Main.down:2 StackOverflowError@4 (concluded)
        3 throw Main.down:2 StackOverflowError@4
        3 unwind Main.down:2 StackOverflowError@4
        2 throw Main.down:2 StackOverflowError@4
        2 unwind Main.down:2 StackOverflowError@4 (concluded)
        1 throw Main.go:3 StackOverflowError@4
        1 catch Main.go:3 StackOverflowError@4
        1 local Main.go:3 e = StackOverflowError@4
        1 exit Main.go:3 2",
    );
}

#[test]
fn a_stack_overflow_may_keep_exceptions_and_arguments_from_being_recorded() {
    let mut lab = Lab::new(
        "public class Main {
            static void down(Object a, int b) { down(a, b + 1); }
            static int go() { try { down(null, 0); return 1; } catch (StackOverflowError e) { return 2; } }
        }",
    );
    lab.enter("Main.go").enter("Main.down").null().int(0).enter("Main.down").null();
    lab.put(Record::Unwind { depth: 3 }).put(Record::Unwind { depth: 2 });
    lab.object(4, "java/lang/StackOverflowError").catch(1, 0, 4).exit();
    lab.check(
        "1 enter Main.go:3 by-library ()
        1 call Main.go:3 Main.down (null, 0)
        2 enter Main.down:2 (null, 0)
        2 call Main.down:2 Main.down (null, 1)
        3 enter Main.down:2 (null)
        3 throw Main.down:2 -
        3 unwind Main.down:2 -
        2 throw Main.down:2 -
        2 unwind Main.down:2 -
        1 throw Main.go:3 StackOverflowError@4
        1 catch Main.go:3 StackOverflowError@4
        1 local Main.go:3 e = StackOverflowError@4
        1 exit Main.go:3 2",
    );
}

#[test]
fn an_exception_before_super_leaves_the_constructor_without_a_record() {
    let mut lab = Lab::new(
        "public class Main {
            Main(int x) { super(); }
            Main() { this(check(0)); }
            static int check(int x) { return 1 / x; }
            static void go() { try { new Main(); } catch (ArithmeticException e) { } }
        }",
    );
    lab.enter("Main.go").enter("Main.<init>()V").enter("Main.check").int(0);
    lab.object(4, "java/lang/ArithmeticException").unwind(3, 4).catch(1, 0, 4).exit();
    lab.check(
        "1 enter Main.go:5 by-library ()
        1 new Main.go:5 Main new#1
        1 call Main.go:5 Main.<init> on new#1 ()
        2 enter Main.<init>:3 this=new#1 ()
        2 call Main.<init>:3 Main.check (0)
        3 enter Main.check:4 (0)
        3 throw Main.check:4 ArithmeticException@4
        3 unwind Main.check:4 ArithmeticException@4
        2 throw Main.<init>:3 ArithmeticException@4
        2 unwind Main.<init>:3 ArithmeticException@4 (concluded)
        1 throw Main.go:5 ArithmeticException@4
        1 catch Main.go:5 ArithmeticException@4
        1 local Main.go:5 local0 = ArithmeticException@4
        1 exit Main.go:5 -",
    );
}

#[test]
fn a_failed_class_initialiser_fails_the_instruction_that_needed_the_class() {
    let mut lab = Lab::new(
        "public class Main {
            static class Bad { static int n = Integer.parseInt(\"x\"); }
            static void go() { int x = 1; Bad.n = 2; x = 3; }
        }",
    );
    lab.enter("Main.go").enter("Main$Bad.<clinit>").object(3, "java/lang/NumberFormatException").unwind(2, 3);
    lab.object(4, "java/lang/ExceptionInInitializerError").unwind(1, 4);
    lab.check(
        "1 enter Main.go:3 by-library ()
        1 local Main.go:3 x = 1
        2 enter Main$Bad.<clinit>:2 by-library ()
        2 call Main$Bad.<clinit>:2 Integer.parseInt (\"x\")
        2 throw Main$Bad.<clinit>:2 NumberFormatException@3
        2 unwind Main$Bad.<clinit>:2 NumberFormatException@3
        1 throw Main.go:3 ExceptionInInitializerError@4
        1 unwind Main.go:3 ExceptionInInitializerError@4",
    );
}
