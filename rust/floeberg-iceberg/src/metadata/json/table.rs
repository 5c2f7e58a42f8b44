//! What is in the metadata file of a table?
//!
//! In: the bytes of a metadata file of v1, v2 or v3, plain or gzip. Out: the model.
//! Spec: Table Metadata Fields; Appendix C, Table Metadata and Snapshots; Appendix E, Version 2.
//!
//! Invariant: current schema, default spec, default order, current snapshot and `main` exist and agree, and no id occurs twice;
//! all other references to ids are checked when they are used.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Context, Error, Result};
use serde_json::{Map, Value as Json};

use super::chosen::{Chosen, check_unique, choose};
use super::counters::raise_counters;
use super::log::{parse_metadata_entry, parse_snapshot_entry};
use super::partition::{parse_fields, parse_spec};
use super::refs::parse_refs;
use super::schema::parse_schema;
use super::snapshot::parse_snapshot;
use super::snapshot_text::{read_entry_text, read_snapshot_text};
use super::sort::parse_order;
use crate::metadata::partition::NO_PARTITION_ID;
use crate::metadata::table::Current;
use crate::metadata::{
    MAIN_BRANCH, PartitionSpec, RefKind, Snapshot, SnapshotLogEntry, SnapshotRef, SortOrder, TableMetadata,
};
use crate::wire::json::{
    JsonPath, MAX_METADATA_BYTES, ObjectReader, int, list, long, object, parse_apart, parse_json, raw,
    string, string_map,
};

pub(super) const SNAPSHOTS: &str = "snapshots";
pub(super) const SNAPSHOT_LOG: &str = "snapshot-log";

/// Parses a metadata file. `location` is where it was read, for errors.
///
/// Errors: `InvalidData` that names the path in the document, what was expected and what was found; `Unsupported` for
/// a later format version and for the metadata of a view; `LimitExceeded` for a file that inflates without bound.
pub fn parse_table_metadata(bytes: &[u8], location: &str) -> Result<TableMetadata> {
    // A table with a long history has little else: its snapshots are not taken apart where that is not needed.
    if let Some(metadata) = parse_usual(bytes) {
        return Ok(metadata);
    }
    parse_whole(bytes).context("path", location)
}

/// The metadata of a document that is taken apart, or what is wrong with it.
pub(super) fn parse_whole(bytes: &[u8]) -> Result<TableMetadata> {
    parse_document(parse_json(bytes, MAX_METADATA_BYTES)?, History::default())
}

/// What the longest lists hold.
#[derive(Default)]
struct History {
    snapshots: Vec<Arc<Snapshot>>,
    snapshot_log: Vec<SnapshotLogEntry>,
}

/// The metadata, unless there is anything to say about it.
pub(super) fn parse_usual(bytes: &[u8]) -> Option<TableMetadata> {
    let mut history = History::default();
    let document = parse_apart(bytes, MAX_METADATA_BYTES, &[SNAPSHOTS, SNAPSHOT_LOG], &mut |key, text| {
        if key == SNAPSHOTS {
            let (snapshot, values) =
                read_snapshot_text(text).or_else(|| read_unusual(text, parse_snapshot))?;
            history.snapshots.push(snapshot);
            return Some(values);
        }
        let (entry, values) = read_entry_text(text).or_else(|| read_unusual(text, parse_snapshot_entry))?;
        history.snapshot_log.push(entry);
        Some(values)
    })?;
    parse_document(document, history).ok()
}

/// An element of a list with what is not usual, and a number of values that it does not exceed.
fn read_unusual<T>(text: &str, parse: impl Fn(Json, &JsonPath<'_>) -> Result<T>) -> Option<(T, usize)> {
    let json = parse_json(text.as_bytes(), MAX_METADATA_BYTES).ok()?;
    Some((parse(json, &JsonPath::root(SNAPSHOTS)).ok()?, text.len()))
}

fn parse_document(document: Json, history: History) -> Result<TableMetadata> {
    let path = JsonPath::root("table metadata");
    let mut object = ObjectReader::new(document, &path)?;
    if object.has("view-uuid") {
        return Err(Error::unsupported(
            "expected the metadata of a table, found that of a view: open it with open_view",
        ));
    }
    let format_version = object.required("format-version", parse_format_version)?;
    let schemas = parse_schemas(&mut object, format_version)?;
    let specs = parse_specs(&mut object, format_version)?;
    let orders = parse_orders(&mut object)?;
    let current = object.optional("current-snapshot-id", long)?.filter(|id| *id != -1);
    let highest_partition_id =
        specs.all.iter().flat_map(|spec| &spec.fields).map(|field| field.field_id).max();
    let mut metadata = TableMetadata {
        format_version,
        table_uuid: if format_version == 1 {
            object.optional("table-uuid", string)?
        } else {
            Some(object.required("table-uuid", string)?)
        },
        location: object.required("location", string)?,
        last_sequence_number: if format_version == 1 {
            // v1 has none, but a v1 file of a newer writer may have one.
            object.optional("last-sequence-number", long)?;
            0
        } else {
            object.required("last-sequence-number", long)?
        },
        last_updated_ms: object.required("last-updated-ms", long)?,
        last_column_id: object.required("last-column-id", int)?,
        schemas: schemas.all,
        current_schema_id: schemas.chosen.schema_id(),
        partition_specs: specs.all,
        default_spec_id: specs.chosen.spec_id,
        last_partition_id: object
            .optional("last-partition-id", int)?
            .unwrap_or_else(|| highest_partition_id.unwrap_or(NO_PARTITION_ID).max(NO_PARTITION_ID)),
        properties: object.optional("properties", string_map)?.unwrap_or_default(),
        current_snapshot_id: current,
        snapshots: after(history.snapshots, object.optional(SNAPSHOTS, list(parse_snapshot))?),
        snapshot_log: after(history.snapshot_log, object.optional(SNAPSHOT_LOG, list(parse_snapshot_entry))?),
        metadata_log: object.optional("metadata-log", list(parse_metadata_entry))?.unwrap_or_default(),
        sort_orders: orders.all,
        default_sort_order_id: orders.chosen.order_id,
        refs: parse_all_refs(&mut object, current)?,
        statistics: object.optional("statistics", list(raw_object))?.unwrap_or_default(),
        partition_statistics: object.optional("partition-statistics", list(raw_object))?.unwrap_or_default(),
        next_row_id: if format_version < 3 {
            object.optional("next-row-id", long)?
        } else {
            Some(object.required("next-row-id", long)?)
        },
        encryption_keys: object.optional("encryption-keys", list(raw_object))?.unwrap_or_default(),
        unknown_keys: object.unknown_keys(),
        current: Current { schema: schemas.chosen, spec: specs.chosen, sort_order: orders.chosen },
    };
    let snapshots = &path.key("snapshots");
    check_unique(metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id), snapshots)?;
    if let Some(current) = metadata.current_snapshot_id {
        choose(
            &metadata.snapshots,
            |snapshot| snapshot.snapshot_id,
            current,
            "current-snapshot-id",
            snapshots,
        )?;
    }
    raise_counters(&mut metadata);
    Ok(metadata)
}

/// A list that was read apart, and the elements that the document has.
fn after<T>(mut apart: Vec<T>, listed: Option<Vec<T>>) -> Vec<T> {
    apart.extend(listed.unwrap_or_default());
    apart
}

/// `schemas`; v1 and drafts of v2 may have only `schema`, which is ignored if the list is there.
fn parse_schemas(object: &mut ObjectReader<'_>, format_version: u8) -> Result<Chosen<Schema>> {
    let path = object.path();
    let listed = object.optional("schemas", list(parse_schema))?;
    let current = object.optional("current-schema-id", int)?;
    match (listed, object.optional("schema", raw)?) {
        (Some(all), _) => {
            Chosen::new(all, Schema::schema_id, current, "current-schema-id", &path.key("schemas"))
        }
        (None, Some(json)) if format_version < 3 => {
            let schema = parse_schema(json, &path.key("schema"))?;
            Ok(Chosen { all: vec![Arc::clone(&schema)], chosen: schema })
        }
        (None, _) => Err(path.missing("schemas")),
    }
}

/// `partition-specs`; v1 and drafts of v2 may have only `partition-spec`, a bare list of fields, which is ignored if the
/// list of specs is there.
fn parse_specs(object: &mut ObjectReader<'_>, format_version: u8) -> Result<Chosen<PartitionSpec>> {
    let path = object.path();
    let listed = object.optional("partition-specs", list(parse_spec))?;
    let default = object.optional("default-spec-id", int)?;
    match (listed, object.optional("partition-spec", raw)?) {
        (Some(all), _) => {
            Chosen::new(all, |spec| spec.spec_id, default, "default-spec-id", &path.key("partition-specs"))
        }
        (None, Some(json)) if format_version < 3 => {
            let fields = parse_fields(json, &path.key("partition-spec"))?;
            let spec = PartitionSpec { spec_id: default.unwrap_or(0), fields, unknown_keys: Map::new() };
            let spec = Arc::new(spec);
            Ok(Chosen { all: vec![Arc::clone(&spec)], chosen: spec })
        }
        (None, _) => Err(path.missing("partition-specs")),
    }
}

/// `sort-orders`, with order 0 (unsorted) added if it is the default and missing.
fn parse_orders(object: &mut ObjectReader<'_>) -> Result<Chosen<SortOrder>> {
    let path = object.path();
    let mut all = object.optional("sort-orders", list(parse_order))?.unwrap_or_default();
    let default = object.optional("default-sort-order-id", int)?.unwrap_or(0);
    if default == 0 && all.iter().all(|order| order.order_id != 0) {
        all.insert(0, Arc::new(SortOrder { order_id: 0, fields: Vec::new(), unknown_keys: Map::new() }));
    }
    let path = path.key("sort-orders");
    Chosen::new(all, |order| order.order_id, Some(default), "default-sort-order-id", &path)
}

/// `refs`, with `main` added if it is missing and there is a current snapshot.
fn parse_all_refs(
    object: &mut ObjectReader<'_>,
    current: Option<i64>,
) -> Result<BTreeMap<String, SnapshotRef>> {
    let path = object.path();
    let mut refs = object.optional("refs", parse_refs)?.unwrap_or_default();
    let main = refs.get(MAIN_BRANCH).map(|main| main.snapshot_id);
    match (main, current) {
        (Some(main), Some(current)) if main != current => Err(path.invalid(format_args!(
            "expected the branch `main` and `current-snapshot-id` to agree, found {main} and {current}"
        ))),
        (Some(main), None) => Err(path.invalid(format_args!(
            "expected no branch `main` without `current-snapshot-id`, found one at snapshot {main}"
        ))),
        (None, Some(current)) => {
            refs.insert(MAIN_BRANCH.to_owned(), SnapshotRef::new(current, RefKind::Branch));
            Ok(refs)
        }
        _ => Ok(refs),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "has the shape of the readers of wire::json")]
fn parse_format_version(json: Json, path: &JsonPath<'_>) -> Result<u8> {
    match json.as_i64() {
        Some(version @ 1..=3) => Ok(version as u8),
        Some(version) if version > 3 => Err(Error::unsupported(format!(
            "{path}: expected 1, 2 or 3, found {version}, which is later than this release of Floeberg"
        ))),
        _ => Err(path.expected("the integer 1, 2 or 3", &json)),
    }
}

fn raw_object(json: Json, path: &JsonPath<'_>) -> Result<Json> {
    object(json, path).map(Json::Object)
}
