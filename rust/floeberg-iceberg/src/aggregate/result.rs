//! How was an answer found?
//!
//! Invariant: every file of the plan was answered by metadata, not needed, or read.

use std::collections::BTreeMap;

/// An answer, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregateResult<T> {
    /// The answer.
    pub value: T,
    /// How it was found.
    pub metrics: AggregateMetrics,
}

/// How the data files of a plan were used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AggregateMetrics {
    /// Data files of the plan.
    pub files: u64,
    /// Answered by counts and bounds.
    pub by_metadata: u64,
    /// Left unread, because what they hold cannot change the answer.
    pub not_needed: u64,
    /// How many had to be read (the file, or its delete files), by reason.
    pub read: BTreeMap<&'static str, u64>,
}

impl AggregateMetrics {
    /// Counts a file that was read.
    pub(super) fn reads(&mut self, why: &'static str) {
        *self.read.entry(why).or_default() += 1;
    }
}
