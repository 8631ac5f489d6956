//! The person's browser, if there is one to be opened from here. The address was printed anyway.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

pub fn browse(address: &str, port: u16) {
    if env::var_os("SSH_CONNECTION").is_some() {
        eprintln!(
            "inquest: to open it on the machine that you sit at, run there: ssh -N -L {port}:127.0.0.1:{port} HOST"
        );
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !cfg!(target_os = "macos") && !has_screen {
        // xdg-open would start a browser in this terminal.
        eprintln!("inquest: no screen here to open a browser on: open the address yourself");
        return;
    }
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // In a group of its own: Ctrl-C here is not meant for the browser.
    match command.process_group(0).spawn() {
        Ok(mut child) => {
            std::thread::spawn(move || {
                if child.wait().is_ok_and(|status| !status.success()) {
                    eprintln!("inquest: {program} did not open a browser: open the address yourself");
                }
            });
        }
        Err(_) => {
            eprintln!("inquest: there is no {program} to open a browser with: open the address yourself")
        }
    }
}
