//! How does a manifest, or a manifest list, declare fields that this version does not know?
//!
//! In: the declaration of its records, and the fields. Out: the declaration with the fields at the end of their records.
//! Spec: Manifest Entry Fields; Data File Fields; Manifest Lists; Appendix A, Avro (field ids).
//!
//! Invariant: names of a record are unique: a field whose name is taken gets another one, and is found by its id.

use floeberg_avro::UnknownField;
use floeberg_core::{Error, Result};
use serde_json::Value as Json;

/// The id of the field that holds a file.
const DATA_FILE: i64 = 2;

/// Adds the fields. Errors: `Internal` for another declaration than that of a manifest.
pub(super) fn declare_unknown(schema: &mut Json, unknown: &[UnknownField]) -> Result<()> {
    for field in unknown {
        let fields = if field.is_held { fields_of_files(schema) } else { fields_of(schema) };
        let fields =
            fields.ok_or_else(|| Error::internal("a manifest declares the fields of its records"))?;
        field.declare(fields)?;
    }
    Ok(())
}

fn fields_of(record: &mut Json) -> Option<&mut Vec<Json>> {
    record.get_mut("fields").and_then(Json::as_array_mut)
}

fn fields_of_files(schema: &mut Json) -> Option<&mut Vec<Json>> {
    let is_file = |field: &&mut Json| field.get("field-id").and_then(Json::as_i64) == Some(DATA_FILE);
    fields_of(schema)?.iter_mut().find(is_file)?.get_mut("type").and_then(fields_of)
}
