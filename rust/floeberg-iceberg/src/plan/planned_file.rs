//! How is a file of a plan read without building a task?
//!
//! Invariant: all rows of a file match only without a residual and without deletes.

use std::sync::Arc;

use arrow_array::{Int32Array, Int64Array, ListArray};
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Error, Result};

use super::columns::{column, typed};
use super::{DeleteFile, Plan};
use crate::manifest::RowsMatch;

/// A file of a plan, borrowed.
#[derive(Debug, Clone)]
pub(crate) struct PlannedFile<'a> {
    /// Its number.
    pub number: usize,
    /// Its rows, deleted ones included.
    pub rows: u64,
    /// Its residual.
    pub residual: &'a BoundExpr,
    /// The deletes that apply.
    pub deletes: Vec<&'a DeleteFile>,
}

impl PlannedFile<'_> {
    /// Does the scan return none, some or all of its rows?
    pub fn rows_match(&self) -> RowsMatch {
        match (self.residual, self.deletes.is_empty()) {
            (BoundExpr::False, _) => RowsMatch::None,
            (BoundExpr::True, true) => RowsMatch::All,
            _ => RowsMatch::Some,
        }
    }
}

impl Plan {
    /// Looks at every file, in order.
    pub(crate) fn for_each_file<'a>(
        &'a self,
        mut look: impl FnMut(PlannedFile<'a>) -> Result<()>,
    ) -> Result<()> {
        let mut number = 0;
        for chunk in self.to_arrow().1 {
            let counts = typed::<Int64Array>(chunk.column(column::RECORD_COUNT))?;
            let residuals = typed::<Int32Array>(chunk.column(column::RESIDUAL))?;
            let lists = typed::<ListArray>(chunk.column(column::DELETE_FILES))?;
            let deletes = typed::<Int32Array>(lists.values())?.values();
            for row in 0..chunk.num_rows() {
                let ends = lists.value_offsets();
                let residual = self.residuals().get(residuals.value(row) as usize);
                look(PlannedFile {
                    number,
                    rows: u64::try_from(counts.value(row)).map_err(|_| {
                        Error::invalid_data(format!(
                            "expected a data file with 0 or more rows, found {}",
                            counts.value(row)
                        ))
                    })?,
                    residual: residual.ok_or_else(|| Error::internal("a plan lacks a residual"))?,
                    deletes: deletes[ends[row] as usize..ends[row + 1] as usize]
                        .iter()
                        .filter_map(|number| self.delete_files().get(*number as usize).map(Arc::as_ref))
                        .collect(),
                })?;
                number += 1;
            }
        }
        Ok(())
    }
}
