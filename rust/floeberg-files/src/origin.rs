//! Where do the rows of a data file come from?
//!
//! In: the entry of a data file. Out: the values of its rows in metadata columns, if they are the same for all rows.
//! Spec: Reserved Field IDs; Row Lineage (a file without `first_row_id` gives null for both lineage columns).

use std::collections::BTreeMap;

use floeberg_core::schema::reserved::{
    DELETED, FILE, LAST_UPDATED_SEQUENCE_NUMBER, PARTITION, ROW_ID, SPEC_ID, is_requested,
};
use floeberg_core::schema::{Field, Schema, Type};
use floeberg_core::value::Value;

use super::inherited::Fallback;
use super::promote::promote;

/// The values of metadata columns that a data file's entry gives to its rows.
#[derive(Debug, Clone)]
pub struct Origin {
    /// `_file`.
    pub file_path: String,
    /// `_spec_id`.
    pub spec_id: i32,
    /// The fields of `_partition` by their ids.
    pub partition: BTreeMap<i32, Option<Value>>,
    /// The id of the first row, where the rows have ids.
    pub first_row_id: Option<i64>,
    /// The sequence number of the rows.
    pub data_sequence_number: i64,
}

/// Has a schema metadata columns?
pub fn names_metadata(schema: &Schema) -> bool {
    schema.fields().iter().any(|field| is_requested(field.id))
}

impl Origin {
    /// About how many bytes a row of metadata columns takes, at most.
    pub fn row_bytes(&self) -> usize {
        self.file_path.len() + 64
    }

    /// The value that all rows have in a metadata column, unless the file stores others. For `_deleted` it is the value of rows that
    /// are not deleted.
    pub fn constant(&self, field: &Field) -> Option<Value> {
        match field.id {
            FILE => Some(Value::String(self.file_path.clone())),
            SPEC_ID => Some(Value::Int(self.spec_id)),
            DELETED => Some(Value::Boolean(false)),
            PARTITION => self.partition(&field.field_type),
            _ => None,
        }
    }

    /// The value that replaces null in a column of row lineage; `None` if the rows have no lineage.
    pub fn inherited(&self, id: i32) -> Option<Fallback> {
        let first_row_id = self.first_row_id?;
        match id {
            ROW_ID => Some(Fallback::AndPosition(first_row_id)),
            LAST_UPDATED_SEQUENCE_NUMBER => Some(Fallback::Value(self.data_sequence_number)),
            _ => None,
        }
    }

    /// Null in an unpartitioned table, as in Java: not every engine accepts a struct without fields.
    fn partition(&self, partition_type: &Type) -> Option<Value> {
        let Type::Struct(fields) = partition_type else { return None };
        let values = fields.fields.iter().map(|field| {
            let value = self.partition.get(&field.id).and_then(Option::as_ref);
            (field.id, value.map(|value| promote(value, &field.field_type)))
        });
        (!fields.fields.is_empty()).then(|| Value::Struct(values.collect()))
    }
}
