//! How far is an attempt?
//!
//! In: files and rows that are done with, from any thread. Out: numbers that another thread may read at any time.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What an attempt does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// Manifests are read.
    Planning = 0,
    /// Data files are read, to find the rows that a filter matches.
    Reading = 1,
    /// Rows that stay are written again, or delete files are written.
    Changing = 2,
    /// Manifests are written.
    Committing = 3,
}

impl Step {
    const ALL: [Self; 4] = [Self::Planning, Self::Reading, Self::Changing, Self::Committing];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Reading => "reading",
            Self::Changing => "changing",
            Self::Committing => "committing",
        }
    }
}

/// How far an attempt is.
#[derive(Debug, Default)]
pub struct Progress {
    step: AtomicU8,
    files: AtomicU64,
    of_files: AtomicU64,
    rows: AtomicU64,
}

impl Progress {
    /// Begins a step with this many files.
    pub(crate) fn begin(&self, step: Step, of_files: usize) {
        self.files.store(0, Ordering::Relaxed);
        self.of_files.store(of_files as u64, Ordering::Relaxed);
        self.rows.store(0, Ordering::Relaxed);
        self.step.store(step as u8, Ordering::Relaxed);
    }

    /// A file is done with.
    pub(crate) fn add_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Rows are done with.
    pub(crate) fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// The step.
    pub fn step(&self) -> Step {
        let number = usize::from(self.step.load(Ordering::Relaxed));
        Step::ALL.get(number).copied().unwrap_or(Step::Planning)
    }

    /// The files of the step that are done with.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// All files of the step.
    pub fn of_files(&self) -> u64 {
        self.of_files.load(Ordering::Relaxed)
    }

    /// The rows of the step so far: found, copied or deleted ones.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}
