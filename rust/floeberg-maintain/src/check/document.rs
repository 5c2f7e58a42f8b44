//! What is in a metadata file, and what is wrong with it?
//!
//! In: its bytes. Out: findings, the document, and the model of a table, as far as it can be read.
//! Spec: Table Metadata; View Metadata.

use floeberg_core::finding::{Finding, Severity};
use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{TableMetadata, parse_table_metadata, parse_view_metadata};
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, parse_json};
use serde_json::Value as Json;

use super::keys::Object;
use super::metadata::{check_table, check_view, mended};
use super::rules::documents::{METADATA_READABLE, METADATA_STRICT};
use floeberg_core::finding::Findings;

/// A metadata file that was checked.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The document of a table; `None` for a view, and where there is none.
    pub(super) table: Option<Object>,
    /// The model of a table.
    pub(super) metadata: Option<TableMetadata>,
}

/// Checks a metadata file, or says why there is none.
pub(super) fn check_document(
    location: &str,
    bytes: std::result::Result<&[u8], &Error>,
) -> (Findings, Document) {
    let mut found = Findings::of(location);
    let document = match bytes.and_then_json() {
        Ok(document) => document,
        Err(message) => {
            found.add(&METADATA_READABLE, "", message);
            return (found, Document::default());
        }
    };
    let Json::Object(object) = &document else {
        found.add(&METADATA_READABLE, "", "expected a JSON object");
        return (found, Document::default());
    };
    let text = document.to_string();
    let has = |name: &str| object.contains_key(name);
    if has("view-uuid") || (has("current-version-id") && !has("last-column-id")) {
        check_view(&mut found, object);
        if found.is_empty()
            && let Err(error) = parse_view_metadata(text.as_bytes(), location)
        {
            found.add(&METADATA_STRICT, "", error.message());
        }
        return (found, Document::default());
    }
    check_table(&mut found, object);
    let metadata = match parse_table_metadata(text.as_bytes(), location) {
        Ok(metadata) => Some(metadata),
        Err(error) => {
            // What lenient rules found is the reason.
            if found.is_empty() {
                found.add(&METADATA_STRICT, "", error.message());
            }
            mended(&document, location)
        }
    };
    let Json::Object(table) = document else { return (found, Document::default()) };
    (found, Document { table: Some(table), metadata })
}

/// What is wrong with metadata as it would be written.
///
/// Errors: those of writing it.
pub(crate) fn findings_of_metadata(metadata: &TableMetadata, location: &str) -> Result<Vec<Finding>> {
    let bytes = metadata.to_text()?.into_bytes();
    Ok(check_document(location, Ok(&bytes)).0.into_list())
}

/// The rules of rank `engines-fail` and worse that new metadata breaks, and that the metadata before did not break in this way.
///
/// Errors: those of writing the metadata.
pub fn newly_broken(
    before: Option<&TableMetadata>,
    after: &TableMetadata,
    location: &str,
) -> Result<Vec<Finding>> {
    let mut broken = findings_of_metadata(after, location)?;
    broken.retain(|new| matches!(new.rule.severity, Severity::WrongData | Severity::EnginesFail));
    let (Some(before), false) = (before, broken.is_empty()) else { return Ok(broken) };
    let known = findings_of_metadata(before, location)?;
    // The same part may have another place in its list now.
    broken.retain(|new| {
        !known.iter().any(|old| {
            std::ptr::eq(old.rule, new.rule)
                && old.snapshot_id == new.snapshot_id
                && old.message == new.message
        })
    });
    Ok(broken)
}

trait AndThenJson {
    fn and_then_json(self) -> std::result::Result<Json, String>;
}

impl AndThenJson for std::result::Result<&[u8], &Error> {
    /// The document of bytes; or what is wrong with them.
    fn and_then_json(self) -> std::result::Result<Json, String> {
        let bytes = self.map_err(ToString::to_string)?;
        parse_json(bytes, MAX_METADATA_BYTES).map_err(|error| error.to_string())
    }
}
