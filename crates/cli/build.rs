//! Builds the agent and makes it part of the `inquest` binary, so that one file is all there is to install. The agent
//! is always an optimised build, whatever this build is: it runs inside the program under debugging. In the build for
//! tests (`checked`) it has that build's checks too. It goes in without its debug information, which is left beside the
//! binary.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..").canonicalize().unwrap();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    for part in ["agent", "instrument", "classfile", "jdk", "pool", "trace"] {
        println!("cargo::rerun-if-changed={}", root.join("crates").join(part).display());
    }
    println!("cargo::rerun-if-changed={}", root.join("java").display());
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    let separate = root.join("scripts/separate-debug");
    println!("cargo::rerun-if-changed={}", separate.display());

    // Beside the profile's folder (TARGET/PROFILE/build/cli-HASH/out): kept from build to build, and with a lock of
    // its own, because the outer build holds the lock of its folder while we run.
    let beside = out.ancestors().nth(3).unwrap();
    let target = beside.parent().unwrap().join("agent");
    let profile = if beside.ends_with("checked") { "checked" } else { "release" };
    let status = Command::new(env::var_os("CARGO").unwrap())
        .current_dir(&root)
        .args(["build", "--quiet", "--profile", profile, "--package", "agent", "--target-dir"])
        .arg(&target)
        // `cargo clippy` hands its own compiler down; the agent is to be built, not looked at.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .expect("cargo should start again to build the agent");
    assert!(status.success(), "the agent does not build: see above");

    let built = target.join(profile).join("libinquest_agent.so");
    let small = out.join("libinquest_agent.so");
    let status =
        Command::new(separate).args([&built, &small]).status().expect("scripts/separate-debug should start");
    assert!(status.success(), "the agent's debug information cannot be taken out: see above");
    fs::copy(built.with_extension("so.debug"), beside.join("libinquest_agent.so.debug")).unwrap();
    let library = fs::read(small).expect("the agent's library");
    println!("cargo::rustc-env=INQUEST_AGENT_HASH={:016x}", fnv1a(&library));
}

/// Names the unpacked file; whether it is the right one is decided by comparing all of it.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
