//! How do partition specs take part in filters and in the plan's partition column?
//!
//! In: the table's metadata. Out: per spec its type, the columns that filters are projected to, and the positions of its
//! values in the struct over all specs.
//! Spec: Scan Planning; Partition Evolution.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, new_null_array};
use arrow_schema::{DataType, Fields};
use floeberg_core::arrow_values::{PartitionNumbers, from_array};
use floeberg_core::expr::PartitionColumn;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType, arrow::field_to_arrow};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

use super::untrusted::UntrustedColumns;
use crate::metadata::{PartitionField, PartitionSpec, TableMetadata, UnifiedPartition, unified_partition};

/// A spec, ready for planning.
#[derive(Debug)]
pub struct BoundSpec {
    /// The spec's id.
    pub spec_id: i32,
    /// Partition fields, ids and result types.
    pub partition_type: StructType,
    /// The fields that filters can be projected to.
    pub columns: Vec<PartitionColumn>,
    /// Does it partition nothing?
    pub unpartitioned: bool,
    /// The positions of values whose type the table does not know, but a manifest may.
    untyped: Vec<usize>,
    /// The positions of values that are always null. They have the type of their source, whatever the field's type was before.
    void: Vec<usize>,
}

impl BoundSpec {
    /// Prepares a spec. Void and unknown transforms, several source columns, and sources that the read schema lacks
    /// give nothing to project filters to. Neither do values that may come from another column. An identity value always
    /// belongs to its own column: readers use it for the column, whatever the file has.
    pub(crate) fn new(
        spec: &PartitionSpec,
        partition_type: StructType,
        read_schema: &Schema,
        untrusted: &UntrustedColumns,
    ) -> Self {
        let columns = spec.fields.iter().zip(&partition_type.fields).filter_map(|(field, result)| {
            let [source_id] = field.source_ids[..] else { return None };
            let source = read_schema.field(source_id)?;
            let is_of_another = untrusted.contains(source_id) && field.transform != Transform::Identity;
            if is_of_another || matches!(field.transform, Transform::Unknown(_) | Transform::Void) {
                return None;
            }
            Some(PartitionColumn {
                field_id: field.field_id,
                name: field.name.clone(),
                source_id,
                transform: field.transform.clone(),
                source_type: source.field_type.clone(),
                result_type: result.field_type.clone(),
            })
        });
        let columns = columns.collect();
        let is_untyped = |(position, field): (usize, &PartitionField)| {
            let result = partition_type.fields.get(position);
            let unknown = result.is_none_or(|result| result.field_type == PrimitiveType::Unknown.into());
            (unknown && field.transform != Transform::Void).then_some(position)
        };
        let is_void = |(position, field): (usize, &PartitionField)| {
            (field.transform == Transform::Void).then_some(position)
        };
        Self {
            untyped: spec.fields.iter().enumerate().filter_map(is_untyped).collect(),
            void: (0..).zip(&spec.fields).filter_map(is_void).collect(),
            spec_id: spec.spec_id,
            unpartitioned: spec.is_unpartitioned(),
            partition_type,
            columns,
        }
    }

    /// The partition values of one row, in the spec's order.
    pub fn values(&self, partition: &StructArray, row: usize) -> Result<Vec<(i32, Option<Value>)>> {
        let fields = self.partition_type.fields.iter().zip(partition.columns());
        fields.map(|(field, array)| Ok((field.id, from_array(array, row, &field.field_type)?))).collect()
    }

    /// The partitions of rows, for comparison, including values of unknown transforms.
    pub fn partitions(&self, partition: &StructArray) -> Result<PartitionNumbers> {
        let fields = self.partition_type.fields.iter().zip(partition.columns());
        let columns = fields.map(|(field, array)| match type_as_written(array.data_type()) {
            Some(written) if field.field_type == PrimitiveType::Unknown.into() => (array, written.into()),
            _ => (array, field.field_type.clone()),
        });
        PartitionNumbers::new(&columns.collect::<Vec<_>>(), partition.len())
    }

    /// Are the types of all values known, to the table or to a manifest with these, so that partitions can be compared?
    pub fn is_comparable(&self, partition: &StructArray) -> bool {
        let is_known = |position: &usize| {
            partition.columns().get(*position).is_some_and(|array| *array.data_type() != DataType::Null)
        };
        self.untyped.iter().all(is_known)
    }

    /// The error for partitions that cannot be compared.
    pub fn not_comparable(&self) -> Error {
        Error::unsupported(format!(
            "partition spec {} has an unknown transform, so the partitions of its delete files cannot be compared",
            self.spec_id
        ))
    }

    /// The values in the table's types. Values whose type only a manifest knows are null.
    pub fn known_columns(&self, partition: &StructArray) -> Vec<ArrayRef> {
        let columns = partition.columns().iter().enumerate();
        columns
            .map(|(position, array)| {
                if self.untyped.contains(&position) {
                    new_null_array(&DataType::Null, array.len())
                } else {
                    Arc::clone(array)
                }
            })
            .collect()
    }
}

/// The type of a value that only a manifest knows, for comparison.
fn type_as_written(data_type: &DataType) -> Option<PrimitiveType> {
    Some(match data_type {
        DataType::Boolean => PrimitiveType::Boolean,
        DataType::Int32 => PrimitiveType::Int,
        DataType::Int64 => PrimitiveType::Long,
        DataType::Float32 => PrimitiveType::Float,
        DataType::Float64 => PrimitiveType::Double,
        DataType::Date32 => PrimitiveType::Date,
        DataType::Decimal128(precision, scale) => {
            PrimitiveType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Utf8 => PrimitiveType::String,
        DataType::Binary => PrimitiveType::Binary,
        DataType::FixedSizeBinary(length) => PrimitiveType::Fixed(u32::try_from(*length).ok()?),
        _ => return None,
    })
}

/// All specs of a table.
#[derive(Debug)]
pub struct Specs {
    by_id: BTreeMap<i32, BoundSpec>,
    untrusted: UntrustedColumns,
    unified: UnifiedPartition,
    unified_arrow: Fields,
}

impl Specs {
    /// Prepares all specs. `read_schema` gives the types that filters are bound to.
    pub fn new(metadata: &TableMetadata, read_schema: &Schema) -> Result<Arc<Self>> {
        let untrusted = UntrustedColumns::of(metadata);
        let mut by_id = BTreeMap::new();
        for spec in &metadata.partition_specs {
            let planned = BoundSpec::new(spec, spec.partition_type(metadata)?, read_schema, &untrusted);
            by_id.insert(spec.spec_id, planned);
        }
        let unified = unified_partition(metadata)?;
        let unified_arrow =
            unified.struct_type.fields.iter().map(field_to_arrow).collect::<Result<Vec<_>>>()?.into();
        Ok(Arc::new(Self { by_id, untrusted, unified, unified_arrow }))
    }

    /// The spec of an id.
    pub fn get(&self, spec_id: i32) -> Result<&BoundSpec> {
        self.by_id.get(&spec_id).ok_or_else(|| {
            Error::invalid_data(format!(
                "partition spec {spec_id} is not in the table metadata, which has {:?}",
                self.by_id.keys().collect::<Vec<_>>()
            ))
        })
    }

    /// The columns whose statistics must not be used.
    pub(crate) fn untrusted(&self) -> &UntrustedColumns {
        &self.untrusted
    }

    /// All specs, by id.
    pub fn iter(&self) -> impl Iterator<Item = &BoundSpec> {
        self.by_id.values()
    }

    /// The type of the plan's partition column: a struct over all specs.
    pub fn unified_type(&self) -> DataType {
        DataType::Struct(self.unified_arrow.clone())
    }

    /// A spec's partition fields: the id, the position in the struct over all specs, and the field there.
    pub fn unified_fields(&self, spec_id: i32) -> Result<impl Iterator<Item = (i32, usize, &Field)>> {
        let ids = self.get(spec_id)?.partition_type.fields.iter().map(|field| field.id);
        let positions = self.unified.positions.get(&spec_id).map_or(&[][..], Vec::as_slice);
        Ok(ids.zip(positions).filter_map(|(id, position)| {
            Some((id, *position, self.unified.struct_type.fields.get(*position)?))
        }))
    }

    /// A spec's partition values as the struct over all specs; fields that the spec lacks or voids are null.
    pub fn unify(&self, spec_id: i32, partition: &StructArray) -> Result<StructArray> {
        if self.unified_arrow.is_empty() {
            return Ok(StructArray::new_empty_fields(partition.len(), None));
        }
        let void = &self.get(spec_id)?.void;
        let positions = self.unified.positions.get(&spec_id).map_or(&[][..], Vec::as_slice);
        let columns = self.unified_arrow.iter().enumerate().map(|(place, field)| {
            let own = positions.iter().position(|position| *position == place);
            // Nulls of a void field have the type of its source, and the struct may have that of the transform before.
            match own.filter(|own| *field.data_type() != DataType::Null && !void.contains(own)) {
                None => new_null_array(field.data_type(), partition.len()),
                Some(own) => Arc::clone(partition.column(own)),
            }
        });
        StructArray::try_new(self.unified_arrow.clone(), columns.collect(), None)
            .map_err(|error| Error::internal("partition column").caused_by(error))
    }
}
