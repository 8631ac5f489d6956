//! Frameworks that run tests, and tools that build programs: how a test is told from other code, what is no failure,
//! and whose code is not the program's although it comes from the same jar.

use crate::assertions::is_fluent;
use crate::matching::{begins, is_one_of};

/// Who builds the program and runs its tests.
pub const RUNNERS: [&str; 14] = [
    "org/junit/",
    "junit/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/hamcrest/",
    "org/testng/",
    "org/assertj/",
    "com/google/common/truth/",
    "org/apache/maven/",
    "org/codehaus/plexus/",
    "org/apache/tools/ant/",
    "org/gradle/",
    "worker/org/gradle/",
    "org/springframework/boot/loader/",
];

/// Descriptors of annotations begin so. What is JUnit 5's begins like JUnit 4's.
pub const JUNIT5_ANNOTATIONS: &str = "Lorg/junit/jupiter/";
pub const JUNIT4_ANNOTATIONS: &str = "Lorg/junit/";
pub const TESTNG_ANNOTATIONS: &str = "Lorg/testng/annotations/";

/// Simple names of the annotations of methods that a framework calls, as a test or to prepare one.
pub const ANNOTATIONS: [&str; 24] = [
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Before",
    "After",
    "BeforeClass",
    "AfterClass",
    "BeforeEach",
    "AfterEach",
    "BeforeAll",
    "AfterAll",
    "Theory",
    "BeforeMethod",
    "AfterMethod",
    "BeforeTest",
    "AfterTest",
    "BeforeSuite",
    "AfterSuite",
    "BeforeGroups",
    "AfterGroups",
    "DataProvider",
    "Factory",
];

/// The annotation of methods that give tests to run later.
pub const TEST_FACTORY: &str = "TestFactory";

/// Descriptors of the annotation of a test, in JUnit 4 and 5.
pub const JUNIT4_TEST: &str = "Lorg/junit/Test;";
pub const JUNIT5_TEST: &str = "Lorg/junit/jupiter/api/Test;";
/// TestNG has it on methods, or on a class for all of its public methods.
pub const TESTNG_TEST: &str = "Lorg/testng/annotations/Test;";

/// A class of tests has one of these in it, unless it is one of JUnit 3.
pub const TESTS: [&str; 4] =
    [JUNIT4_TEST, JUNIT5_TEST, TESTNG_TEST, "Lorg/junit/jupiter/params/ParameterizedTest;"];

/// Tests of JUnit 3 are methods `test…` of classes below this one.
pub const JUNIT3_TEST_CASE: &str = "junit/framework/TestCase";

/// A field of this type says which exception is expected, when the test runs.
pub const EXPECTED_EXCEPTION: &str = "Lorg/junit/rules/ExpectedException;";

/// Does a call tell a rule which exception should come?
pub fn expects_by_rule(owner: &str, name: &str) -> bool {
    EXPECTED_EXCEPTION.get(1..EXPECTED_EXCEPTION.len() - 1) == Some(owner) && name.starts_with("expect")
}

/// JUnit 4 writes this class for "no exception is expected".
pub const NONE_EXPECTED: &str = "org/junit/Test$None";

/// A test that ends with one of these was given up, and did not fail.
pub const NO_FAILURE: [&str; 5] = [
    "org/opentest4j/TestAbortedException",
    "org/opentest4j/TestSkippedException",
    "org/junit/AssumptionViolatedException",
    "org/junit/internal/AssumptionViolatedException",
    "org/testng/SkipException",
];

/// Names of the values of `@Test` that say which exceptions should come.
pub const EXPECTED: [&str; 2] = ["expected", "expectedExceptions"];

/// What Hamcrest's classes are in.
pub const HAMCREST: &str = "org/hamcrest/";

/// What JUnit 5's own classes are in.
pub const JUPITER: &str = "org/junit/jupiter/";

/// Main classes and launchers of build tools, by how their names end or what they hold, and whose they are. JVMs that
/// these start for tests have other main classes.
pub const BUILD_TOOLS: [(&str, &str); 13] = [
    ("org.codehaus.plexus.classworlds.launcher.Launcher", "Maven"),
    ("org.codehaus.classworlds.Launcher", "Maven"),
    ("org.apache.maven.wrapper.MavenWrapperMain", "Maven"),
    ("org.apache.maven.cli.MavenCli", "Maven"),
    ("org.mvndaemon.mvnd.daemon.Server", "Maven"),
    ("org.gradle.launcher.GradleMain", "Gradle"),
    ("org.gradle.wrapper.GradleWrapperMain", "Gradle"),
    ("org.gradle.launcher.daemon.bootstrap.GradleDaemon", "Gradle"),
    ("gradle-wrapper.jar", "Gradle"),
    ("org.apache.tools.ant.launch.Launcher", "Ant"),
    ("org.apache.tools.ant.Main", "Ant"),
    ("ant-launcher.jar", "Ant"),
    ("xsbt.boot.Boot", "sbt"),
];

/// The build tool that a JVM is of, by a word of its command line: the main class, or the jar that is run.
pub fn build_tool(word: &str) -> Option<&'static str> {
    let named = |(main, _): &&(&str, &str)| word == *main || word.ends_with(&format!("/{main}"));
    BUILD_TOOLS.iter().find(named).map(|&(_, tool)| tool)
}

/// Is the method that carries an annotation of this simple name called by a framework?
pub fn is_called(annotation: impl AsRef<[u8]>) -> bool {
    is_one_of(annotation.as_ref(), &ANNOTATIONS)
}

/// Is it one of a test, and not of what prepares tests or cleans up?
pub fn is_test(annotation: &str) -> bool {
    let prepares = ["Before", "After", "DataProvider", "Factory"];
    is_called(annotation) && !prepares.iter().any(|begins| annotation.starts_with(begins))
}

/// Does a class belong to who builds the program or runs its tests?
pub fn is_runner(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &RUNNERS)
}

/// Of an assertion that says what a value is: which of its arguments is the value, and which one it is compared with, if
/// there is one. Who inherits an assertion calls it by the name of its own class.
pub fn asserted(owner: &str, name: &str, descriptor: &str) -> Option<(usize, Option<usize>)> {
    let junit5 = owner.starts_with(JUPITER);
    let others = is_runner(owner) && !begins(owner.as_bytes(), &JUNITS);
    let parameters = parameters(descriptor).filter(|_| descriptor.ends_with(")V"))?;
    // JUnit 3 and 4 have the message first, JUnit 5 last.
    let message = |least: usize| {
        usize::from(!junit5 && parameters.len() > least && parameters[0] == "Ljava/lang/String;")
    };
    match name {
        _ if others => None,
        "assertEquals" | "assertArrayEquals" | "assertSame" | "assertIterableEquals" => {
            let first = message(2);
            (parameters.len() >= first + 2).then_some((first + 1, Some(first)))
        }
        "assertTrue" | "assertFalse" => {
            let first = message(1);
            (parameters.get(first) == Some(&"Z")).then_some((first, None))
        }
        "assertNull" => Some((message(1), None)),
        _ => None,
    }
}

/// What assertions of JUnit are in.
const JUNITS: [&str; 2] = ["org/junit/", "junit/framework/"];

/// The types of a method's parameters.
fn parameters(descriptor: &str) -> Option<Vec<&str>> {
    let mut rest = descriptor.strip_prefix('(')?.split_once(')')?.0;
    let mut list = Vec::new();
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let length = match rest.as_bytes().get(dimensions)? {
            b'L' => rest.find(';')? + 1,
            _ => dimensions + 1,
        };
        let (one, more) = rest.split_at_checked(length)?;
        list.push(one);
        rest = more;
    }
    Some(list)
}

/// Exceptions whose message is made when it is asked for, from the two texts that an assertion compared.
pub const LATE_MESSAGES: [&str; 2] = ["junit/framework/ComparisonFailure", "org/junit/ComparisonFailure"];

pub fn makes_message_late(class: &str) -> bool {
    LATE_MESSAGES.contains(&class)
}

/// Frameworks compare what they are given, and say so: does this method do nothing else?
pub fn compares(owner: &str, name: &str) -> bool {
    if begins(owner.as_bytes(), &["org/hamcrest/", "org/opentest4j/"]) || is_fluent(owner) {
        return true;
    }
    let framework = begins(owner.as_bytes(), &["org/junit/", "junit/framework/", "org/testng/"]);
    framework && (owner.contains("Assert") || owner.contains("Assum") || name.starts_with("assert"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_assertion_says_of_which_argument_depends_on_the_framework() {
        const OBJECTS: &str = "Ljava/lang/Object;Ljava/lang/Object;";
        const TEXT: &str = "Ljava/lang/String;";
        let equals = Some((1, Some(0)));
        let later = Some((2, Some(1)));
        let cases = [
            ("org/junit/Assert", "assertEquals", format!("({OBJECTS})V"), equals),
            ("org/junit/Assert", "assertEquals", format!("({TEXT}{OBJECTS})V"), later),
            ("org/junit/Assert", "assertEquals", "(DDD)V".to_owned(), equals),
            ("org/junit/Assert", "assertEquals", format!("({TEXT}DDD)V"), later),
            ("junit/framework/Assert", "assertEquals", format!("({TEXT}{TEXT})V"), equals),
            ("junit/framework/Assert", "assertEquals", format!("({TEXT}{TEXT}{TEXT})V"), later),
            ("shop/OldTest", "assertSame", format!("({TEXT}{OBJECTS})V"), later),
            ("org/junit/jupiter/api/Assertions", "assertEquals", format!("({OBJECTS}{TEXT})V"), equals),
            ("org/junit/jupiter/api/Assertions", "assertEquals", format!("({TEXT}{TEXT}{TEXT})V"), equals),
            ("org/junit/jupiter/api/Assertions", "assertTrue", format!("(Z{TEXT})V"), Some((0, None))),
            (
                "org/junit/jupiter/api/Assertions",
                "assertTrue",
                "(Ljava/util/function/BooleanSupplier;)V".to_owned(),
                None,
            ),
            ("org/junit/Assert", "assertTrue", format!("({TEXT}Z)V"), Some((1, None))),
            ("org/junit/Assert", "assertNull", "(Ljava/lang/Object;)V".to_owned(), Some((0, None))),
            ("org/junit/Assert", "assertArrayEquals", "([[I[[I)V".to_owned(), equals),
            ("org/junit/Assert", "assertNotEquals", format!("({OBJECTS})V"), None),
            ("org/testng/Assert", "assertEquals", format!("({OBJECTS})V"), None),
            ("org/junit/Assert", "assertEquals", "(Lbroken".to_owned(), None),
        ];
        for (owner, name, descriptor, expected) in cases {
            assert_eq!(asserted(owner, name, &descriptor), expected, "{owner}.{name}{descriptor}");
        }
    }
}
