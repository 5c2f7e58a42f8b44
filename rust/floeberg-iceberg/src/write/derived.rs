//! How is a transform applied to a column of a batch?
//!
//! In: a source column, maybe nested in structs, and a transform. Out: a column as long as the batch.
//! Spec: Partitioning (source columns in structs); Partition Transforms.
//!
//! Invariant: a value is null if one of the structs above its source is null.

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use floeberg_core::arrow_values::{column_in_structs, positions};
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};

/// A column that is computed from another.
#[derive(Debug)]
pub(super) struct Derived {
    /// Positions from the top to the source column; empty for a void transform.
    path: Vec<usize>,
    source: Type,
    transform: Transform,
    /// The type of the result.
    pub result: Type,
}

impl Derived {
    /// Errors: `Unsupported` for a transform of several columns, `InvalidData` for one that does not fit the schema.
    pub fn new(transform: &Transform, source_ids: &[i32], schema: &Schema) -> Result<Self> {
        let (path, source) = match (transform, source_ids) {
            // An always-null field may have a source column that was dropped.
            (Transform::Void, ids) => {
                let source = ids.first().and_then(|id| schema.field(*id));
                (Vec::new(), source.map_or(PrimitiveType::Int.into(), |source| source.field_type.clone()))
            }
            (_, [id]) => match schema.field(*id) {
                Some(source) => (positions(schema, *id), source.field_type.clone()),
                None => {
                    return Err(Error::invalid_data(format!("the schema has no column with the id {id}")));
                }
            },
            _ => {
                let message = "transforms of several columns cannot be written by this version";
                return Err(Error::unsupported(message));
            }
        };
        let result = transform.result_type(&source)?;
        Ok(Self { path, source, transform: transform.clone(), result })
    }

    /// The column, for the rows of a batch in the table's form.
    pub fn of(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        let source = match self.path.split_first() {
            Some((first, rest)) => column_in_structs(batch.column(*first), rest)?,
            None => new_null_array(&type_to_arrow(&self.source)?, batch.num_rows()),
        };
        self.transform.apply_array(&source, &self.source)
    }
}
