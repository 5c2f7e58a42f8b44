//! How do partition values of many specs share one column?
//!
//! In: partition values of a spec. Out: one struct over all specs.
//! Spec: Partition Evolution.
//!
//! Invariant: as in Iceberg Java, a field whose source column the current schema lacks is not in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::Fields;
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::{Field, StructType, Type};
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

use crate::manifest::Specs;
use crate::metadata::{TableMetadata, unified_partition};

/// The struct over all specs.
#[derive(Debug)]
pub(super) struct PartitionColumn {
    struct_type: StructType,
    arrow_fields: Fields,
    /// Where its fields stand in the struct over all fields of all specs.
    kept: Vec<usize>,
    /// How many of its fields a spec has.
    own_fields: BTreeMap<i32, usize>,
}

impl PartitionColumn {
    pub(super) fn new(metadata: &TableMetadata) -> Result<Self> {
        let unified = unified_partition(metadata)?;
        let schema = metadata.current_schema();
        let mut active = vec![false; unified.struct_type.fields.len()];
        for spec in &metadata.partition_specs {
            let positions = unified.positions.get(&spec.spec_id).map_or(&[][..], Vec::as_slice);
            for (field, position) in spec.fields.iter().zip(positions) {
                active[*position] |= field.source_ids.iter().all(|id| schema.field(*id).is_some());
            }
        }
        let own_fields = unified.positions.iter().map(|(spec_id, positions)| {
            (*spec_id, positions.iter().filter(|position| active[**position]).count())
        });
        let own_fields = own_fields.collect();
        let kept: Vec<usize> = (0..active.len()).filter(|position| active[*position]).collect();
        let fields = kept.iter().map(|position| unified.struct_type.fields[*position].clone());
        let struct_type = StructType { fields: fields.collect() };
        Ok(Self { arrow_fields: fields_to_arrow(&struct_type.fields)?, struct_type, kept, own_fields })
    }

    /// The fields of the struct.
    pub(super) fn struct_type(&self) -> &StructType {
        &self.struct_type
    }

    /// The column, if the table is partitioned: Java leaves an empty struct out.
    pub(super) fn field(&self, id: i32) -> Option<Field> {
        let is_partitioned = !self.struct_type.fields.is_empty();
        is_partitioned.then(|| Field::required(id, "partition", Type::Struct(self.struct_type.clone())))
    }

    /// How many of the fields a spec has, which distinguishes null from a missing field.
    pub(super) fn own_fields(&self, spec_id: i32) -> usize {
        self.own_fields.get(&spec_id).copied().unwrap_or(0)
    }

    /// The values of a spec's files.
    pub(super) fn unify(&self, specs: &Specs, spec_id: i32, values: &StructArray) -> Result<StructArray> {
        if self.kept.is_empty() {
            return Ok(StructArray::new_empty_fields(values.len(), None));
        }
        let all = specs.unify(spec_id, values)?;
        let columns: Vec<ArrayRef> =
            self.kept.iter().map(|position| Arc::clone(all.column(*position))).collect();
        StructArray::try_new(self.arrow_fields.clone(), columns, None)
            .map_err(|error| Error::internal("partition column").caused_by(error))
    }

    /// The values of one row of [`Self::unify`].
    pub(super) fn values(&self, unified: &StructArray, row: usize) -> Result<Vec<(i32, Option<Value>)>> {
        let fields = self.struct_type.fields.iter().zip(unified.columns());
        fields.map(|(field, array)| Ok((field.id, from_array(array, row, &field.field_type)?))).collect()
    }
}
