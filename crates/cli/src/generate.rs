//! `inquest generate`: man pages and completions, made of the definitions that the help is made of; for packages and `make install`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Arguments, GenerateArgs};

/// Where each shell looks below a prefix.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/inquest"),
    (Shell::Zsh, "share/zsh/site-functions/_inquest"),
    (Shell::Fish, "share/fish/vendor_completions.d/inquest.fish"),
];

pub fn run(typed: &GenerateArgs) -> Result<()> {
    // A page about `help` would say nothing.
    let command = || Arguments::command().disable_help_subcommand(true);
    for (shell, path) in COMPLETIONS {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command(), "inquest", &mut script);
        write(&typed.dir.join(path), &script)?;
    }
    let pages = typed.dir.join("share/man/man1");
    fs::create_dir_all(&pages).with_context(|| format!("cannot make {}", pages.display()))?;
    clap_mangen::generate_to(command(), &pages)
        .with_context(|| format!("cannot write man pages to {}", pages.display()))
}

fn write(path: &Path, text: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
