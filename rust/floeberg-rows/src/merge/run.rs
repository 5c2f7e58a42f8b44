//! How are the clauses of a merge applied to batches?
//!
//! In: rows of a table with the rows of a source that have their keys. Out: rows that are deleted, and new rows.
//!
//! Invariant: of the clauses that are for a row, the first whose condition holds is applied, and no other. A row of the table is
//! changed by one row of the source, unless all that the rows of the source say is that it is deleted. Batches may come from several
//! threads.

use std::collections::{BTreeSet, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Array as _, ArrayRef, BooleanArray, NullArray, RecordBatch, UInt32Array};
use arrow_schema::{Field, Schema, SchemaRef};
use floeberg_core::{Error, Result};

use super::clause::{Action, Clause, ClauseRows};
use super::join::JoinKeys;
use super::once::{each_once, matches_once};
use crate::change::{BatchChange, FoundRows, RowChange, UpdatedRows, taken};
use crate::new_value::{Assignment, Evaluator, Functions};
use crate::source::SourceRows;
use crate::view::{Used, View, ViewNames, batch_of};

/// What a merge is made of.
pub struct MergeRequest {
    /// The columns of the table.
    pub table: SchemaRef,
    /// The rows of the source.
    pub source: Arc<SourceRows>,
    /// What joins them.
    pub keys: JoinKeys,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
    /// The functions of clauses.
    pub functions: Arc<dyn Functions>,
    /// Does the case of names count?
    pub case_sensitive: bool,
}

/// One run of a merge on one state of a table.
pub struct Merge {
    table: SchemaRef,
    source: Arc<SourceRows>,
    keys: JoinKeys,
    clauses: Vec<Clause>,
    evaluator: Evaluator,
    matches_once: bool,
    both: ViewNames,
    target_alone: ViewNames,
    source_alone: ViewNames,
    columns_to_read: Vec<usize>,
    /// The columns of the source that somebody asks for: of rows that match, and of rows that are inserted.
    matched_columns: Vec<usize>,
    inserted_columns: Vec<usize>,
    /// Where a condition joins rows: which rows of the source it joined.
    joined: Mutex<Vec<bool>>,
}

impl Merge {
    /// Checks names and types: mistakes are found where no row matches, too.
    ///
    /// Errors: `InvalidInput` for an unknown name and for values that do not fit; those of functions, which are called for no rows.
    pub fn new(request: MergeRequest) -> Result<Self> {
        let MergeRequest { table, source, keys, clauses, functions, case_sensitive } = request;
        let sides = [("target", table.as_ref()), ("source", source.schema().as_ref())];
        let mut merge = Self {
            both: ViewNames::of_sides(&sides, case_sensitive),
            target_alone: ViewNames::of_sides(&sides[..1], case_sensitive),
            source_alone: ViewNames::of_sides(&sides[1..], case_sensitive),
            matches_once: matches_once(&clauses),
            evaluator: Evaluator::new(functions),
            columns_to_read: Vec::new(),
            matched_columns: Vec::new(),
            inserted_columns: Vec::new(),
            joined: Mutex::new(Vec::new()),
            table,
            source,
            keys,
            clauses,
        };
        if merge.keys.condition.is_some() {
            merge.joined = Mutex::new(vec![false; merge.source.rows()]);
        }
        let (of_both, of_source) = merge.checked()?;
        let width = merge.table.fields().len();
        let (of_table, matched) = of_both.into_iter().partition(|column| *column < width);
        merge.columns_to_read = of_table;
        merge.matched_columns = Vec::into_iter(matched).map(|column| column - width).collect();
        merge.inserted_columns = of_source.into_iter().collect();
        Ok(merge)
    }

    /// Computes everything for no rows. The columns of both sides that somebody asks for or that rows keep, those of the table first; and
    /// those of the source that clauses for inserted rows ask for.
    fn checked(&self) -> Result<(BTreeSet<usize>, BTreeSet<usize>)> {
        let (of_both, of_source) = (Used::default(), Used::default());
        if let Some(condition) = &self.keys.condition {
            self.evaluator.check_condition(condition, &self.both, &of_both)?;
        }
        for clause in &self.clauses {
            let (names, used) = match clause.rows {
                ClauseRows::Matched => (&self.both, &of_both),
                ClauseRows::NotMatched => (&self.source_alone, &of_source),
                ClauseRows::NotMatchedBySource => (&self.target_alone, &of_both),
            };
            if let Some(condition) = &clause.condition {
                self.evaluator.check_condition(condition, names, used)?;
            }
            for assignment in clause.assignments() {
                let field = self.field_for(clause, assignment);
                self.evaluator.check_assignment(assignment, names, used, &field)?;
            }
            if matches!(clause.action, Action::Set(_)) && clause.rows != ClauseRows::NotMatched {
                let set: HashSet<usize> = clause.assignments().iter().map(|each| each.column).collect();
                let kept = (0..self.table.fields().len()).filter(|column| !set.contains(column));
                of_both.borrow_mut().extend(kept);
            }
        }
        Ok((of_both.into_inner(), of_source.into_inner()))
    }

    /// The column that an assignment sets. What is required of an inserted row is checked where defaults are known.
    fn field_for(&self, clause: &Clause, assignment: &Assignment) -> Field {
        let field = self.table.field(assignment.column).clone();
        if clause.rows == ClauseRows::NotMatched { field.with_nullable(true) } else { field }
    }

    /// What joins the source.
    pub fn keys(&self) -> &JoinKeys {
        &self.keys
    }

    /// The rows of the source.
    pub fn source(&self) -> &SourceRows {
        &self.source
    }

    /// The columns that a clause sets in rows of the table, by their numbers, each once.
    pub fn updated_columns(&self) -> Vec<usize> {
        let of_table = self.clauses.iter().filter(|clause| clause.rows != ClauseRows::NotMatched);
        let mut seen = BTreeSet::new();
        of_table
            .flat_map(Clause::assignments)
            .map(|each| each.column)
            .filter(|column| seen.insert(*column))
            .collect()
    }

    /// Are rows of the table read at all?
    pub fn reads_table(&self) -> bool {
        self.keys.condition.is_some()
            || self.clauses.iter().any(|clause| clause.rows != ClauseRows::NotMatched)
    }

    /// Are rows inserted?
    pub fn inserts(&self) -> bool {
        self.clauses.iter().any(|clause| clause.rows == ClauseRows::NotMatched)
    }

    /// Is every row of the table looked at?
    pub fn lists_all(&self) -> bool {
        self.clauses.iter().any(|clause| clause.rows == ClauseRows::NotMatchedBySource)
    }

    /// The rows of the source that match no row, when all rows of the table were applied. `unmatched` are those whose keys no row has.
    pub fn unmatched(&self, unmatched: impl FnOnce() -> Vec<u32>) -> Vec<u32> {
        if self.keys.condition.is_none() {
            return unmatched();
        }
        let joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.iter().zip(0_u32..).filter(|(joined, _)| !**joined).map(|(_, row)| row).collect()
    }

    /// The rows that are inserted of some rows of the source: batches of the columns that clauses set.
    ///
    /// Errors: `InvalidInput` where values do not fit; those of functions.
    pub fn inserted(&self, rows: &[u32]) -> Result<Vec<RecordBatch>> {
        let columns = self.of_source(&self.inserted_columns, rows)?;
        let mut left = View::new(&self.source_alone, columns, rows.len());
        let mut made = Vec::new();
        for clause in self.clauses.iter().filter(|clause| clause.rows == ClauseRows::NotMatched) {
            if left.rows() == 0 {
                break;
            }
            let (chosen, rest) = match &clause.condition {
                None => (left, View::empty(&self.source_alone)),
                Some(condition) => {
                    let holds = self.evaluator.holds(condition, &left)?;
                    (left.filter(&holds)?, left.filter(&inverted(&holds))?)
                }
            };
            left = rest;
            if chosen.rows() == 0 {
                continue;
            }
            let (mut fields, mut columns) = (Vec::new(), Vec::new());
            for assignment in clause.assignments() {
                let field = self.field_for(clause, assignment);
                columns.push(self.evaluator.assigned(assignment, &chosen, &field)?);
                fields.push(field);
            }
            made.push(batch_of(&Arc::new(Schema::new(fields)), columns, chosen.rows())?);
        }
        Ok(made)
    }

    /// The columns that were read of some rows. What was not read cannot be asked for.
    fn of_table(&self, found: &FoundRows<'_>, rows: &UInt32Array) -> Result<Vec<ArrayRef>> {
        let nothing: ArrayRef = Arc::new(NullArray::new(rows.len()));
        let mut columns = vec![nothing; self.table.fields().len()];
        for column in &self.columns_to_read {
            columns[*column] = taken(&found.columns[*column], rows)?;
        }
        Ok(columns)
    }

    /// Some columns of rows of the source. Nobody asks for the others.
    fn of_source(&self, some: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        let nothing: ArrayRef = Arc::new(NullArray::new(rows.len()));
        let mut columns = vec![nothing; self.source.schema().fields().len()];
        for column in some {
            columns[*column] = self.source.take_column(*column, rows)?;
        }
        Ok(columns)
    }

    /// Rows of the table with the rows of the source that they match.
    fn pairs(&self, found: &FoundRows<'_>, rows: &UInt32Array) -> Result<View<'_>> {
        let mut columns = self.of_table(found, rows)?;
        let of_source = found.of_source()?;
        let of_source: Vec<u32> = rows.values().iter().map(|row| of_source.value(*row as usize)).collect();
        columns.extend(self.of_source(&self.matched_columns, &of_source)?);
        Ok(View::new(&self.both, columns, rows.len()))
    }

    /// The matched rows for which the condition of the join holds.
    fn joined(&self, found: &FoundRows<'_>, of_source: &UInt32Array) -> Result<Vec<u32>> {
        let valid = (0..of_source.len()).filter(|row| of_source.is_valid(*row)).map(|row| row as u32);
        let rows: Vec<u32> = valid.collect();
        let Some(condition) = self.keys.condition.as_ref().filter(|_| !rows.is_empty()) else {
            return Ok(rows);
        };
        let rows = UInt32Array::from(rows);
        let holds = self.evaluator.holds(condition, &self.pairs(found, &rows)?)?;
        let rows: Vec<u32> = rows
            .values()
            .iter()
            .zip(holds.values())
            .filter(|(_, holds)| *holds)
            .map(|(row, _)| *row)
            .collect();
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        for row in &rows {
            if let Some(joined) = joined.get_mut(of_source.value(*row as usize) as usize) {
                *joined = true;
            }
        }
        Ok(rows)
    }

    /// Applies the clauses for some rows of a batch.
    fn apply_clauses(
        &self,
        which: ClauseRows,
        found: &FoundRows<'_>,
        rows: Vec<u32>,
        change: &mut BatchChange,
    ) -> Result<()> {
        let mut left = rows;
        for clause in self.clauses.iter().filter(|clause| clause.rows == which) {
            if left.is_empty() {
                break;
            }
            let rows = UInt32Array::from(mem::take(&mut left));
            let needs_view = clause.condition.is_some() || !clause.assignments().is_empty();
            let view = match which {
                _ if !needs_view => None,
                ClauseRows::Matched => Some(self.pairs(found, &rows)?),
                _ => Some(View::new(&self.target_alone, self.of_table(found, &rows)?, rows.len())),
            };
            let (chosen, view) = match (&clause.condition, view) {
                (Some(condition), Some(view)) => {
                    let holds = self.evaluator.holds(condition, &view)?;
                    let (mut chosen, values) = (Vec::new(), rows.values());
                    for (row, holds) in values.iter().zip(holds.values()) {
                        if holds { chosen.push(*row) } else { left.push(*row) }
                    }
                    (chosen, Some(view.filter(&holds)?))
                }
                (_, view) => (rows.values().to_vec(), view),
            };
            if chosen.is_empty() {
                continue;
            }
            match (&clause.action, view) {
                (Action::Set(assignments), Some(view)) => {
                    let columns = self.updated(found, &chosen, assignments, &view)?;
                    change.updated.push(UpdatedRows { rows: chosen, columns });
                }
                (Action::Set(_), None) => return Err(Error::internal("new values have no rows")),
                (Action::Delete, _) => change.deleted.extend(chosen),
            }
        }
        Ok(())
    }

    /// All columns of rows, with new values in the place of old ones.
    fn updated(
        &self,
        found: &FoundRows<'_>,
        rows: &[u32],
        assignments: &[Assignment],
        view: &View<'_>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = UInt32Array::from(rows.to_vec());
        let mut columns: Vec<Option<ArrayRef>> = vec![None; self.table.fields().len()];
        for assignment in assignments {
            let field = self.table.field(assignment.column);
            columns[assignment.column] = Some(self.evaluator.assigned(assignment, view, field)?);
        }
        let kept = |(column, made): (usize, Option<ArrayRef>)| match made {
            Some(made) => Ok(made),
            None => taken(&found.columns[column], &rows),
        };
        columns.into_iter().enumerate().map(kept).collect()
    }
}

impl RowChange for Merge {
    fn columns_to_read(&self) -> &[usize] {
        &self.columns_to_read
    }

    fn apply(&self, found: &FoundRows<'_>) -> Result<BatchChange> {
        let of_source = found.of_source()?;
        let mut change = BatchChange::default();
        let joined = self.joined(found, of_source)?;
        let key_columns: Vec<usize> = self.keys.columns.iter().map(|(_, source)| *source).collect();
        let joined = each_once(found, of_source, joined, self.matches_once, &self.source, &key_columns)?;
        let alone = self.lists_all().then(|| {
            // A row that several rows of the source could have joined stands there several times.
            let mut seen: HashSet<u64> = joined.iter().map(|row| found.positions[*row as usize]).collect();
            let rows = (0..found.rows()).filter(|row| seen.insert(found.positions[*row]));
            rows.map(|row| row as u32).collect()
        });
        self.apply_clauses(ClauseRows::Matched, found, joined, &mut change)?;
        if let Some(alone) = alone {
            self.apply_clauses(ClauseRows::NotMatchedBySource, found, alone, &mut change)?;
        }
        Ok(change)
    }
}

fn inverted(holds: &BooleanArray) -> BooleanArray {
    BooleanArray::new(!holds.values(), None)
}
