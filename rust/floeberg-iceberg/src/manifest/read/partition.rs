//! Does a manifest have the partition values of its spec, and which types do they have?
//!
//! In: a manifest's writer schema and the partition type of the spec that the manifest list names. Out: nothing, or an
//! error; the partition type, with types that only the manifest has.
//! Spec: Manifests; Data File Fields (102).
//!
//! Invariant: a missing partition value is never read as null, unless its transform is void or its type unknown: both are always
//! null.

use std::sync::Arc;

use arrow_array::{Array, StructArray};
use floeberg_avro::{AvroSchema, AvroType, Container, Logical};
use floeberg_core::arrow_values::to_array;
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::schema::{PrimitiveType, StructType, Type};
use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::header::json;

/// The fields that are void in the manifest's own copy of its spec. Their values are always null, and written as the type of
/// their source or as int.
pub(super) fn void_fields(container: &Container<'_>) -> Vec<i32> {
    // If the spec cannot be read, no field counts as void: then the values are checked.
    let spec = json(container, "partition-spec").ok().flatten();
    let fields = spec.as_ref().and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let void = fields.iter().filter(|field| field.get("transform").and_then(Json::as_str) == Some("void"));
    let ids = void.filter_map(|field| field.get("field-id").and_then(Json::as_i64));
    ids.filter_map(|id| i32::try_from(id).ok()).collect()
}

/// Refuses a manifest whose spec is not that of its manifest list.
pub(super) fn check_partition(schema: &AvroSchema, spec: &StructType, void: &[i32]) -> Result<()> {
    let written = schema.field(schema.root(), 2).and_then(|data_file| schema.field(data_file, 102));
    // Without ids, names decide; without the struct, the decoder reports it.
    let Some(written) = written.filter(|_| schema.has_ids()) else { return Ok(()) };
    let unknown = Type::Primitive(PrimitiveType::Unknown);
    for field in &spec.fields {
        let known = schema.field(written, field.id).is_some() || field.field_type == unknown;
        if !known && !void.contains(&field.id) {
            return Err(Error::invalid_data(
                "a partition field is missing from the manifest: it was written with another partition spec",
            )
            .with("field", field));
        }
    }
    Ok(())
}

/// The partition type. If the table does not know the type of a field, it is the manifest's: values of an unknown transform still
/// distinguish partitions. If the manifest has none either, it stays unknown.
/// A void field has no type to read.
pub(super) fn as_written(schema: &AvroSchema, spec: &StructType, void: &[i32]) -> StructType {
    let unknown = Type::Primitive(PrimitiveType::Unknown);
    let mut typed = spec.clone();
    let written = schema.field(schema.root(), 2).and_then(|data_file| schema.field(data_file, 102));
    for field in &mut typed.fields {
        if void.contains(&field.id) {
            field.field_type = unknown.clone();
        } else if field.field_type == unknown {
            let found = written.and_then(|written| schema.field(written, field.id));
            let found = found.and_then(|of_field| primitive(schema, of_field));
            field.field_type = found.map_or(unknown.clone(), Type::Primitive);
        }
    }
    typed
}

/// Partition values, with void fields as nulls of the type in the spec.
pub(super) fn with_void(values: StructArray, spec: &StructType, void: &[i32]) -> Result<StructArray> {
    if void.is_empty() || values.num_columns() != spec.fields.len() {
        return Ok(values);
    }
    let (fields, mut columns, nulls) = values.into_parts();
    let mut fields: Vec<_> = fields.iter().cloned().collect();
    for (place, field) in spec.fields.iter().enumerate().filter(|(_, field)| void.contains(&field.id)) {
        let typed = field_to_arrow(field)?;
        columns[place] = to_array(None, &field.field_type, columns[place].len())?;
        fields[place] = Arc::new(typed);
    }
    StructArray::try_new(fields.into(), columns, nulls)
        .map_err(|error| Error::internal("partition values with void fields").caused_by(error))
}

fn primitive(schema: &AvroSchema, written: &AvroType) -> Option<PrimitiveType> {
    use PrimitiveType as P;
    let decimal = |precision: i64, scale: i64| {
        format!("decimal({precision},{scale})").parse().ok().map(|decimal: PrimitiveType| decimal)
    };
    Some(match written {
        AvroType::Boolean => P::Boolean,
        AvroType::Int(Logical::Date) => P::Date,
        AvroType::Int(_) => P::Int,
        AvroType::Long(_) => P::Long,
        AvroType::Float => P::Float,
        AvroType::Double => P::Double,
        AvroType::String => P::String,
        AvroType::Bytes(Logical::Decimal { precision, scale })
        | AvroType::Fixed(_, Logical::Decimal { precision, scale }) => decimal(*precision, *scale)?,
        AvroType::Bytes(_) => P::Binary,
        AvroType::Fixed(length, _) => P::Fixed(u32::try_from(*length).ok()?),
        AvroType::Union(branches) => {
            let mut branches = branches.iter().map(|branch| schema.get(*branch));
            let value = branches.find(|branch| !matches!(branch, AvroType::Null | AvroType::Union(_)))?;
            return primitive(schema, value);
        }
        _ => return None,
    })
}
