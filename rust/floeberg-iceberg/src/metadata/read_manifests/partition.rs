//! Does a manifest have the partition values of its spec?
//!
//! In: a manifest's writer schema and the partition type of the spec that the manifest list names. Out: nothing, or an
//! error.
//! Spec: Manifests; Data File Fields (102).
//!
//! Invariant: a partition value that the manifest does not have is never taken for null, unless its transform is void
//! or its type unknown: both are null always.

use floeberg_core::schema::{PrimitiveType, StructType, Type};
use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::header::json;
use crate::wire::avro::{AvroSchema, Container};

/// Refuses a manifest that was written with another spec than its manifest list says.
pub(super) fn check_partition(
    container: &Container<'_>,
    schema: &AvroSchema,
    spec: &StructType,
) -> Result<()> {
    let written = schema.field(schema.root(), 2).and_then(|data_file| schema.field(data_file, 102));
    // Without ids, names decide; without the struct, the decoder says so.
    let Some(written) = written.filter(|_| schema.has_ids()) else { return Ok(()) };
    let unknown = Type::Primitive(PrimitiveType::Unknown);
    for field in &spec.fields {
        let known = schema.field(written, field.id).is_some() || field.field_type == unknown;
        if !known && !is_void(container, field.id)? {
            return Err(Error::invalid_data(
                "the manifest has no such field in its partitions: it was written with another partition spec",
            )
            .with("field", field));
        }
    }
    Ok(())
}

/// Does the manifest's own copy of its spec say that the field is void?
fn is_void(container: &Container<'_>, field_id: i32) -> Result<bool> {
    let spec = json(container, "partition-spec")?;
    let fields = spec.as_ref().and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let of_id =
        fields.iter().find(|field| field.get("field-id").and_then(Json::as_i64) == Some(field_id.into()));
    Ok(of_id.and_then(|field| field.get("transform")?.as_str()) == Some("void"))
}
