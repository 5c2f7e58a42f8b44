//! What must be known of a table to check its files?
//!
//! In: its metadata. Out: partition types by spec, and columns by field id.
//! Spec: Column Projection; Partitioning.
//!
//! Invariant: a column has the type of the newest schema that has it, the current one first.

use std::collections::HashMap;

use floeberg_core::Result;
use floeberg_core::schema::{Field, StructType, Type};
use floeberg_iceberg::metadata::TableMetadata;

/// A column of some schema of a table.
#[derive(Debug, Clone)]
pub(super) struct KnownColumn {
    pub(super) field_type: Type,
    /// Does it stand in no struct, list or map?
    pub(super) is_top: bool,
    /// Does it stand in a list or a map?
    pub(super) repeated: bool,
}

/// A table, as its files are checked.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) metadata: TableMetadata,
    pub(super) partition_types: HashMap<i32, StructType>,
    pub(super) columns: HashMap<i32, KnownColumn>,
}

impl Known {
    /// Errors: `InvalidData` for a partition spec that does not fit its columns.
    pub(super) fn new(metadata: TableMetadata) -> Result<Self> {
        let types = metadata.partition_specs.iter();
        let types = types.map(|spec| Ok((spec.spec_id, spec.partition_type(&metadata)?)));
        let partition_types = types.collect::<Result<_>>()?;
        let mut columns = HashMap::new();
        for schema in metadata.schemas_newest_first() {
            for field in schema.fields() {
                add(field, true, false, &mut columns);
            }
        }
        Ok(Self { metadata, partition_types, columns })
    }
}

fn add(field: &Field, is_top: bool, repeated: bool, columns: &mut HashMap<i32, KnownColumn>) {
    let column = KnownColumn { field_type: field.field_type.clone(), is_top, repeated };
    columns.entry(field.id).or_insert(column);
    let below = repeated || matches!(field.field_type, Type::List(_) | Type::Map(_));
    for child in field.field_type.children() {
        add(child, false, below, columns);
    }
}
