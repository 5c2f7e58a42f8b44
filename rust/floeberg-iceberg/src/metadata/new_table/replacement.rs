//! Which schema, spec and order has a table that another replaces, with its history?
//!
//! In: a table, and the parts of the new one. Out: the same parts, with ids that fit the table.
//! Spec: Partitioning; Partition Evolution; Schemas and Data Types. As Iceberg Java replaces tables.
//!
//! Invariant: a column keeps the id of its full name, and a partition field that of its column and transform. v1 identifies
//! partition fields by position, so its old fields stay, as void ones.

use floeberg_core::schema::Schema;
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};
use serde_json::Map;

use super::partition::next_id;
use super::{ColumnChoice, DeclaredPartition, DeclaredSource, DeclaredTable, SpecBuilder};
use crate::metadata::partition::NO_PARTITION_ID;
use crate::metadata::{PartitionField, PartitionSpec, SortField, SortOrder, TableMetadata};

/// The parts of a table that is replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// Its schema.
    pub schema: Schema,
    /// The highest field id by now.
    pub last_column_id: i32,
    /// Its spec. The id is not decided yet.
    pub spec: PartitionSpec,
    /// Its order. The id is not decided yet.
    pub sort_order: SortOrder,
}

impl TableMetadata {
    /// The parts of a new table with ids of this one, in a format version.
    ///
    /// Errors: `LimitExceeded` if no id is left; those of a new table.
    pub fn replacement(&self, declared: &DeclaredTable, format_version: u8) -> Result<Replacement> {
        let (schema, ids) = declared.schema.with_ids_of(self.current_schema(), self.last_column_id)?;
        let of = |old: &i32| ids.of(*old).ok_or_else(|| Error::internal("a column without a new id"));
        let mut partitions = Vec::new();
        for field in &declared.spec.fields {
            let columns = field.source_ids.iter().map(|old| of(old).map(ColumnChoice::Id));
            let columns = columns.collect::<Result<_>>()?;
            let source = DeclaredSource { columns, transform: field.transform.clone() };
            partitions.push(DeclaredPartition { source, name: Some(field.name.clone()) });
        }
        let fields = if format_version >= 2 {
            let last_partition_id = self.last_partition_id;
            let known = &self.partition_specs;
            let builder = SpecBuilder { schema: &schema, known, last_partition_id, format_version };
            builder.build(&partitions)?.0.fields
        } else {
            let made = SpecBuilder::of_new_table(&schema, format_version).build(&partitions)?.0;
            self.with_voids(made.fields)?
        };
        let sorts = declared.sort_order.fields.iter().map(|field| {
            let source_ids = field.source_ids.iter().map(of).collect::<Result<_>>()?;
            Ok(SortField { source_ids, ..field.clone() })
        });
        let sort_order = SortOrder { fields: sorts.collect::<Result<_>>()?, ..declared.sort_order.clone() };
        let spec = PartitionSpec { spec_id: self.default_spec_id, fields, unknown_keys: Map::new() };
        Ok(Replacement { last_column_id: ids.last().max(self.last_column_id), schema, spec, sort_order })
    }

    /// The fields of the default spec, those that the new spec lacks as void ones, and after them the new ones.
    fn with_voids(&self, mut made: Vec<PartitionField>) -> Result<Vec<PartitionField>> {
        let names: Vec<String> = made.iter().map(|field| field.name.clone()).collect();
        let mut fields = Vec::new();
        for known in &self.default_spec().fields {
            let is_same = |field: &PartitionField| {
                field.source_ids == known.source_ids && field.transform == known.transform
            };
            if let Some(place) = made.iter().position(is_same) {
                fields.push(PartitionField { field_id: known.field_id, ..made.remove(place) });
                continue;
            }
            let name = if names.contains(&known.name) {
                format!("{}_{}", known.name, known.field_id)
            } else {
                known.name.clone()
            };
            fields.push(PartitionField { name, transform: Transform::Void, ..known.clone() });
        }
        let mut last = fields.iter().map(|field| field.field_id).max().unwrap_or(NO_PARTITION_ID);
        for field in made {
            fields.push(PartitionField { field_id: next_id(&mut last)?, ..field });
        }
        Ok(fields)
    }
}
