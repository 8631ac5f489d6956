//! What a test cannot check on this machine. A line among thousands is not read, so `make test` has it repeated at its
//! end: it names a file in `INQUEST_LEFT_OUT`, and prints what is in it.

use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Says what is left out, and why.
pub fn left_out(what: &str, why: &str) {
    println!("{what}: left out ({why})");
    if let Some(list) = std::env::var_os("INQUEST_LEFT_OUT") {
        note(Path::new(&list), what, why);
    }
}

fn note(list: &Path, what: &str, why: &str) {
    // One write, so that the lines of two tests do not mix.
    let line = format!("{what}: {why}\n");
    let mut file = File::options().create(true).append(true).open(list).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skip_is_a_line_of_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        note(&list, "tests on Java 25", "no JDK 25");
        note(&list, "a full disk", "no right to mount one");
        let text = std::fs::read_to_string(&list).unwrap();
        assert_eq!(text, "tests on Java 25: no JDK 25\na full disk: no right to mount one\n");
    }
}
