//! Which columns have one value in the whole file?
//!
//! Spec: Column Projection (identity transforms); Schema Evolution (a partition value may be older than a promotion).

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;

use super::projection::ColumnSource;
use crate::metadata::PartitionSpec;
use crate::read::metadata_columns::Origin;

/// What the entry of a file says of its columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartitionConstants {
    /// The values of identity partition fields, by the id of their source column.
    values: BTreeMap<i32, Option<Value>>,
    /// What metadata columns are made of, where some are asked for.
    origin: Option<Arc<Origin>>,
}

impl PartitionConstants {
    /// From a file's spec and its partition values by partition field id.
    pub(crate) fn new(spec: &PartitionSpec, partition: &[(i32, Option<Value>)]) -> Self {
        let identity = spec.fields.iter().filter(|field| field.transform == Transform::Identity);
        let values = identity.filter_map(|field| {
            let [source] = field.source_ids.as_slice() else { return None };
            let (_, value) = partition.iter().find(|(id, _)| *id == field.field_id)?;
            Some((*source, value.clone()))
        });
        Self { values: values.collect(), origin: None }
    }

    /// With what metadata columns are made of.
    pub(in crate::read) fn with_origin(self, origin: Option<Arc<Origin>>) -> Self {
        Self { origin, ..self }
    }

    /// What metadata columns are made of; `None` where nobody asked for any.
    pub(in crate::read) fn origin(&self) -> Option<&Arc<Origin>> {
        self.origin.as_ref()
    }

    /// The column that has one value in all rows of the file, as its type has it; `None` where the partition does
    /// not say the value.
    pub(super) fn source(&self, field: &Field) -> Option<ColumnSource> {
        let value = self.values.get(&field.id)?;
        let value = value.as_ref().map(|value| promote(value, &field.field_type));
        Some(ColumnSource::Constant(value, field.field_type.clone()))
    }
}

/// A value as the type that its column has now. One that no promotion explains stays as it is.
pub(in crate::read) fn promote(value: &Value, to: &Type) -> Value {
    match (value, to.as_primitive()) {
        (Value::Int(value), Some(PrimitiveType::Long)) => Value::Long(i64::from(*value)),
        (Value::Float(value), Some(PrimitiveType::Double)) => Value::Double(f64::from(*value)),
        _ => value.clone(),
    }
}
