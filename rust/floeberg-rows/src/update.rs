//! How are columns of rows set?
//!
//! In: rows that match a filter. Out: the same rows with new values.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;
use floeberg_core::Result;

use crate::change::{BatchChange, FoundRows, RowChange, UpdatedRows};
use crate::new_value::{Assignment, Evaluator, Functions};
use crate::view::{Used, View, ViewNames};

/// New values for all rows that are found.
pub struct Update {
    table: SchemaRef,
    names: ViewNames,
    assignments: Vec<Assignment>,
    evaluator: Evaluator,
    columns_to_read: Vec<usize>,
}

impl Update {
    /// Checks names and types: mistakes are found where no row matches, too.
    ///
    /// Errors: `InvalidInput` for an unknown name and for values that do not fit; those of functions, which are called for no rows.
    pub fn new(
        table: SchemaRef,
        assignments: Vec<Assignment>,
        functions: Arc<dyn Functions>,
        case_sensitive: bool,
    ) -> Result<Self> {
        let names = ViewNames::of_table(&table, case_sensitive);
        let evaluator = Evaluator::new(functions);
        let used = Used::default();
        for assignment in &assignments {
            evaluator.check_assignment(assignment, &names, &used, table.field(assignment.column))?;
        }
        let kept =
            (0..table.fields().len()).filter(|column| assignments.iter().all(|each| each.column != *column));
        used.borrow_mut().extend(kept);
        let columns_to_read = used.into_inner().into_iter().collect();
        Ok(Self { table, names, assignments, evaluator, columns_to_read })
    }

    /// The columns that are set, by their numbers.
    pub fn columns(&self) -> Vec<usize> {
        self.assignments.iter().map(|each| each.column).collect()
    }
}

impl RowChange for Update {
    fn columns_to_read(&self) -> &[usize] {
        &self.columns_to_read
    }

    fn apply(&self, found: &FoundRows<'_>) -> Result<BatchChange> {
        let rows = found.rows();
        let width = self.table.fields().len();
        let mut columns: Vec<ArrayRef> = found.columns[..width].to_vec();
        let view = View::new(&self.names, columns.clone(), rows);
        for assignment in &self.assignments {
            let field = self.table.field(assignment.column);
            columns[assignment.column] = self.evaluator.assigned(assignment, &view, field)?;
        }
        Ok(BatchChange {
            deleted: Vec::new(),
            updated: vec![UpdatedRows { rows: (0..rows as u32).collect(), columns }],
        })
    }
}
