//! Every class of the JDK, woven, passes the JVM's verifier. That verification was on is shown by a spoilt class that
//! it has to refuse. The newest JDK is done by `make stress`.

use std::process::Command;

use crate::debuggee::{Openable, Recorded, classes, inquest, jdk17, run};

#[test]
fn every_class_of_the_jdk_links_when_woven() {
    let (jdk, folder, recording) = (jdk17(), classes("jdk"), Recorded::new());
    let mut command: Command = inquest(&["record", "-q", "--weave-only", "-o"]);
    command.arg(recording.path());
    for package in ["java", "javax", "jdk", "sun", "com", "org", "netscape"] {
        command.args(["--include", package]);
    }
    command
        .arg("--")
        .arg(jdk.java())
        .args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationRemote"]);
    command.args(["-XX:+BytecodeVerificationLocal", "--add-modules", "ALL-SYSTEM"]);
    command.arg(format!("-Xbootclasspath/a:{}", folder.join("spoilt").display()));
    let ran = run(command.arg("-cp").arg(&folder).arg("LinkAll"), None);
    assert!(ran.stdout.contains("control refused: true"), "verification was off: {ran:?}");
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let recording = recording.open();
    let woven = recording.program().classes().iter().filter(|class| class.recorded).count();
    let linked: usize = ran.stdout.split(['d', ',']).nth(1).and_then(|n| n.trim().parse().ok()).unwrap();
    // All but those that the VM is made of.
    assert!(linked > 5_000 && woven * 100 > linked * 95, "{woven} classes of {linked} were woven");
}
