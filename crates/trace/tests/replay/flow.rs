//! Normal control flow: loops, calls, arithmetic, switches.

use crate::lab::Lab;

#[test]
fn a_loop_over_an_array_needs_only_its_elements() {
    let mut lab = Lab::new(
        "public class Main {
            static int sum(int[] a) {
                int s = 0;
                for (int i = 0; i < a.length; i++) s += a[i];
                return s;
            }
        }",
    );
    lab.seq(1).array(7, "[I", 2).enter("Main.sum").reference(7).int(40).int(2).exit();
    lab.check(
        "0 sync 1
        1 enter Main.sum:3 by-library (int[]@7)
        1 local Main.sum:3 s = 0
        1 local Main.sum:4 i = 0
        1 branch Main.sum:4 not taken
        1 local Main.sum:4 s = 40
        1 local Main.sum:4 i = 1
        1 branch Main.sum:4 not taken
        1 local Main.sum:4 s = 42
        1 local Main.sum:4 i = 2
        1 branch Main.sum:4 taken
        1 exit Main.sum:5 42",
    );
}

#[test]
fn recursion_links_calls_with_what_they_enter() {
    let mut lab = Lab::new(
        "public class Main {
            static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        }",
    );
    lab.enter("Main.fib").int(2);
    lab.enter("Main.fib").int(1).exit().int(1);
    lab.enter("Main.fib").int(0).exit().int(0);
    lab.exit();
    lab.check(
        "1 enter Main.fib:2 by-library (2)
        1 branch Main.fib:2 taken
        1 call Main.fib:2 Main.fib (1)
        2 enter Main.fib:2 (1)
        2 branch Main.fib:2 not taken
        2 exit Main.fib:2 1
        1 return Main.fib:2 1
        1 call Main.fib:2 Main.fib (0)
        2 enter Main.fib:2 (0)
        2 branch Main.fib:2 not taken
        2 exit Main.fib:2 0
        1 return Main.fib:2 0
        1 exit Main.fib:2 1",
    );
}

#[test]
fn arithmetic_is_exactly_javas() {
    let mut lab = Lab::new(
        "public class Main {
            static long longs(long a, int b) { return (a << b) + (a >>> 1) - a * 3 / 2 % 5 ^ ~a; }
            static double doubles(double x, float y, int z) { return x % 3 + y / z - -x; }
            static int ints(int a) { return (byte) a + (char) a + (short) a + a / -1 + a % -1 + (a >> 33); }
            static int saturate(double d, float f) { return (int) d + (int) f; }
            static boolean compare(double a, double b, long c) { return a < b || a >= b || c > 1L; }
        }",
    );
    let (a, b) = (-7_000_000_000_i64, 3);
    let expected = ((a << b) + ((a as u64 >> 1) as i64) - a * 3 / 2 % 5) ^ !a;
    lab.enter("Main.longs").long(a).int(b).exit();
    lab.enter("Main.doubles").double(7.5).float(1.5).int(2).exit();
    lab.enter("Main.ints").int(i32::MIN).exit();
    lab.enter("Main.saturate").double(f64::NAN).float(f32::INFINITY).exit();
    lab.enter("Main.compare").double(f64::NAN).double(1.0).long(1).exit();
    let lines = lab.lines();
    let exits: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("1 exit ")).collect();
    let ints = 0_i32.wrapping_add(i32::MIN).wrapping_add(i32::MIN >> 1).to_string();
    assert_eq!(
        exits,
        [
            format!("Main.longs:2 {expected}"),
            format!("Main.doubles:3 {:?}", 7.5 % 3.0 + 0.75 + 7.5),
            format!("Main.ints:4 {ints}"),
            format!("Main.saturate:5 {}", i32::MAX),
            "Main.compare:6 false".to_owned(),
        ]
    );
}

#[test]
fn a_switch_over_strings_follows_the_recorded_hash_and_comparison() {
    let mut lab = Lab::new(
        "public class Main {
            static char pick(String s) {
                switch (s) { case \"a\": return 'x'; case \"bb\": return 'y'; default: return 'z'; }
            }
        }",
    );
    lab.enter("Main.pick").text("bb").int("bb".bytes().fold(0, |h, b| h * 31 + i32::from(b))).int(1).exit();
    lab.check(
        "1 enter Main.pick:3 by-library (\"bb\")
        1 local Main.pick:3 local1 = \"bb\"
        1 local Main.pick:3 local2 = -1
        1 call Main.pick:3 String.hashCode on \"bb\" ()
        1 return Main.pick:3 3136
        1 switch Main.pick:3 3136 case 1
        1 call Main.pick:3 String.equals on \"bb\" (\"bb\")
        1 return Main.pick:3 1
        1 branch Main.pick:3 not taken
        1 local Main.pick:3 local2 = 1
        1 switch Main.pick:3 1 case 1
        1 exit Main.pick:3 'y'",
    );
}

#[test]
fn a_callback_within_a_library_call_is_nested_and_not_linked() {
    let mut lab = Lab::new(
        "public class Main implements Runnable {
            static void go(java.util.Optional<String> o, Runnable r) { o.ifPresentOrElse(s -> {}, r); }
            public void run() {}
        }",
    );
    lab.object(1, "java/util/Optional").object(9 | 1 << 31, "Main");
    lab.enter("Main.go").reference(1).reference(9 | 1 << 31);
    lab.reference(5).enter("Main.run").reference(9 | 1 << 31).exit().returned().exit();
    lab.check(
        "1 enter Main.go:2 by-library (Optional@1, Main@9)
        1 call Main.go:2 .accept ()
        1 return Main.go:2 object@5
        1 call Main.go:2 Optional.ifPresentOrElse on Optional@1 (object@5, Main@9)
        2 enter Main.run:3 by-library this=Main@9 ()
        2 exit Main.run:3 -
        1 return Main.go:2 -
        1 exit Main.go:2 -",
    );
}

#[test]
fn ordering_points_stay_where_they_happened() {
    let mut lab = Lab::new(
        "public class Main {
            volatile int v; int p;
            synchronized int both(Object lock) {
                p = 1;
                v = 2;
                synchronized (lock) { p = v; }
                return p;
            }
        }",
    );
    let this = 3 | 1 << 31;
    lab.object(this, "Main").object(4, "java/lang/Object");
    lab.enter("Main.both").reference(this).reference(4).seq(1);
    lab.seq(2).seq(3).int(2).seq(4).seq(5).int(2).seq(6).exit();
    lab.check(
        "1 enter Main.both:4 by-library this=Main@3 (Object@4)
        1 sync Main.both:4 1
        1 field Main.both:4 Main@3.p = 1
        1 sync Main.both:5 2
        1 field Main.both:5 Main@3.v = 2
        1 local Main.both:6 local2 = Object@4
        1 monitor-enter Main.both:6 Object@4
        1 sync Main.both:6 3
        1 sync Main.both:6 4
        1 field Main.both:6 Main@3.p = 2
        1 sync Main.both:6 5
        1 monitor-exit Main.both:6 Object@4
        1 sync Main.both:7 6
        1 exit Main.both:7 2",
    );
}

#[test]
fn bulk_writes_are_one_event_each() {
    let mut lab = Lab::new(
        "public class Main {
            static int[] bulk(int[] a, int[] b) {
                System.arraycopy(a, 0, b, 1, 2);
                java.util.Arrays.fill(a, 9);
                return b.clone();
            }
        }",
    );
    lab.array(1, "[I", 3).array(2, "[I", 3).array(3, "[I", 3);
    lab.enter("Main.bulk").reference(1).reference(2).returned().returned().reference(3).exit();
    lab.check(
        "1 enter Main.bulk:3 by-library (int[]@1, int[]@2)
        1 call Main.bulk:3 System.arraycopy (int[]@1, 0, int[]@2, 1, 2)
        1 bulk Main.bulk:3 int[]@2[1..] = int[]@1[0..] x 2
        1 return Main.bulk:3 -
        1 call Main.bulk:4 Arrays.fill (int[]@1, 9)
        1 bulk Main.bulk:4 int[]@1[] = 9
        1 return Main.bulk:4 -
        1 call Main.bulk:5 int[].clone on int[]@2 ()
        1 bulk Main.bulk:5 int[]@3 = copy of int[]@2
        1 return Main.bulk:5 int[]@3
        1 exit Main.bulk:5 int[]@3",
    );
}
