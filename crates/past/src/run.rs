//! The run as a whole: how it was started, the classes it had, and what is known of each object all the time.

use std::path::Path;

use base::{MethodId, ObjectId, Site, TypeId};
use trace::{Manifest, Program};

use crate::past::Past;

/// What is wrong with the recording: then answers may be incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaws {
    /// Places where it is damaged.
    pub damaged: usize,
    /// Calls that could not be followed to their end.
    pub gaps: u64,
    /// Writes to fields of unknown classes.
    pub unfiled: u64,
}

impl Past {
    /// The recording's folder.
    pub fn path(&self) -> &Path {
        self.recording.path()
    }

    pub fn manifest(&self) -> &Manifest {
        self.recording.manifest()
    }

    pub fn flaws(&self) -> Flaws {
        let meta = self.index.meta();
        Flaws { damaged: self.recording.damaged().len(), gaps: meta.gaps, unfiled: meta.unfiled }
    }

    /// Classes, methods, fields and types, as the class files have them.
    pub fn program(&self) -> &Program {
        self.recording.program()
    }

    /// The file that a method was compiled from, where the class file tells it.
    pub fn source_file(&self, method: MethodId) -> Option<&str> {
        self.recording.source_file(method)
    }

    /// `Class.method:line`, or with `@bci` where there are no lines.
    pub fn site_text(&self, site: Site) -> String {
        self.recording.place(site)
    }

    pub fn type_of(&self, object: ObjectId) -> Option<TypeId> {
        self.recording.objects().type_of(object)
    }

    /// None if it is no array.
    #[inline]
    pub fn array_length(&self, object: ObjectId) -> Option<u32> {
        self.recording.objects().length(object)
    }

    /// May it be two objects, or one that has two names?
    pub fn is_doubtful(&self, object: ObjectId) -> bool {
        self.recording.objects().is_doubtful(object)
    }
}
