//! Which fields does a version of a view have in the metadata?
//!
//! In: an element of `versions`. Out: the model, and back.
//! Spec: View Spec, Versions, Representations.
//!
//! Invariant: no dialect has two statements, so the choice is never a guess.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::Result;
use serde_json::Value as Json;

use super::emit::{ObjectWriter, emit_map};
use crate::metadata::{ViewRepresentation, ViewVersion};
use crate::wire::json::{JsonPath, ObjectReader, int, list, long, object, string, string_map};

/// The one type of representation that the specification knows.
const SQL: &str = "sql";

/// Reads a version. Errors: `InvalidData`, also for two statements of one dialect.
pub fn parse_version(json: Json, path: &JsonPath<'_>) -> Result<Arc<ViewVersion>> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(Arc::new(ViewVersion {
        version_id: object.required("version-id", int)?,
        schema_id: object.required("schema-id", int)?,
        timestamp_ms: object.required("timestamp-ms", long)?,
        summary: object.required("summary", string_map)?,
        representations: object.required("representations", parse_representations)?,
        default_catalog: object.optional("default-catalog", string)?,
        default_namespace: object.required("default-namespace", list(string))?,
        unknown_keys: object.unknown_keys(),
    }))
}

fn parse_representations(json: Json, path: &JsonPath<'_>) -> Result<Vec<ViewRepresentation>> {
    let representations = list(parse_representation)(json, path)?;
    let mut dialects = HashSet::new();
    for representation in &representations {
        let ViewRepresentation::Sql { dialect, .. } = representation else { continue };
        if !dialects.insert(dialect.to_lowercase()) {
            return Err(
                path.invalid(format_args!("expected one SQL text a dialect, found two in {dialect:?}"))
            );
        }
    }
    Ok(representations)
}

fn parse_representation(json: Json, path: &JsonPath<'_>) -> Result<ViewRepresentation> {
    if json.get("type").and_then(Json::as_str).is_some_and(|kind| kind != SQL) {
        return object(json, path).map(|keys| ViewRepresentation::Unknown(Json::Object(keys)));
    }
    let mut object = ObjectReader::new(json, path)?;
    object.required("type", string)?;
    Ok(ViewRepresentation::Sql {
        sql: object.required("sql", string)?,
        dialect: object.required("dialect", string)?,
        unknown_keys: object.unknown_keys(),
    })
}

/// A version as JSON.
pub fn emit_version(version: &ViewVersion) -> Json {
    let mut object = ObjectWriter::default();
    object.put("version-id", version.version_id);
    object.put("timestamp-ms", version.timestamp_ms);
    object.put("schema-id", version.schema_id);
    object.put("summary", emit_map(&version.summary));
    object.put_some("default-catalog", version.default_catalog.clone());
    object.put("default-namespace", version.default_namespace.clone());
    object.put("representations", version.representations.iter().map(emit_representation).collect::<Json>());
    object.finish(&version.unknown_keys)
}

fn emit_representation(representation: &ViewRepresentation) -> Json {
    match representation {
        ViewRepresentation::Unknown(json) => json.clone(),
        ViewRepresentation::Sql { sql, dialect, unknown_keys } => {
            let mut object = ObjectWriter::default();
            object.put("type", SQL);
            object.put("sql", sql.as_str());
            object.put("dialect", dialect.as_str());
            object.finish(unknown_keys)
        }
    }
}
