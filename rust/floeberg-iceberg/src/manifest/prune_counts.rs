//! How many entries did each test of a stage drop, and which?
//!
//! In: counts of several threads, block by block. Out: their sums.
//!
//! Invariant: names are kept only on request; counts do not depend on it.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::StringArray;
use floeberg_core::expr::BoundExpr;

use super::prune_mask::PruneMask;

/// The number of the test without a filter: counts and statuses.
pub(crate) const NO_TEST: usize = usize::MAX;

/// A test, as `explain` names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NamedTest {
    /// As text.
    pub text: String,
    /// The full names of the columns that it reads.
    pub columns: Vec<String>,
}

impl NamedTest {
    /// A part of a filter.
    pub fn of(expr: &BoundExpr) -> Self {
        let columns = expr.columns().iter().map(|column| column.name.clone()).collect();
        Self { text: expr.to_string(), columns }
    }
}

/// Counts what one stage drops, by test and reason.
#[derive(Debug, Clone, Default)]
pub struct PruneCounts {
    names: bool,
    entered: u64,
    dropped: BTreeMap<(usize, &'static str), Drops>,
}

#[derive(Debug, Clone, Default)]
struct Drops {
    count: u64,
    paths: BTreeSet<String>,
}

impl PruneCounts {
    /// No counts yet. With `names`, the paths of dropped entries are kept.
    pub(crate) fn new(names: bool) -> Self {
        Self { names, ..Self::default() }
    }

    /// Counts incoming entries.
    pub(crate) fn enter(&mut self, count: usize) {
        self.entered += count as u64;
    }

    /// Counts one that the test of a number drops.
    pub(crate) fn drop(&mut self, test: usize, reason: &'static str, path: &str) {
        let drops = self.dropped.entry((test, reason)).or_default();
        drops.count += 1;
        if self.names && !drops.paths.contains(path) {
            drops.paths.insert(path.to_owned());
        }
    }

    /// Counts several that the test of a number drops, without names.
    pub(crate) fn drop_many(&mut self, test: usize, reason: &'static str, count: u64) {
        if count > 0 {
            self.dropped.entry((test, reason)).or_default().count += count;
        }
    }

    /// Are the paths of dropped entries kept?
    pub(crate) fn names(&self) -> bool {
        self.names
    }

    /// Counts the result of a stage for the entries of a block, which have these paths.
    pub(crate) fn count(&mut self, verdicts: &PruneMask, paths: &StringArray) {
        self.enter(verdicts.entered());
        for (test, reason, count) in verdicts.counts() {
            self.drop_many(test, reason, count);
        }
        if self.names {
            for (row, test, reason) in verdicts.dropped() {
                let drops = self.dropped.entry((test, reason)).or_default();
                drops.paths.insert(paths.value(row).to_owned());
            }
        }
    }

    /// Were there no entries?
    pub(crate) fn is_empty(&self) -> bool {
        self.entered == 0
    }

    /// Adds the counts of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        self.entered += other.entered;
        for (key, drops) in other.dropped {
            let own = self.dropped.entry(key).or_default();
            own.count += drops.count;
            own.paths.extend(drops.paths);
        }
    }

    /// How many entries came in.
    pub(crate) fn entered(&self) -> u64 {
        self.entered
    }

    /// The tests that dropped entries: the number of the test, the reason, how many, and their paths if names are kept.
    pub(crate) fn dropped(&self) -> impl Iterator<Item = (usize, &'static str, u64, &BTreeSet<String>)> {
        let dropped = self.dropped.iter();
        dropped.map(|((test, reason), drops)| (*test, *reason, drops.count, &drops.paths))
    }
}
