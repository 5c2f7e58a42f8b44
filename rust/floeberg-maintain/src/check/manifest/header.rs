//! Does the header of a manifest say what its list and the table say?
//!
//! Spec: Manifests (file metadata).

use floeberg_avro::{AvroType, Container, Limits};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, ManifestHeader, manifest_header};
use floeberg_iceberg::metadata::PartitionSpec;
use serde_json::Value as Json;

use crate::check::keys::{Object, long, longs, text};
use crate::check::known::Known;
use crate::check::rules::manifests::{MANIFEST_CONTENT, MANIFEST_FIELDS, MANIFEST_HEADER};
use floeberg_core::finding::Findings;

/// Fields of entries and of their files that each version requires.
const OF_ENTRY: [i32; 2] = [0, 2];
const OF_FILE: [i32; 5] = [100, 101, 102, 103, 104];

/// Checks a header, and gives the format version of the manifest.
///
/// Errors: `InvalidData` for a file that cannot be opened.
pub(super) fn check_header(
    found: &mut Findings,
    known: &Known,
    manifest: &ManifestFile,
    bytes: &[u8],
) -> Result<u8> {
    let container = Container::open(bytes, &Limits::default())?;
    check_fields(found, &container)?;
    let header = match manifest_header(bytes) {
        Ok(header) => header,
        Err(error) => {
            found.add(&MANIFEST_HEADER, "", error.message());
            return Ok(known.metadata.format_version);
        }
    };
    let version = header.format_version;
    if !(1..=known.metadata.format_version).contains(&version) {
        let message = format_args!("expected 1 to {}, found {version}", known.metadata.format_version);
        found.add(&MANIFEST_HEADER, "format-version", message);
    }
    let content = header.content.unwrap_or(ManifestContent::Data);
    if content != manifest.content {
        let message = format_args!("the list says {:?}, the manifest {content:?}", manifest.content);
        found.add(&MANIFEST_CONTENT, "content", message);
    }
    check_schema_and_spec(found, known, manifest, &header, version);
    Ok(version)
}

fn check_fields(found: &mut Findings, container: &Container<'_>) -> Result<()> {
    let schema = container.schema()?;
    if !schema.has_ids() {
        return Ok(());
    }
    let root = schema.root();
    if !matches!(root, AvroType::Record(..)) {
        return Err(Error::invalid_data("expected a manifest of records"));
    }
    for id in OF_ENTRY.iter().filter(|id| schema.field(root, **id).is_none()) {
        found.add(&MANIFEST_FIELDS, format_args!("field {id}"), "every version requires it");
    }
    if let Some(file) = schema.field(root, 2) {
        for id in OF_FILE.iter().filter(|id| schema.field(file, **id).is_none()) {
            found.add(&MANIFEST_FIELDS, format_args!("field {id}"), "every version requires it");
        }
    }
    Ok(())
}

fn check_schema_and_spec(
    found: &mut Findings,
    known: &Known,
    manifest: &ManifestFile,
    header: &ManifestHeader,
    version: u8,
) {
    match header.schema.as_ref().map(|schema| schema.get("fields").is_some_and(Json::is_array)) {
        None => found.add(&MANIFEST_HEADER, "schema", "expected a schema, found none"),
        Some(false) => found.add(&MANIFEST_HEADER, "schema", "expected a schema with fields"),
        Some(true) => {}
    }
    if let Some(id) = header.partition_spec_id
        && id != manifest.partition_spec_id
    {
        let message = format_args!("the list says {}, the manifest {id}", manifest.partition_spec_id);
        found.add(&MANIFEST_HEADER, "partition-spec-id", message);
    }
    let Some(spec) = &header.partition_spec else {
        return found.add(&MANIFEST_HEADER, "partition-spec", "expected a list of fields, found none");
    };
    let Some(fields) = spec.as_array() else {
        return found.add(&MANIFEST_HEADER, "partition-spec", "expected a list of fields");
    };
    let specs = &known.metadata.partition_specs;
    if let Some(spec) = specs.iter().find(|spec| spec.spec_id == manifest.partition_spec_id)
        && !is_same(fields, spec, version)
    {
        let message = format_args!("it is not the partition spec {} of the table", spec.spec_id);
        found.add(&MANIFEST_HEADER, "partition-spec", message);
    }
}

/// Are the fields those of a spec? Names do not count, nor do ids that version 1 left out.
fn is_same(fields: &[Json], spec: &PartitionSpec, version: u8) -> bool {
    let same = |field: &Object, of: &floeberg_iceberg::metadata::PartitionField| {
        let sources = match long(field, "source-id") {
            Some(id) => vec![id],
            None => longs(field, "source-ids"),
        };
        let id = long(field, "field-id");
        sources == of.source_ids.iter().map(|id| i64::from(*id)).collect::<Vec<_>>()
            && (id == Some(i64::from(of.field_id)) || (id.is_none() && version == 1))
            && text(field, "transform")
                .is_some_and(|text| text.parse().is_ok_and(|transform| of.transform == transform))
    };
    fields.len() == spec.fields.len()
        && fields
            .iter()
            .zip(&spec.fields)
            .all(|(field, of)| field.as_object().is_some_and(|field| same(field, of)))
}
