//! Which metadata columns does a scan use besides the columns of its schema?
//!
//! In: a table, the schema of a scan and the names that the scan uses. Out: the schema with those metadata columns after
//! its own; for `_partition`, the positions of each spec's values in it.
//! Spec: Reserved Field IDs; Row Lineage.
//!
//! Invariant: a column of the schema hides the metadata column of its name. Without metadata columns, the schema stays unchanged.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::schema::reserved::{
    LAST_TABLE_FIELD_ID, PARTITION, REQUESTED, metadata_column, partition_column,
};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};

use super::{TableMetadata, unified_partition};

/// The column `_partition` of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionStruct {
    /// The column. Its fields have their partition field ids, unless a column of the table has that id: then they get another.
    pub column: Field,
    /// By spec id: for each field of the spec, in its order, the id of its field in the struct.
    pub field_ids: BTreeMap<i32, Vec<i32>>,
}

/// A schema with the named metadata columns, in the order of the specification's table.
///
/// A name may be dotted. Without case, `_FILE` is `_file`. Errors: those of [`partition_struct`].
pub fn with_metadata_columns<'a>(
    schema: &Arc<Schema>,
    names: impl IntoIterator<Item = &'a str>,
    case_sensitive: bool,
    metadata: &TableMetadata,
) -> Result<Arc<Schema>> {
    let is_same = |left: &str, right: &str| {
        if case_sensitive { left == right } else { left.eq_ignore_ascii_case(right) }
    };
    let asked: HashSet<i32> = names
        .into_iter()
        .filter(|name| name.starts_with('_'))
        .filter_map(|name| {
            let top = name.split('.').next().unwrap_or(name);
            let is_hidden =
                schema.fields().iter().any(|field| is_same(&field.name, top) || field.name == name);
            let found = REQUESTED.iter().find(|(_, known)| is_same(known, top));
            found.filter(|_| !is_hidden).map(|(id, _)| *id)
        })
        .collect();
    if asked.is_empty() {
        return Ok(Arc::clone(schema));
    }
    let mut fields = schema.fields().to_vec();
    for (id, name) in REQUESTED.iter().filter(|(id, _)| asked.contains(id)) {
        fields.push(match id {
            &PARTITION => partition_struct(metadata)?.column,
            id => metadata_column(*id)
                .ok_or_else(|| Error::internal(format!("the metadata column {name:?} has no type")))?,
        });
    }
    let identifiers = schema.identifier_field_ids().to_vec();
    let extended = Schema::new(schema.schema_id(), fields)?.with_identifier_field_ids(identifiers);
    Ok(Arc::new(extended.with_unknown_keys(schema.unknown_keys().clone())))
}

/// The column `_partition` of a table: the union of the partition fields of all specs.
///
/// Partition fields and columns are numbered separately, so both may use one id: then the partition field gets the highest
/// free id.
///
/// Errors: those of [`unified_partition`].
pub fn partition_struct(metadata: &TableMetadata) -> Result<PartitionStruct> {
    let unified = unified_partition(metadata)?;
    let mut fields = unified.struct_type.fields.clone();
    let is_column = |id: i32| metadata.schemas.iter().any(|schema| schema.field(id).is_some());
    let mut taken: HashSet<i32> = fields.iter().map(|field| field.id).collect();
    let mut next = LAST_TABLE_FIELD_ID;
    for field in fields.iter_mut().filter(|field| is_column(field.id)) {
        while is_column(next) || !taken.insert(next) {
            next -= 1;
        }
        field.id = next;
    }
    let ids_of = |positions: &Vec<usize>| {
        positions.iter().filter_map(|position| fields.get(*position)).map(|field| field.id).collect()
    };
    let field_ids = unified.positions.iter().map(|(spec, positions)| (*spec, ids_of(positions))).collect();
    let mut struct_type = unified.struct_type;
    struct_type.fields = fields;
    Ok(PartitionStruct { column: partition_column(struct_type), field_ids })
}
