//! What does a merge do, and to which rows?

use crate::new_value::{Assignment, Condition};

/// The rows that a clause is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseRows {
    /// Rows of the table that a row of the source matches.
    Matched,
    /// Rows of the source that match no row of the table.
    NotMatched,
    /// Rows of the table that no row of the source matches.
    NotMatchedBySource,
}

/// What a clause does to its rows.
#[derive(Debug, Clone)]
pub enum Action {
    /// Deletes rows of the table.
    Delete,
    /// Sets columns of rows of the table, or inserts rows with these columns.
    Set(Vec<Assignment>),
}

/// What is done to rows. The first clause whose condition holds is applied to a row, and no other.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The rows that it is for.
    pub rows: ClauseRows,
    /// Which of them; `None` is all.
    pub condition: Option<Condition>,
    /// What is done.
    pub action: Action,
}

impl Clause {
    /// The columns that it sets, with their values.
    pub(super) fn assignments(&self) -> &[Assignment] {
        match &self.action {
            Action::Delete => &[],
            Action::Set(assignments) => assignments,
        }
    }
}
