//! What does the commit of a client of a REST catalog change?
//!
//! In: the requirements and updates of its request, as JSON, and the table that they are applied to. Out: an attempt.
//! Spec: REST catalog specification, `CommitTableRequest`.
//!
//! Invariant: ids that a client leaves to the server are given here, and no other part of a request is changed.

use std::collections::{BTreeSet, HashMap};

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::{StoreOptions, open_store};
use serde_json::Value as Json;

use super::Attempt;
use super::encrypted_request::check_encryption;
use crate::{Previous, Requirement, Update, apply};

/// Partition field ids begin after this one.
const BEFORE_FIRST_FIELD: i32 = 999;

/// Reads requirements. Errors: `InvalidInput` for malformed JSON, `Unsupported` for an unknown type.
pub fn read_requirements(json: Json) -> Result<Vec<Requirement>> {
    objects(json, "requirements")?.into_iter().map(Requirement::from_json).collect()
}

/// Applies a request to a table, at a time in milliseconds from 1970-01-01 UTC. Without a base it creates the table, whose files
/// are in a store with these options.
///
/// Errors: `CommitConflict` if a requirement does not hold, or if a snapshot was made on an older state of the table;
/// `InvalidInput` for malformed JSON, and for updates that the table or its format version does not allow; `Unsupported` for an
/// unknown update, and for one that would leave plain files in an encrypted table.
pub fn apply_request(
    base: Option<Table>,
    storage: StoreOptions,
    requirements: Json,
    updates: Json,
    now_ms: i64,
) -> Result<Attempt> {
    let requirements = read_requirements(requirements)?;
    let metadata = base.as_ref().map(Table::metadata);
    let mut ids = GivenIds::new(metadata.map(|metadata| &**metadata));
    let updates: Vec<Update> = objects(updates, "updates")?
        .into_iter()
        .map(|update| Update::from_json(ids.given_to(update)))
        .collect::<Result<_>>()?;
    check_encryption(metadata.map(|metadata| &**metadata), &updates)?;
    if let Some(metadata) = metadata {
        check_is_newest(metadata, &updates)?;
    }
    check_clock(&updates, now_ms)?;
    let previous = base
        .as_ref()
        .map(|base| Previous { metadata: base.metadata(), metadata_location: base.metadata_location() });
    let after = apply(previous, &requirements, &updates, now_ms)?;
    let store = match &base {
        Some(base) => base.store().clone(),
        None => open_store(&storage)?,
    };
    Ok(Attempt::new(base, storage, store, after, requirements, updates, BTreeSet::new()))
}

fn objects(json: Json, what: &str) -> Result<Vec<Json>> {
    match json {
        Json::Array(each) if each.iter().all(Json::is_object) => Ok(each),
        _ => Err(Error::invalid_input(format!("expected a list of objects as `{what}`"))),
    }
}

/// How far the clock of a client may be ahead, in milliseconds: Iceberg Java takes no log that goes back by more.
const FAST_CLOCK_MS: i64 = 60_000;

/// A snapshot of the future would stand in the log before those that are made now.
fn check_clock(updates: &[Update], now_ms: i64) -> Result<()> {
    for update in updates {
        if let Update::AddSnapshot(snapshot) = update
            && snapshot.timestamp_ms > now_ms.saturating_add(FAST_CLOCK_MS)
        {
            return Err(Error::invalid_input(format!(
                "the snapshot is of {}, which is more than a minute after {now_ms}, the time of the server: look at the clock of the client",
                snapshot.timestamp_ms
            )));
        }
    }
    Ok(())
}

/// A snapshot with numbers of the past was made on an older state: its client has to make it again.
fn check_is_newest(metadata: &TableMetadata, updates: &[Update]) -> Result<()> {
    let (mut last, mut next_row_id) = (metadata.last_sequence_number, metadata.next_row_id.unwrap_or(0));
    for update in updates {
        let Update::AddSnapshot(snapshot) = update else { continue };
        let number = snapshot.sequence_number;
        if metadata.format_version >= 2 && number <= last && snapshot.parent_snapshot_id.is_some() {
            return Err(faster(&format!("a sequence number after {last}, found {number}")));
        }
        if metadata.format_version >= 2 && number > last.saturating_add(1) {
            return Err(Error::invalid_input(format!(
                "expected {} as the sequence number of the snapshot, found {number}",
                last.saturating_add(1)
            )));
        }
        if let (3.., Some(first)) = (metadata.format_version, snapshot.first_row_id) {
            if first < next_row_id {
                return Err(faster(&format!("row ids from {next_row_id} on, found them from {first} on")));
            }
            next_row_id = first.saturating_add(snapshot.added_rows.unwrap_or(0));
        }
        last = last.max(number);
    }
    Ok(())
}

fn faster(expected: &str) -> Error {
    Error::new(ErrorKind::CommitConflict, format!("another commit was faster: expected {expected}"))
}

/// The ids that a server gives: those of specs and orders, which `apply` numbers itself, and of partition fields.
struct GivenIds {
    /// The field ids of partition fields, by sources and transform.
    known: HashMap<(Vec<i32>, String), i32>,
    last: i32,
}

impl GivenIds {
    fn new(metadata: Option<&TableMetadata>) -> Self {
        let fields =
            metadata.iter().flat_map(|metadata| &metadata.partition_specs).flat_map(|spec| &spec.fields);
        let known =
            fields.map(|field| ((field.source_ids.clone(), field.transform.to_string()), field.field_id));
        let last = metadata.map_or(BEFORE_FIRST_FIELD, |metadata| metadata.last_partition_id);
        Self { known: known.collect(), last: last.max(BEFORE_FIRST_FIELD) }
    }

    /// An update with the ids that its client left out. What is malformed stays so.
    fn given_to(&mut self, mut update: Json) -> Json {
        // Updates number what they add, whatever is written here.
        for (part, key) in [("schema", "schema-id"), ("spec", "spec-id"), ("sort-order", "order-id")] {
            let Some(added) = update.get_mut(part).and_then(Json::as_object_mut) else { continue };
            let has_fields = added.get("fields").and_then(Json::as_array).is_some_and(|all| !all.is_empty());
            let id = i32::from(part == "sort-order" && has_fields);
            added.entry(key).or_insert_with(|| id.into());
        }
        let fields = update.pointer_mut("/spec/fields").and_then(Json::as_array_mut);
        for field in fields.into_iter().flatten().filter_map(Json::as_object_mut) {
            if let Some(id) = field.get("field-id").filter(|id| !id.is_null()) {
                self.last =
                    self.last.max(id.as_i64().and_then(|id| i32::try_from(id).ok()).unwrap_or(self.last));
                continue;
            }
            let sources = match (field.get("source-ids"), field.get("source-id")) {
                (Some(Json::Array(ids)), _) => ids.clone(),
                (_, one) => one.cloned().into_iter().collect(),
            };
            let sources = sources.iter().filter_map(Json::as_i64).filter_map(|id| i32::try_from(id).ok());
            let transform = field.get("transform").and_then(Json::as_str).unwrap_or_default().to_owned();
            let id = self.known.get(&(sources.collect(), transform)).copied().unwrap_or_else(|| {
                self.last = self.last.saturating_add(1);
                self.last
            });
            field.insert("field-id".to_owned(), id.into());
        }
        update
    }
}
