//! The person's browser, if there is one to be opened from here. The address was printed anyway.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// What opens a browser here, or why nothing does.
pub fn opener() -> Result<&'static str, &'static str> {
    if env::var_os("SSH_CONNECTION").is_some() {
        return Err("this is a session over ssh");
    }
    let mac = cfg!(target_os = "macos");
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !mac && !has_screen {
        // xdg-open would start a browser in this terminal.
        return Err("no screen here to open a browser on");
    }
    Ok(if mac { "open" } else { "xdg-open" })
}

pub fn browse(address: &str, port: u16) {
    let program = match opener() {
        Ok(program) => program,
        Err(_) if env::var_os("SSH_CONNECTION").is_some() => {
            eprintln!(
                "inquest: to open it on the machine that you sit at, run there: ssh -N -L {port}:127.0.0.1:{port} HOST"
            );
            return;
        }
        Err(why) => {
            eprintln!("inquest: {why}: open the address yourself");
            return;
        }
    };
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
