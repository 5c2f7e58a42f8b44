//! How does one file provide the selected columns?
//!
//! In: a schema to read and the columns of a file. Out: which leaves of the file to decode, and how batches of them
//! become batches of the schema.
//! Spec: Column Projection; Schema Evolution.
//!
//! Invariant: every batch has exactly the Arrow schema of the projection.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};

use super::assemble::assemble;
use super::constant::FileConstants;
use super::resolve::Resolver;
use super::source::{ColumnSource, Resolved};
use crate::file_fields::FileFields;
use crate::positions::RowPositions;

/// How one file yields a schema.
#[derive(Debug)]
pub struct Projection {
    /// The columns of the result.
    pub schema: SchemaRef,
    /// The leaves of the file to decode, ascending.
    pub leaves: BTreeSet<usize>,
    columns: Vec<Resolved>,
}

impl Projection {
    /// Finds the fields of a schema in a file.
    ///
    /// Errors: `InvalidData` for a type that cannot be promoted, and for a missing required field without a default;
    /// `Unsupported` for a type that this version cannot read.
    pub fn new(wanted: &Schema, file: &FileFields, constants: &FileConstants) -> Result<Self> {
        Self::of_fields(wanted.fields(), file, constants)
    }

    /// Finds fields in a file; a column may be selected more than once, each time in part. Errors: those of
    /// [`Self::new`].
    pub fn of_fields(wanted: &[Field], file: &FileFields, constants: &FileConstants) -> Result<Self> {
        let schema = Arc::new(ArrowSchema::new(fields_to_arrow(wanted)?));
        let mut leaves = BTreeSet::new();
        let mut resolver =
            Resolver { constants, has_ids: file.has_ids, may_shred: file.may_shred, leaves: &mut leaves };
        let mut columns = resolver.fields(wanted, schema.fields(), &file.fields, "")?;
        let distinct: BTreeSet<i32> = wanted.iter().map(|field| field.id).collect();
        if distinct.len() < wanted.len() {
            // Parts of a column are numbered among the decoded leaves, which are complete only now.
            columns = resolver.fields(wanted, schema.fields(), &file.fields, "")?;
        }
        Ok(Self { schema, leaves, columns })
    }

    /// Are columns computed from the positions of rows?
    pub fn needs_positions(&self) -> bool {
        self.columns.iter().any(|column| match &column.source {
            ColumnSource::Position => true,
            ColumnSource::Inherited(inherited) => inherited.needs_positions(),
            ColumnSource::Constant(..) | ColumnSource::File(..) => false,
        })
    }

    /// Turns a decoded batch of the file's leaves into one of the schema.
    pub fn apply(&self, decoded: &RecordBatch, positions: &RowPositions) -> Result<RecordBatch> {
        let rows = decoded.num_rows();
        let columns = self
            .columns
            .iter()
            .map(|column| match &column.source {
                ColumnSource::Position => Ok(Arc::new(positions.array(rows)?) as ArrayRef),
                ColumnSource::Inherited(inherited) => {
                    inherited.array(column, decoded.columns(), positions, rows)
                }
                ColumnSource::Constant(..) | ColumnSource::File(..) => {
                    assemble(column, decoded.columns(), rows, None)
                }
            })
            .collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options).map_err(|error| {
            Error::invalid_data(format!("a column does not fit the table's schema: {error}"))
        })
    }
}
