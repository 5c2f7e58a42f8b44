//! How is a batch reduced to fewer leaves?
//!
//! In: a batch of some leaves of a file. Out: the same rows with some of these leaves, as if no others had been decoded.
//!
//! Invariant: columns are shared, not copied; within lists and maps either all decoded leaves are wanted or none.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema};
use floeberg_core::{Error, Result};

use super::file_fields::FileField;

/// What is taken of a batch.
#[derive(Debug)]
pub struct Narrowed(Part);

#[derive(Debug)]
enum Part {
    /// All of it.
    Whole,
    /// Of a struct, or of the batch: the decoded fields with these numbers.
    Fields(Vec<(usize, Part)>),
}

impl Narrowed {
    /// From all decoded leaves to the wanted ones.
    pub fn new(fields: &[FileField], decoded: &BTreeSet<usize>, wanted: &BTreeSet<usize>) -> Self {
        Self(if decoded.len() == wanted.len() { Part::Whole } else { of_fields(fields, decoded, wanted) })
    }

    /// The wanted leaves of a batch.
    pub fn of(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let Part::Fields(parts) = &self.0 else { return Ok(batch.clone()) };
        let (fields, columns) = taken(parts, batch.schema_ref().fields(), batch.columns())?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map_err(|error| refused(&error))
    }
}

fn of_fields(fields: &[FileField], decoded: &BTreeSet<usize>, wanted: &BTreeSet<usize>) -> Part {
    let count = |field: &FileField, set: &BTreeSet<usize>| set.range(field.leaves.clone()).count();
    let decoded_fields = fields.iter().filter(|field| count(field, decoded) > 0);
    let parts = decoded_fields.enumerate().filter(|(_, field)| count(field, wanted) > 0);
    let parts = parts.map(|(number, field)| match field.data_type {
        DataType::Struct(_) if count(field, wanted) < count(field, decoded) => {
            (number, of_fields(&field.children, decoded, wanted))
        }
        _ => (number, Part::Whole),
    });
    Part::Fields(parts.collect())
}

fn taken(parts: &[(usize, Part)], fields: &Fields, columns: &[ArrayRef]) -> Result<(Fields, Vec<ArrayRef>)> {
    let (mut taken_fields, mut taken_columns) = (Vec::<FieldRef>::new(), Vec::<ArrayRef>::new());
    for (number, part) in parts {
        let (Some(field), Some(column)) = (fields.get(*number), columns.get(*number)) else {
            return Err(Error::internal("a planned column was not decoded"));
        };
        let (field, column) = match (part, column.as_struct_opt()) {
            (Part::Fields(parts), Some(parent)) => {
                let (fields, columns) = taken(parts, parent.fields(), parent.columns())?;
                let nulls = parent.nulls().cloned();
                let built = StructArray::try_new_with_length(fields, columns, nulls, parent.len());
                let built = built.map_err(|error| refused(&error))?;
                let field = Field::clone(field).with_data_type(built.data_type().clone());
                (Arc::new(field), Arc::new(built) as ArrayRef)
            }
            _ => (Arc::clone(field), Arc::clone(column)),
        };
        taken_fields.push(field);
        taken_columns.push(column);
    }
    Ok((taken_fields.into(), taken_columns))
}

fn refused(error: &ArrowError) -> Error {
    Error::internal(format!("decoded columns do not fit into a batch: {error}"))
}
