//! Calls between recorded methods that are not in the log: what they were called with, which method it was, what they
//! gave, and the places where the log says that a call was none of these.

use crate::lab::{Lab, lines, program};

#[test]
fn a_call_of_a_static_method_needs_no_record() {
    let mut lab = Lab::new(
        "public class Main {
            static long twice(int n, long l) { int m = n + n; return m + l; }
            static long go(int n) { long r = twice(n, 5L); return r; }
        }",
    )
    .announcing();
    lab.enter("Main.go").int(3).exit();
    lab.check(
        "1 enter Main.go:3 by-library (3)
        1 call Main.go:3 Main.twice (3, 5)
        2 enter Main.twice:2 (3, 5)
        2 local Main.twice:2 m = 6
        2 exit Main.twice:2 11
        1 return Main.go:3 11
        1 local Main.go:3 r = 11
        1 exit Main.go:3 11",
    );
}

#[test]
fn the_receiver_tells_which_method_it_was() {
    let mut lab = Lab::new(
        "public class Main {
            static abstract class Shape { abstract int area(); int twice() { return 2 * area(); } }
            static class Dot extends Shape { int area() { return 0; } }
            static class Box extends Dot { int side; int area() { return side * side; } }
            static class Same extends Box { }
            static int go(Shape shape) { return shape.twice(); }
        }",
    )
    .announcing();
    lab.object(program(1), "Main$Same").enter("Main.go").reference(program(1)).int(3).int(3).exit();
    lab.object(program(2), "Main$Dot").enter("Main.go").reference(program(2)).exit();
    lab.check(
        "1 enter Main.go:6 by-library (Main$Same@1)
        1 call Main.go:6 Main$Shape.twice on Main$Same@1 ()
        2 enter Main$Shape.twice:2 this=Main$Same@1 ()
        2 call Main$Shape.twice:2 Main$Shape.area on Main$Same@1 ()
        3 enter Main$Box.area:4 this=Main$Same@1 ()
        3 exit Main$Box.area:4 9
        2 return Main$Shape.twice:2 9
        2 exit Main$Shape.twice:2 18
        1 return Main.go:6 18
        1 exit Main.go:6 18
        1 enter Main.go:6 by-library (Main$Dot@2)
        1 call Main.go:6 Main$Shape.twice on Main$Dot@2 ()
        2 enter Main$Shape.twice:2 this=Main$Dot@2 ()
        2 call Main$Shape.twice:2 Main$Shape.area on Main$Dot@2 ()
        3 enter Main$Dot.area:3 this=Main$Dot@2 ()
        3 exit Main$Dot.area:3 0
        2 return Main$Shape.twice:2 0
        2 exit Main$Shape.twice:2 0
        1 return Main.go:6 0
        1 exit Main.go:6 0",
    );
}

#[test]
fn a_constructor_tells_its_caller_which_object_it_made() {
    let mut lab = Lab::new(
        "public class Main {
            static class Base { int b; Base(int b) { this.b = b; } }
            static class Leaf extends Base { int l; Leaf(int l) { super(l + 1); this.l = l; } }
            static Leaf go() { Leaf leaf = new Leaf(7); return leaf; }
        }",
    )
    .announcing();
    // Only the constructor of Object is a library's.
    lab.enter("Main.go").returned().object(program(4), "Main$Leaf").reference(program(4)).exit();
    lab.check(
        "1 enter Main.go:4 by-library ()
        1 new Main.go:4 Main$Leaf new#1
        1 call Main.go:4 Main$Leaf.<init> on new#1 (7)
        2 enter Main$Leaf.<init>:3 this=new#1 (7)
        2 call Main$Leaf.<init>:3 Main$Base.<init> on new#1 (8)
        3 enter Main$Base.<init>:2 this=new#1 (8)
        3 call Main$Base.<init>:2 Object.<init> on new#1 ()
        3 return Main$Base.<init>:2 -
        3 named Main$Base.<init>:2 new#1 is Main$Leaf@4
        3 field Main$Base.<init>:2 Main$Leaf@4.b = 8
        3 exit Main$Base.<init>:2 -
        2 return Main$Leaf.<init>:3 -
        2 field Main$Leaf.<init>:3 Main$Leaf@4.l = 7
        2 exit Main$Leaf.<init>:3 -
        1 return Main.go:4 -
        1 local Main.go:4 leaf = Main$Leaf@4
        1 exit Main.go:4 Main$Leaf@4",
    );
}

#[test]
fn a_call_through_a_library_is_told_as_such() {
    // The receiver is none of the program's classes: its `run` calls that of another object, of the same name.
    let mut lab = Lab::new(
        "public class Main {
            interface Task { int run(int n); }
            static class Own implements Task { public int run(int n) { return n + 1; } }
            static int go(Task task) { return task.run(1); }
        }",
    )
    .announcing();
    lab.object(7, "java/lang/Object").object(program(1), "Main$Own");
    lab.enter("Main.go").reference(7).unlinked(0);
    lab.enter("Main$Own.run").reference(program(1)).int(5).exit().int(6).exit();
    lab.check(
        "1 enter Main.go:4 by-library (Object@7)
        1 call Main.go:4 Main$Task.run on Object@7 (1)
        2 enter Main$Own.run:3 by-library this=Main$Own@1 (5)
        2 exit Main$Own.run:3 6
        1 return Main.go:4 6
        1 exit Main.go:4 6",
    );
}

#[test]
fn what_is_unlinked_further_down_does_not_concern_the_call_above() {
    let mut lab = Lab::new(
        "public class Main {
            interface Task { int run(); }
            static int inner(Task task) { return task.run(); }
            static int outer(Task task) { return inner(task); }
        }",
    )
    .announcing();
    lab.object(7, "java/lang/Object");
    lab.enter("Main.outer").reference(7).unlinked(1).int(9).exit();
    lab.check(
        "1 enter Main.outer:4 by-library (Object@7)
        1 call Main.outer:4 Main.inner (Object@7)
        2 enter Main.inner:3 (Object@7)
        2 call Main.inner:3 Main$Task.run on Object@7 ()
        2 return Main.inner:3 9
        2 exit Main.inner:3 9
        1 return Main.outer:4 9
        1 exit Main.outer:4 9",
    );
}

#[test]
fn of_calls_side_by_side_the_one_that_is_unlinked_is_meant() {
    let mut lab = Lab::new(
        "public class Main {
            interface Task { int run(); }
            static int plain() { return 1; }
            static int twice(Task task) { int n = plain() + plain(); return n + task.run(); }
            static int go(Task task) { int n = plain(); return n + twice(task) + task.run(); }
        }",
    )
    .announcing();
    lab.object(7, "java/lang/Object");
    // `go` begins: nothing of `plain`, `twice` and the two calls of `plain` there is in the log. The next outermost call counts anew.
    lab.enter("Main.go").reference(7).unlinked(4).int(20).unlinked(4).int(300).exit();
    lab.enter("Main.twice").reference(7).unlinked(2).int(5).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(outcome.gap_count, 0, "{found:#?}");
    let exits: Vec<&str> = found.iter().filter(|line| line.contains(" exit ")).map(String::as_str).collect();
    assert_eq!(
        exits,
        [
            "2 exit Main.plain:3 1",
            "3 exit Main.plain:3 1",
            "3 exit Main.plain:3 1",
            "2 exit Main.twice:4 22",
            "1 exit Main.go:5 323",
            "2 exit Main.plain:3 1",
            "2 exit Main.plain:3 1",
            "1 exit Main.twice:4 7",
        ],
        "{found:#?}"
    );
    lab.check_resuming();
}

#[test]
fn a_class_initialiser_comes_before_the_call_that_needs_it() {
    let mut lab = Lab::new(
        "public class Main {
            static class Other { static int n = 4; static int get() { return n; } }
            static int go() { return Other.get(); }
        }",
    )
    .announcing();
    lab.enter("Main.go").unlinked(0).enter("Main$Other.<clinit>").exit();
    lab.enter("Main$Other.get").int(4).exit().int(4).exit();
    lab.check(
        "1 enter Main.go:3 by-library ()
        1 call Main.go:3 Main$Other.get ()
        2 enter Main$Other.<clinit>:2 by-library ()
        2 static Main$Other.<clinit>:2 Main$Other.n = 4
        2 exit Main$Other.<clinit>:2 -
        2 enter Main$Other.get:2 ()
        2 exit Main$Other.get:2 4
        1 return Main.go:3 4
        1 exit Main.go:3 4",
    );
}

#[test]
fn an_exception_leaves_linked_calls_and_is_caught_above() {
    let mut lab = Lab::new(
        "public class Main {
            static int div(int a, int b) { return a / b; }
            static int over(int a) { return div(a, 0); }
            static int go() { try { return over(6); } catch (ArithmeticException e) { return -1; } }
        }",
    )
    .announcing();
    lab.enter("Main.go").object(5, "java/lang/ArithmeticException").unwind(3, 5).unwind(2, 5);
    lab.catch(1, 0, 5).exit();
    lab.check(
        "1 enter Main.go:4 by-library ()
        1 call Main.go:4 Main.over (6)
        2 enter Main.over:3 (6)
        2 call Main.over:3 Main.div (6, 0)
        3 enter Main.div:2 (6, 0)
        3 throw Main.div:2 ArithmeticException@5
        3 unwind Main.div:2 ArithmeticException@5
        2 throw Main.over:3 ArithmeticException@5
        2 unwind Main.over:3 ArithmeticException@5
        1 throw Main.go:4 ArithmeticException@5
        1 catch Main.go:4 ArithmeticException@5
        1 local Main.go:4 e = ArithmeticException@5
        1 exit Main.go:4 -1",
    );
}

#[test]
fn what_fails_after_a_call_did_not_fail_within_it() {
    let mut lab = Lab::new(
        "public class Main {
            static void put(Object[] a, Object o) { a[0] = o; }
            static int go(Object[] a, Object[] b, Object o) {
                try { put(a, o); b[0] = o; return 1; } catch (ArrayStoreException e) { return 2; }
            }
        }",
    )
    .announcing();
    lab.array(1, "[Ljava/lang/Object;", 1).array(2, "[Ljava/lang/Integer;", 1).object(3, "java/lang/Object");
    lab.enter("Main.go").reference(1).reference(2).reference(3);
    lab.object(5, "java/lang/ArrayStoreException").catch(1, 0, 5).exit();
    lab.check(
        "1 enter Main.go:4 by-library (Object[]@1, Integer[]@2, Object@3)
        1 call Main.go:4 Main.put (Object[]@1, Object@3)
        2 enter Main.put:2 (Object[]@1, Object@3)
        2 element Main.put:2 Object[]@1[0] = Object@3
        2 exit Main.put:2 -
        1 return Main.go:4 -
        1 throw Main.go:4 ArrayStoreException@5
        1 catch Main.go:4 ArrayStoreException@5
        1 local Main.go:4 e = ArrayStoreException@5
        1 exit Main.go:4 2",
    );
}

#[test]
fn a_call_on_null_and_a_call_that_never_arrives_are_not_entered() {
    let mut lab = Lab::new(
        "public class Main {
            int f() { return 1; }
            static int deep() { return 2; }
            static int go(Main m) {
                try { return m.f(); } catch (NullPointerException e) { }
                try { return deep(); } catch (StackOverflowError e) { return 3; }
            }
        }",
    )
    .announcing();
    lab.enter("Main.go").null().unlinked(0).object(5, "java/lang/NullPointerException").catch(1, 0, 5);
    lab.unlinked(0).object(6, "java/lang/StackOverflowError").catch(1, 1, 6).exit();
    lab.check(
        "1 enter Main.go:5 by-library (null)
        1 throw Main.go:5 NullPointerException@5
        1 catch Main.go:5 NullPointerException@5
        1 local Main.go:5 local1 = NullPointerException@5
        1 call Main.go:6 Main.deep ()
        1 throw Main.go:6 StackOverflowError@6
        1 catch Main.go:6 StackOverflowError@6
        1 local Main.go:6 e = StackOverflowError@6
        1 exit Main.go:6 3",
    );
}

#[test]
fn the_stack_may_end_in_the_return_of_a_linked_call() {
    let mut lab = Lab::new(
        "public class Main {
            static int down(int n) {
                try { return n == 0 ? 7 : down(n - 1); } catch (StackOverflowError e) { return n; }
            }
            static int go() { return down(3) * 10; }
        }",
    )
    .announcing();
    // All four calls are linked; the innermost cannot return, and that is caught in the call around it.
    lab.enter("Main.go").links(4).object(6, "java/lang/StackOverflowError").unwind(5, 6);
    lab.links(4).catch(4, 0, 6).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(outcome.gap_count, 0, "{found:#?}");
    let ends: Vec<&String> =
        found.iter().filter(|line| line.contains(" exit ") || line.contains(" unwind ")).collect();
    assert_eq!(
        ends,
        [
            "5 unwind Main.down:3 StackOverflowError@6",
            "4 exit Main.down:3 1",
            "3 exit Main.down:3 1",
            "2 exit Main.down:3 1",
            "1 exit Main.go:5 10",
        ],
        "{found:#?}"
    );
}

#[test]
fn calls_without_a_record_and_without_an_end_do_not_keep_the_reader() {
    for body in ["while (true) step();", "go();", "for (;;) { step(); if (step() < 0) return; }"] {
        let source = format!(
            "public class Main {{ static int step() {{ return 1; }} static void go() {{ {body} }} }}"
        );
        let mut lab = Lab::new(&source).announcing();
        lab.enter("Main.go");
        let (found, outcome) = lines(&lab.open());
        assert!(outcome.gap_count <= 1 && found.len() > 100, "{body}: {outcome:?}");
    }
}

#[test]
fn a_gap_in_a_linked_call_is_one_in_its_caller() {
    let mut lab = Lab::new(
        "public class Main {
            int f;
            static int inner(Main m) { return m.f; }
            static int outer(Main m) { int n = inner(m); return n; }
            static int go(Main m) { int n = outer(m); return n + 1; }
        }",
    )
    .announcing();
    lab.object(program(1), "Main").enter("Main.go").reference(program(1));
    // A long where the field is an int; then the call that has a record of its own ends.
    lab.long(4).exit();
    lab.enter("Main.inner").reference(program(1)).int(8).exit();
    let (found, outcome) = lines(&lab.open());
    assert!(outcome.gap_count >= 1, "{found:#?}");
    let last = &found[found.len() - 2..];
    assert_eq!(last, ["1 enter Main.inner:3 by-library (Main@1)", "1 exit Main.inner:3 8"], "{found:#?}");
    lab.check_resuming();
}

#[test]
fn after_a_gap_the_next_outermost_call_counts_anew() {
    let mut lab = Lab::new(
        "public class Main {
            interface Shape { int area(); }
            static class Dot implements Shape { public int area() { return 1; } }
            int f;
            static int broken(Main m, Shape a) { int n = m.f; return n + a.area() + a.area(); }
            static int go(Shape a, Shape b) { return a.area() + b.area() * 10; }
        }",
    )
    .announcing();
    lab.object(7, "java/lang/Object").object(program(1), "Main$Dot").object(program(2), "Main");
    // A long where the field is an int; what the call does after that cannot be followed.
    lab.enter("Main.broken").reference(program(2)).reference(program(1)).long(4).exit();
    lab.enter("Main.go").reference(7).reference(program(1)).unlinked(0).int(5).exit();
    lab.enter("Main.go").reference(program(1)).reference(7).unlinked(1).int(5).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(outcome.gap_count, 1, "{found:#?}");
    let exits: Vec<&String> = found.iter().filter(|line| line.starts_with("1 exit Main.go")).collect();
    assert_eq!(exits, ["1 exit Main.go:6 15", "1 exit Main.go:6 51"], "{found:#?}");
    lab.check_resuming();
}

#[test]
fn ordering_points_stand_before_anything() {
    let mut lab = Lab::new(
        "public class Main {
            interface Task { int run(); }
            static synchronized int locked(Task task) { return 4; }
            static int go(Task task) { int n = locked(task); return task.run() + n; }
        }",
    )
    .announcing();
    lab.object(7, "java/lang/Object");
    // The lock is taken and let go within the linked call; another ordering point comes before what is not linked.
    lab.enter("Main.go").reference(7).seq(1).seq(2).seq(3).unlinked(1).int(9).exit();
    lab.check(
        "1 enter Main.go:4 by-library (Object@7)
        1 call Main.go:4 Main.locked (Object@7)
        2 enter Main.locked:3 (Object@7)
        2 sync Main.locked:3 1
        2 sync Main.locked:3 2
        2 exit Main.locked:3 4
        1 return Main.go:4 4
        1 local Main.go:4 n = 4
        1 sync Main.go:4 3
        1 call Main.go:4 Main$Task.run on Object@7 ()
        1 return Main.go:4 9
        1 exit Main.go:4 13",
    );
}

#[test]
fn where_the_stack_overflows_callers_may_let_go_of_locks_without_saying_more() {
    let mut lab = Lab::new(
        "public class Main {
            static synchronized int down(int n) { return down(n + 1) + 1; }
            static int go() { try { return down(0); } catch (StackOverflowError e) { return 5; } }
        }",
    )
    .announcing();
    // Five calls take the lock. The innermost three let go of it, and have no room to say that they are left.
    lab.enter("Main.go").seq(1).seq(2).seq(3).seq(4).seq(5);
    lab.seq(6).seq(7).seq(8).seq(9).links(5).object(6, "java/lang/StackOverflowError").unwind(3, 6);
    lab.seq(10).links(5).unwind(2, 6).links(5).catch(1, 0, 6).exit();
    let (found, outcome) = lines(&lab.open());
    assert_eq!(outcome.gap_count, 0, "{found:#?}");
    let entered = found.iter().filter(|line| line.contains("enter Main.down")).count();
    assert_eq!(entered, 5, "{found:#?}");
    assert_eq!(found.last().map(String::as_str), Some("1 exit Main.go:3 5"), "{found:#?}");
    lab.check_resuming();
}
