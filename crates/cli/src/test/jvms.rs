//! Which of the JVMs of a build ran tests. The build tool's own recording says nothing of the program, and goes away; so do those of
//! tools that it started, in which nothing of the program ran.

use std::fs;
use std::path::PathBuf;

use collector::{JvmSummary, Summary};
use past::Glance;
use session::TestCount;
use trace::Manifest;

/// What was recorded, and what of it is kept.
#[derive(Default)]
pub struct TestJvms {
    /// Tests, and those of them that gave up.
    pub ran: u64,
    pub skipped: u64,
    /// JVMs in which something of the program ran.
    pub kept: usize,
    /// The folders of those in which nothing can have failed.
    green: Vec<PathBuf>,
    /// Build tools whose own JVM was recorded.
    pub tools: Vec<&'static str>,
    /// JVMs in which nothing of the program ran, by their command lines.
    pub idle: Vec<Vec<String>>,
    /// Why the recording of a JVM that is not kept stopped before its end.
    pub stopped: Option<String>,
}

impl TestJvms {
    /// Removes what is not kept from the disk and from the summary.
    pub fn sort_out(summary: &mut Summary) -> TestJvms {
        let mut found = TestJvms::default();
        summary.jvms.retain(|jvm| {
            let keeps = found.keeps(jvm);
            if !keeps {
                let _ = fs::remove_dir_all(&jvm.dir);
            }
            keeps
        });
        found.kept = summary.jvms.len();
        found
    }

    /// The recordings in which something may have failed. `cut_off`: the run was ended from outside, and nothing tells what had not
    /// ended but a look at everything.
    pub fn suspects(&self, places: &[PathBuf], cut_off: bool) -> Vec<PathBuf> {
        // A single one lies elsewhere by now.
        let is_green = |place: &PathBuf| match places.len() {
            1 => !self.green.is_empty(),
            _ => self.green.contains(place),
        };
        places.iter().filter(|place| cut_off || !is_green(place)).cloned().collect()
    }

    fn keeps(&mut self, jvm: &JvmSummary) -> bool {
        let command = Manifest::load(&jvm.dir).map(|manifest| manifest.command).unwrap_or_default();
        let tool = session::build_tool_of(&command);
        let ran_code = jvm.threads > 0;
        let counted = ran_code.then(|| count(jvm)).flatten();
        let tests = counted.unwrap_or_default();
        self.ran += tests.ran;
        self.skipped += tests.skipped;
        if let Some(stopped) = &jvm.stopped {
            self.stopped = Some(stopped.to_string());
        }
        let keeps = match tool {
            Some(tool) => {
                self.tools.push(tool);
                // It may run the tests itself.
                tests.ran > 0
            }
            None => {
                if !ran_code {
                    self.idle.push(command);
                }
                ran_code
            }
        };
        if keeps && counted.is_some_and(|tests| !tests.may_have_failed) {
            self.green.push(jvm.dir.clone());
        }
        keeps
    }
}

/// None if its tables cannot be read by themselves.
fn count(jvm: &JvmSummary) -> Option<TestCount> {
    Some(session::count_tests(&Glance::at(&jvm.dir).ok().flatten()?))
}
