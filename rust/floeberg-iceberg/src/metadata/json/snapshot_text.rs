//! What is in a snapshot's text, if its summary is left as text?
//!
//! In: the text of an element of `snapshots`, or of `snapshot-log`. Out: the model.
//! Spec: Snapshots; Appendix C, Table Metadata and Snapshots.
//!
//! Invariant: what is accepted here gives the same model as [`parse_snapshot`](super::parse_snapshot). What is refused
//! (unknown keys, lists of manifests, damage) is for that function to read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::Map;
use serde_json::value::RawValue;

use crate::metadata::snapshot::WrittenSnapshot;
use crate::metadata::summary::Borrowed;
use crate::metadata::{Snapshot, SnapshotLogEntry, SnapshotManifests, SnapshotText, Summary};

/// How many keys a usual snapshot may have. All are counted as values, whether they are there or not.
const USUAL_KEYS: usize = 9;

/// So many keys are compared with each other; more are hashed.
const COMPARED_KEYS: usize = 32;

/// A snapshot with the usual keys.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct UsualSnapshot<'a> {
    sequence_number: Option<i64>,
    snapshot_id: i64,
    parent_snapshot_id: Option<i64>,
    timestamp_ms: i64,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
    #[serde(borrow)]
    manifest_list: Cow<'a, str>,
    schema_id: Option<i32>,
    first_row_id: Option<i64>,
    added_rows: Option<i64>,
}

/// An entry of the snapshot log without unknown keys.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct UsualEntry {
    timestamp_ms: i64,
    snapshot_id: i64,
}

/// A snapshot that keeps its text, and the number of its values.
pub(super) fn read_snapshot_text(text: &str) -> Option<(Arc<Snapshot>, usize)> {
    let text: Arc<str> = Arc::from(text);
    let usual: UsualSnapshot<'_> = serde_json::from_str(&text).ok()?;
    let mut values = 1 + USUAL_KEYS;
    let (mut operation, mut summary) = (None, Summary::default());
    // A null counts as absent.
    if let Some(said) = usual.summary.map(RawValue::get).filter(|said| *said != "null") {
        let checked = check_summary(said)?;
        values += checked.keys;
        operation = checked.operation;
        let start = (said.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        summary = Summary::of_text(Arc::clone(&text), start..start + said.len());
    }
    let has_sequence_number = usual.sequence_number.is_some();
    let snapshot = Snapshot {
        snapshot_id: usual.snapshot_id,
        parent_snapshot_id: usual.parent_snapshot_id,
        sequence_number: usual.sequence_number.unwrap_or(0),
        timestamp_ms: usual.timestamp_ms,
        manifests: SnapshotManifests::List(usual.manifest_list.into_owned()),
        operation,
        summary,
        schema_id: usual.schema_id,
        first_row_id: usual.first_row_id,
        added_rows: usual.added_rows,
        key_id: None,
        unknown_keys: Map::new(),
        text: SnapshotText(None),
    };
    let written = WrittenSnapshot { text, values, has_sequence_number };
    Some((Arc::new(Snapshot { text: SnapshotText(Some(written)), ..snapshot }), values))
}

/// An entry of the snapshot log, and the number of its values.
pub(super) fn read_entry_text(text: &str) -> Option<(SnapshotLogEntry, usize)> {
    let UsualEntry { timestamp_ms, snapshot_id } = serde_json::from_str(text).ok()?;
    Some((SnapshotLogEntry { timestamp_ms, snapshot_id, unknown_keys: Map::new() }, 3))
}

/// What was found in a summary.
struct CheckedSummary {
    keys: usize,
    operation: Option<String>,
}

/// Checks that the summary is an object of strings in which no key occurs twice.
fn check_summary(text: &str) -> Option<CheckedSummary> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let checked = deserializer.deserialize_map(SummaryVisitor).ok()?;
    deserializer.end().ok()?;
    Some(checked)
}

struct SummaryVisitor;

impl<'de> Visitor<'de> for SummaryVisitor {
    type Value = CheckedSummary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<CheckedSummary, A::Error> {
        let mut operation = None;
        let mut keys: Vec<Cow<'de, str>> = Vec::with_capacity(COMPARED_KEYS);
        while let Some(Borrowed(key)) = entries.next_key()? {
            let Borrowed(value) = entries.next_value()?;
            if key == "operation" {
                operation = Some(value.into_owned());
            }
            keys.push(key);
        }
        if !are_unique(&keys) {
            return Err(A::Error::custom("a key occurs twice"));
        }
        Ok(CheckedSummary { keys: keys.len(), operation })
    }
}

fn are_unique(keys: &[Cow<'_, str>]) -> bool {
    if keys.len() > COMPARED_KEYS {
        let unique: HashSet<&str> = keys.iter().map(AsRef::as_ref).collect();
        return unique.len() == keys.len();
    }
    keys.iter().enumerate().all(|(at, key)| !keys.iter().take(at).any(|earlier| earlier == key))
}
