//! Which columns does a change of rows read?
//!
//! ```text
//! columns of the table | _rowaddr | with stable row ids: _rowid
//! ```

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};

use crate::read::RowColumn;
use crate::table::Table;

/// All columns of a table, and those that say where its rows are, in this order.
#[derive(Debug)]
pub(crate) struct PlacedColumns {
    names: Vec<String>,
    /// The number of columns of the table.
    width: usize,
}

impl PlacedColumns {
    /// Those of a version.
    pub(crate) fn of(table: &Table) -> Self {
        let mut names: Vec<_> = table.schema().fields().iter().map(|field| field.name.clone()).collect();
        let width = names.len();
        let positions = [RowColumn::Address, RowColumn::Id].into_iter();
        let positions = positions.take(1 + usize::from(table.has_stable_row_ids()));
        names.extend(positions.map(|column| column.name().to_owned()));
        Self { names, width }
    }

    /// What a scan selects for them.
    pub(crate) fn selected(&self) -> Vec<String> {
        std::iter::once("*".to_owned()).chain(self.names[self.width..].iter().cloned()).collect()
    }

    /// The columns of a batch of such a scan, in their order. Errors: `Internal` where one was not read.
    pub(crate) fn of_batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let places = self.names.iter().map(|name| batch.schema_ref().index_of(name));
        let places = places.collect::<std::result::Result<Vec<_>, _>>();
        places
            .and_then(|places| batch.project(&places))
            .map_err(|error| Error::internal("all columns of rows that change are read").caused_by(error))
    }
}
