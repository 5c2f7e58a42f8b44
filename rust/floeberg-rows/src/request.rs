//! Which change of rows does a user ask for?
//!
//! In: the arguments of one operation. Out: the same, for one state of a table of any format.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use floeberg_core::Result;

use crate::feed::{ChangeFeed, LastChanges};
use crate::merge::{Action, Clause, ClauseRows, JoinKeys, Merge, MergeRequest};
use crate::names::columns_of_source;
use crate::new_value::{Assignment, Condition, Functions, NewValue};
use crate::null_keys::NullKeys;
use crate::source::SourceRows;
use crate::source_memory::check_source_memory;
use crate::update::Update;

/// Sets columns of rows that match a filter.
#[derive(Debug, Clone)]
pub struct UpdateRows {
    /// The new values.
    pub assignments: Vec<Assignment>,
    /// Does the case of names count?
    pub case_sensitive: bool,
}

/// Updates the rows that have a key of a source, and inserts the other rows of the source.
#[derive(Debug, Clone)]
pub struct UpsertRows {
    /// The rows of the source.
    pub source: Arc<SourceRows>,
    /// The key columns; `None` is those that identify a row by the schema of the table.
    pub keys: Option<Vec<String>>,
    /// Are rows updated?
    pub updates: bool,
    /// Are rows inserted?
    pub inserts: bool,
    /// What a null in a key means.
    pub null_keys: NullKeys,
    /// Does the case of names count?
    pub case_sensitive: bool,
}

/// Makes the rows of a table those that a feed of changes leaves.
#[derive(Debug, Clone)]
pub struct ApplyFeed {
    /// The changes.
    pub source: Arc<SourceRows>,
    /// What they say.
    pub feed: ChangeFeed,
    /// What a null in a key means.
    pub null_keys: NullKeys,
}

/// Changes, deletes and inserts rows by clauses.
#[derive(Debug, Clone)]
pub struct MergeRows {
    /// The rows of the source.
    pub source: Arc<SourceRows>,
    /// Pairs of key columns: of the table, and of the source.
    pub keys: Vec<(String, String)>,
    /// What must hold too, without the equalities of the keys and with them.
    pub conditions: (Option<Condition>, Option<Condition>),
    /// The clauses, in order.
    pub clauses: Vec<ClauseRequest>,
    /// Does the case of names count?
    pub case_sensitive: bool,
}

/// A clause, before the columns of the table are known.
#[derive(Debug, Clone)]
pub struct ClauseRequest {
    /// The rows that it is for.
    pub rows: ClauseRows,
    /// Which of them; `None` is all.
    pub condition: Option<Condition>,
    /// The columns that it sets.
    pub sets: ClauseSets,
}

/// The columns that a clause sets.
#[derive(Debug, Clone)]
pub enum ClauseSets {
    /// None: it deletes rows.
    Nothing,
    /// All that the source has.
    All,
    /// Some, by their numbers in the table.
    Some(Vec<Assignment>),
}

impl UpdateRows {
    /// The update of a table. Errors: those of [`Update::new`].
    pub fn on(&self, table: SchemaRef, functions: Arc<dyn Functions>) -> Result<Update> {
        Update::new(table, self.assignments.clone(), functions, self.case_sensitive)
    }
}

impl ApplyFeed {
    /// The last change of each key. Keys, operations and order are in memory meanwhile.
    ///
    /// Errors: those of [`ChangeFeed::last`]; `LimitExceeded` where they do not fit into memory.
    pub fn last(&self) -> Result<LastChanges> {
        let names = self.feed.columns();
        check_source_memory(self.source.bytes_of(&names)?)?;
        self.feed.last(&self.source.select(&names)?)
    }
}

impl MergeRows {
    /// The merge into a table.
    ///
    /// Errors: those of [`JoinKeys::resolve`] and [`Merge::new`].
    pub fn on(&self, table: SchemaRef, functions: Arc<dyn Functions>) -> Result<Merge> {
        let source = self.source.schema();
        let (keys, case_sensitive) = (&self.keys, self.case_sensitive);
        let keys = JoinKeys::resolve(&table, source, keys, self.conditions.clone(), case_sensitive)?;
        let clauses = self.clauses.iter().map(|clause| {
            let action = match &clause.sets {
                ClauseSets::Nothing => Action::Delete,
                ClauseSets::Some(assignments) => Action::Set(assignments.clone()),
                ClauseSets::All => {
                    let all = columns_of_source(source, &table, case_sensitive)?;
                    let assigned = all.into_iter().map(|(column, given)| {
                        let name = source.field(given).name();
                        Assignment { column, value: NewValue::Column(format!("source.{name}")) }
                    });
                    Action::Set(assigned.collect())
                }
            };
            Ok(Clause { rows: clause.rows, condition: clause.condition.clone(), action })
        });
        let clauses = clauses.collect::<Result<_>>()?;
        let source = Arc::clone(&self.source);
        Merge::new(MergeRequest { table, source, keys, clauses, functions, case_sensitive })
    }
}
