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
    pub tests: TestCount,
    /// JVMs in which something of the program ran.
    pub kept: usize,
    /// Build tools whose own JVM was recorded.
    pub tools: Vec<&'static str>,
    /// JVMs in which nothing of the program ran, by their command lines.
    pub idle: Vec<Vec<String>>,
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

    fn keeps(&mut self, jvm: &JvmSummary) -> bool {
        let command = Manifest::load(&jvm.dir).map(|manifest| manifest.command).unwrap_or_default();
        let tool = session::build_tool_of(&command);
        let ran_code = jvm.threads > 0;
        let tests = if ran_code { count(jvm) } else { TestCount::default() };
        self.tests.ran += tests.ran;
        self.tests.skipped += tests.skipped;
        match tool {
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
        }
    }
}

fn count(jvm: &JvmSummary) -> TestCount {
    let glance = Glance::at(&jvm.dir).ok().flatten();
    glance.as_ref().map(session::count_tests).unwrap_or_default()
}

/// The recordings in which something may have failed. `cut_off`: the run was ended from outside, and nothing tells what had not ended
/// but a look at everything.
pub fn suspects(places: Vec<PathBuf>, cut_off: bool) -> Vec<PathBuf> {
    if cut_off || places.len() < 2 {
        return places;
    }
    let may_have_failed = |place: &PathBuf| match Glance::at(place) {
        Ok(Some(glance)) => session::may_have_failed(&glance),
        _ => true,
    };
    places.into_iter().filter(may_have_failed).collect()
}
