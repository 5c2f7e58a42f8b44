//! What was found of one file?
//!
//! In: rules that are broken, as they are found. Out: findings, in that order.

use std::fmt::Display;

use super::{Finding, Rule};

/// The findings of a file.
#[derive(Debug, Default)]
pub struct Findings {
    location: String,
    snapshot_id: Option<i64>,
    list: Vec<Finding>,
}

impl Findings {
    /// None yet, of the file at a location, as it is written.
    pub fn of(location: &str) -> Self {
        Self { location: location.to_owned(), ..Self::default() }
    }

    /// The same, where what is found next is of a snapshot.
    pub fn of_snapshot(location: &str, snapshot_id: i64) -> Self {
        Self { location: location.to_owned(), snapshot_id: Some(snapshot_id), list: Vec::new() }
    }

    /// What is found next is of a snapshot, or of none.
    pub fn set_snapshot(&mut self, snapshot_id: Option<i64>) {
        self.snapshot_id = snapshot_id;
    }

    /// A rule is broken in a part of the file.
    pub fn add(&mut self, rule: &'static Rule, part: impl Display, message: impl Display) {
        self.list.push(Finding::new(rule, &self.location, part, message, self.snapshot_id));
    }

    /// A rule is broken where two values differ.
    pub fn equal<T: PartialEq + Display>(
        &mut self,
        rule: &'static Rule,
        part: impl Display,
        (expected, found): (T, T),
    ) {
        if expected != found {
            self.add(rule, part, format_args!("expected {expected}, found {found}"));
        }
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Was nothing found?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings.
    pub fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// Adds the findings of another file.
    pub fn extend(&mut self, others: Self) {
        self.list.extend(others.list);
    }
}
