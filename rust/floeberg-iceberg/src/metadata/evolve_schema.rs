//! What is a table's schema after changes?
//!
//! In: changes to columns. Out: the schema after them, or an equal one of the table.
//! Spec: Schema Evolution; Partitioning; Partition Evolution.
//!
//! Invariant: source columns of partition fields keep their values. Source columns of the default spec and sort order stay. No
//! column takes the name of a partition field of another column: other readers refuse such a table.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::evolve::{ColumnUse, Evolution, Evolved, SchemaChanges};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};

use super::{PartitionField, TableMetadata};

impl TableMetadata {
    /// The current schema after changes. Its id stays if nothing changes; it is that of an equal schema if the table has one, and else
    /// the next id.
    ///
    /// Errors: those of [`Evolution::apply`]; `InvalidInput` for a column with the name of a partition field.
    pub fn evolve_schema(&self, changes: &SchemaChanges) -> Result<Evolved> {
        let highest = self.schemas.iter().map(|schema| schema.schema_id()).max().unwrap_or(0);
        let evolution = Evolution {
            schema: self.current_schema(),
            schema_id: highest.checked_add(1).ok_or_else(|| Error::limit("no schema id is left"))?,
            last_column_id: self.last_column_id,
            format_version: self.format_version,
            uses: self.column_uses(),
        };
        let evolved = evolution.apply(changes)?;
        if !evolved.is_changed {
            return Ok(Evolved { schema: Schema::clone(self.current_schema()), ..evolved });
        }
        self.check_partition_names(&evolved.schema)?;
        let equal = self.schemas.iter().find(|known| {
            known.fields() == evolved.schema.fields()
                && known.identifier_field_ids() == evolved.schema.identifier_field_ids()
        });
        Ok(match equal {
            Some(known) => Evolved { schema: Schema::clone(known), ..evolved },
            None => evolved,
        })
    }

    fn column_uses(&self) -> Vec<ColumnUse> {
        let of_spec = |(spec_id, field): (i32, &PartitionField)| -> Vec<ColumnUse> {
            let made = |column: &i32| ColumnUse {
                column: *column,
                what: format!("the partition field {:?} of spec {spec_id}", field.name),
                is_partition: true,
                is_known: !matches!(field.transform, Transform::Unknown(_)) && field.source_ids.len() == 1,
                is_current: spec_id == self.default_spec_id,
            };
            field.source_ids.iter().map(made).collect()
        };
        let partitions = self.partition_fields().flat_map(of_spec);
        let sorted = self.default_sort_order().fields.iter().flat_map(|field| &field.source_ids);
        let sorts = sorted.map(|column| ColumnUse {
            column: *column,
            what: "the table's sort order".to_owned(),
            is_partition: false,
            is_known: true,
            is_current: true,
        });
        partitions.chain(sorts).collect()
    }

    /// The fields of all specs that have values, with the ids of their specs.
    fn partition_fields(&self) -> impl Iterator<Item = (i32, &PartitionField)> {
        let specs = self.partition_specs.iter().map(Arc::as_ref);
        let fields = specs.flat_map(|spec| spec.fields.iter().map(|field| (spec.spec_id, field)));
        fields.filter(|(_, field)| field.transform != Transform::Void)
    }

    /// Iceberg Java refuses a table whose schema has another column with the name of a partition field.
    fn check_partition_names(&self, schema: &Schema) -> Result<()> {
        let clashes = |schema: &Schema, field: &PartitionField| {
            schema.find(&field.name, true).is_ok_and(|column| !field.source_ids.contains(&column))
        };
        let is_new = |(_, field): &(i32, &PartitionField)| {
            clashes(schema, field) && !clashes(self.current_schema(), field)
        };
        match self.partition_fields().find(is_new) {
            None => Ok(()),
            Some((spec_id, field)) => Err(Error::invalid_input(format!(
                "column {:?} cannot have this name: a partition field of spec {spec_id} has it",
                field.name
            ))),
        }
    }
}
