//! Which branches and tags does the metadata have?
//!
//! In: the values of `refs`. Out: the model, and back.
//! Spec: Snapshot References.

use std::collections::BTreeMap;

use floeberg_core::Result;
use serde_json::{Map, Value as Json};

use super::emit::ObjectWriter;
use crate::metadata::{RefKind, SnapshotRef};
use crate::wire::json::{JsonPath, ObjectReader, int, long, object, string};

/// Refs by name. A ref to a missing snapshot is kept, and is an error when it is used.
pub(super) fn parse_refs(json: Json, path: &JsonPath<'_>) -> Result<BTreeMap<String, SnapshotRef>> {
    object(json, path)?
        .into_iter()
        .map(|(name, value)| {
            let value = parse_ref(value, &path.key(&name))?;
            Ok((name, value))
        })
        .collect()
}

pub(super) fn emit_refs(refs: &BTreeMap<String, SnapshotRef>) -> Json {
    let refs: Map<_, _> = refs.iter().map(|(name, value)| (name.clone(), emit_ref(value))).collect();
    Json::Object(refs)
}

/// A branch or a tag. Errors: `InvalidData`.
pub fn parse_ref(json: Json, path: &JsonPath<'_>) -> Result<SnapshotRef> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(SnapshotRef {
        snapshot_id: object.required("snapshot-id", long)?,
        kind: object.required("type", parse_kind)?,
        min_snapshots_to_keep: object.optional("min-snapshots-to-keep", int)?,
        max_snapshot_age_ms: object.optional("max-snapshot-age-ms", long)?,
        max_ref_age_ms: object.optional("max-ref-age-ms", long)?,
        unknown_keys: object.unknown_keys(),
    })
}

/// `branch` or `tag`. Errors: `InvalidData`.
pub fn parse_kind(json: Json, path: &JsonPath<'_>) -> Result<RefKind> {
    let name = string(json, path)?;
    match name.to_ascii_lowercase().as_str() {
        "branch" => Ok(RefKind::Branch),
        "tag" => Ok(RefKind::Tag),
        _ => Err(path.expected("\"branch\" or \"tag\"", &Json::String(name))),
    }
}

/// A branch or a tag.
pub fn emit_ref(value: &SnapshotRef) -> Json {
    let mut object = ObjectWriter::default();
    object.put("snapshot-id", value.snapshot_id);
    object.put("type", value.kind.name());
    object.put_some("min-snapshots-to-keep", value.min_snapshots_to_keep);
    object.put_some("max-snapshot-age-ms", value.max_snapshot_age_ms);
    object.put_some("max-ref-age-ms", value.max_ref_age_ms);
    object.finish(&value.unknown_keys)
}
