//! Which partition specs does the metadata hold?
//!
//! In: spec objects, or v1's bare field lists. Out: the model, and back.
//! Spec: Partitioning; Partition Evolution; Appendix C, Partition Specs.
//!
//! Invariant: every field has an id, unique in its spec, and at least one source column.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::transform::Transform;
use floeberg_core::{Context, Result};
use serde_json::{Map, Value as Json};

use super::emit::ObjectWriter;
use crate::metadata::{PartitionField, PartitionSpec};
use crate::wire::json::{JsonPath, ObjectReader, int, list, string};

/// Where partition field ids start. v1 writers started here in each spec.
const FIRST_FIELD_ID: i32 = 1000;

/// A partition spec. Errors: `InvalidData`.
pub fn parse_spec(json: Json, path: &JsonPath<'_>) -> Result<Arc<PartitionSpec>> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(Arc::new(PartitionSpec {
        spec_id: object.required("spec-id", int)?,
        fields: object.required("fields", parse_fields)?,
        unknown_keys: object.unknown_keys(),
    }))
}

/// A partition spec.
pub fn emit_spec(spec: &PartitionSpec) -> Json {
    let mut object = ObjectWriter::default();
    object.put("spec-id", spec.spec_id);
    object.put("fields", emit_fields(spec));
    object.finish(&spec.unknown_keys)
}

/// The fields of a spec. All have ids, or (v1) none has, and they are numbered from 1000 on.
pub(super) fn parse_fields(json: Json, path: &JsonPath<'_>) -> Result<Vec<PartitionField>> {
    let parsed = list(parse_field)(json, path)?;
    let with_id = parsed.iter().filter(|(id, _)| id.is_some()).count();
    if with_id != 0 && with_id != parsed.len() {
        return Err(path.invalid(format_args!(
            "expected all or none of the fields to have a `field-id`, found {with_id} of {}",
            parsed.len()
        )));
    }
    let fields: Vec<_> = (FIRST_FIELD_ID..)
        .zip(parsed)
        .map(|(counted, (id, field))| PartitionField { field_id: id.unwrap_or(counted), ..field })
        .collect();
    let mut ids = HashSet::new();
    match fields.iter().find(|field| !ids.insert(field.field_id)) {
        Some(field) => Err(path.invalid(format_args!("partition field id {} occurs twice", field.field_id))),
        None => Ok(fields),
    }
}

/// The fields of a partition spec, as manifests have them.
pub fn emit_fields(spec: &PartitionSpec) -> Json {
    spec.fields.iter().map(emit_field).collect()
}

/// The source columns of a partition or sort field: exactly one of `source-id` and `source-ids` is expected; if both are
/// there, they must agree.
pub(super) fn parse_sources(object: &mut ObjectReader<'_>) -> Result<Vec<i32>> {
    let one = object.optional("source-id", int)?;
    let several = object.optional("source-ids", list(int))?;
    match (one, several) {
        (Some(id), None) => Ok(vec![id]),
        (None, Some(ids)) if !ids.is_empty() => Ok(ids),
        (Some(id), Some(ids)) if ids.contains(&id) => Ok(ids),
        (Some(id), Some(ids)) => Err(object
            .path()
            .invalid(format_args!("expected one of `source-id` and `source-ids`, found {id} and {ids:?}"))),
        (None, _) => {
            Err(object.path().invalid("expected `source-id` or a list `source-ids` that is not empty"))
        }
    }
}

pub(super) fn emit_sources(object: &mut ObjectWriter, source_ids: &[i32]) {
    match source_ids {
        [id] => object.put("source-id", *id),
        ids => object.put("source-ids", ids.to_vec()),
    }
}

/// A transform; one that this version does not know is kept as written.
pub(super) fn parse_transform(json: Json, path: &JsonPath<'_>) -> Result<Transform> {
    let written = string(json, path)?;
    written.parse::<Transform>().context("json", path)
}

fn parse_field(json: Json, path: &JsonPath<'_>) -> Result<(Option<i32>, PartitionField)> {
    let mut object = ObjectReader::new(json, path)?;
    let id = object.optional("field-id", int)?;
    let field = PartitionField {
        field_id: 0,
        source_ids: parse_sources(&mut object)?,
        name: object.required("name", string)?,
        transform: object.required("transform", parse_transform)?,
        unknown_keys: Map::new(),
    };
    Ok((id, PartitionField { unknown_keys: object.unknown_keys(), ..field }))
}

fn emit_field(field: &PartitionField) -> Json {
    let mut object = ObjectWriter::default();
    object.put("name", field.name.as_str());
    object.put("transform", field.transform.to_string());
    emit_sources(&mut object, &field.source_ids);
    object.put("field-id", field.field_id);
    object.finish(&field.unknown_keys)
}
