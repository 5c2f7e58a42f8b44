//! Which Arrow types do a table's columns have?
//!
//! In: a schema, field or type. Out: its Arrow type, the same for every reader and writer.
//! Spec: Schemas and Data Types; Appendix A, Parquet (variant's fields have no ids).
//!
//! Invariant: 32-bit offsets, nullability as the schema says, and `PARQUET:field_id` on every field at every level;
//! `unknown` is Arrow's null type and always nullable.

use std::sync::Arc;

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field as ArrowField, Fields, Metadata, TimeUnit};
use serde_json::json;

use super::{Field, PrimitiveType, Schema, Type};
use crate::error::{Context as _, Error, Result, beginning};

/// The metadata key of a field's id.
pub const FIELD_ID_KEY: &str = "PARQUET:field_id";
/// The zone of `timestamptz` and `timestamptz_ns`.
pub const UTC: &str = "UTC";

/// The Arrow schema of a table's schema.
///
/// Errors: `Unsupported`, naming the column, for a type that this version does not know.
pub fn schema_to_arrow(schema: &Schema) -> Result<arrow_schema::Schema> {
    Ok(arrow_schema::Schema::new(fields_to_arrow(schema.fields())?))
}

/// The Arrow fields of a struct's fields. Errors: those of [`schema_to_arrow`].
pub fn fields_to_arrow(fields: &[Field]) -> Result<Fields> {
    fields.iter().map(field_to_arrow).collect()
}

/// The Arrow field of a field: name, type, nullability, and its id and extension type as metadata.
///
/// Errors: those of [`schema_to_arrow`].
pub fn field_to_arrow(field: &Field) -> Result<ArrowField> {
    let data_type = type_to_arrow(&field.field_type).context("column", &field.name)?;
    let nullable = !field.required || data_type == DataType::Null;
    let metadata = extension(&field.field_type).with(FIELD_ID_KEY, field.id.to_string());
    Ok(ArrowField::new(&field.name, data_type, nullable).with_metadata(metadata))
}

/// The Arrow type of a type. Errors: those of [`schema_to_arrow`].
pub fn type_to_arrow(field_type: &Type) -> Result<DataType> {
    Ok(match field_type {
        Type::Primitive(primitive) => primitive_to_arrow(primitive),
        Type::Variant => DataType::Struct(variant_fields()),
        Type::Struct(fields) => DataType::Struct(fields_to_arrow(&fields.fields)?),
        Type::List(list) => DataType::List(Arc::new(field_to_arrow(&list.element)?)),
        Type::Map(map) => {
            let entry = Fields::from(vec![field_to_arrow(&map.key)?, field_to_arrow(&map.value)?]);
            DataType::Map(Arc::new(ArrowField::new("key_value", DataType::Struct(entry), false)), false)
        }
        Type::Unrecognized(name) => {
            let shown = beginning(name);
            return Err(Error::unsupported(format!("the type {shown:?} is not known to this version")));
        }
    })
}

/// The field id of an Arrow field, if it has one.
pub fn field_id(field: &ArrowField) -> Option<i32> {
    field.metadata().get(FIELD_ID_KEY)?.parse().ok()
}

/// How many units of time a second has.
pub fn units_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn primitive_to_arrow(primitive: &PrimitiveType) -> DataType {
    use PrimitiveType as P;
    match primitive {
        P::Boolean => DataType::Boolean,
        P::Int => DataType::Int32,
        P::Long => DataType::Int64,
        P::Float => DataType::Float32,
        P::Double => DataType::Float64,
        P::Decimal { precision, scale } => DataType::Decimal128(*precision, *scale as i8),
        P::Date => DataType::Date32,
        P::Time => DataType::Time64(TimeUnit::Microsecond),
        P::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        P::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        P::TimestampNs => DataType::Timestamp(TimeUnit::Nanosecond, None),
        P::TimestamptzNs => DataType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
        P::String => DataType::Utf8,
        P::Uuid => DataType::FixedSizeBinary(16),
        P::Fixed(length) => DataType::FixedSizeBinary(*length as i32),
        P::Binary | P::Geometry { .. } | P::Geography { .. } => DataType::Binary,
        P::Unknown => DataType::Null,
    }
}

/// Unshredded; its fields are found by name.
pub(crate) fn variant_fields() -> Fields {
    ["metadata", "value"].into_iter().map(|name| ArrowField::new(name, DataType::Binary, false)).collect()
}

/// The metadata of types that Arrow has as extensions.
fn extension(field_type: &Type) -> Metadata {
    let named = |name: &str, parameters: String| {
        Metadata::new().with(EXTENSION_TYPE_NAME_KEY, name).with(EXTENSION_TYPE_METADATA_KEY, parameters)
    };
    match field_type {
        Type::Variant => named("arrow.parquet.variant", String::new()),
        Type::Primitive(PrimitiveType::Uuid) => Metadata::new().with(EXTENSION_TYPE_NAME_KEY, "arrow.uuid"),
        Type::Primitive(PrimitiveType::Geometry { crs }) => {
            named("geoarrow.wkb", geoarrow_parameters(crs.as_deref(), None))
        }
        Type::Primitive(PrimitiveType::Geography { crs, algorithm }) => {
            let edges = algorithm.as_deref().unwrap_or("spherical");
            named("geoarrow.wkb", geoarrow_parameters(crs.as_deref(), Some(edges)))
        }
        _ => Metadata::new(),
    }
}

/// The parameters of `geoarrow.wkb`, as Arrow's other readers of Parquet form them: an SRID is its number, and what kind of
/// name another CRS has is not for us to say. Without edges they are straight.
fn geoarrow_parameters(crs: Option<&str>, edges: Option<&str>) -> String {
    let crs = crs.unwrap_or(super::DEFAULT_CRS);
    let srid = crs.split_once(':').filter(|(context, _)| context.eq_ignore_ascii_case("srid"));
    let mut parameters = match srid {
        Some((_, number)) => json!({ "crs": number, "crs_type": "srid" }),
        None if crs == super::DEFAULT_CRS => json!({ "crs": crs, "crs_type": "authority_code" }),
        None => json!({ "crs": crs }),
    };
    if let Some(edges) = edges {
        parameters["edges"] = edges.into();
    }
    parameters.to_string()
}
