//! `inquest version`: of the program, and of what it gives as JSON.

use anyhow::Result;
use wire::{VERSION, Version};

use crate::args::VersionArgs;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &VersionArgs) -> Result<()> {
    let version = Version { inquest: env!("CARGO_PKG_VERSION").to_owned(), wire: VERSION };
    let mut out = Terminal::open();
    if typed.json {
        out.json(&version)?;
    } else {
        out.line(&[(Style::Plain, &format!("inquest {}, JSON version {VERSION}", version.inquest))])?;
    }
    Ok(out.flush()?)
}
