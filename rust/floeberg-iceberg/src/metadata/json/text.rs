//! What is the text of a table's metadata?
//!
//! In: the model. Out: its JSON as text, with snapshots as they were written.
//! Spec: Table Metadata Fields; Appendix C, Table Metadata and Snapshots.
//!
//! Invariant: the text can be read again, whatever its length.

use std::fmt::Write as _;

use floeberg_core::Result;
use serde_json::Value as Json;

use super::log::emit_snapshot_entry;
use super::snapshot::emit_snapshot;
use super::table::{SNAPSHOT_LOG, SNAPSHOTS};
use crate::metadata::snapshot::WrittenSnapshot;
use crate::metadata::{Snapshot, SnapshotLogEntry, TableMetadata};
use crate::wire::json::{MAX_METADATA_BYTES, check_readable};

/// About how many bytes an entry of the snapshot log has.
const ENTRY_BYTES: usize = 72;

impl TableMetadata {
    /// The metadata as text: what [`to_json`](Self::to_json) gives, but for snapshots that were read from a metadata
    /// file, which are spelled as they were there.
    ///
    /// Errors: `LimitExceeded` for text that could not be read again.
    pub fn to_text(&self) -> Result<String> {
        let mut document = self.without_history()?;
        let mut text = String::with_capacity(self.text_bytes());
        text.push('{');
        let mut more_values = 0;
        for (at, (key, value)) in document.iter_mut().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(&Json::from(key.as_str()).to_string());
            text.push(':');
            if key == SNAPSHOTS {
                more_values += self.push_snapshots(&mut text);
            } else if key == SNAPSHOT_LOG {
                more_values += self.push_snapshot_log(&mut text);
            } else {
                text.push_str(&value.to_string());
            }
        }
        text.push('}');
        check_readable(&Json::Object(document), more_values, text.len(), MAX_METADATA_BYTES)?;
        Ok(text)
    }

    /// About how long the text will be.
    fn text_bytes(&self) -> usize {
        let snapshots = self.snapshots.iter().filter_map(|each| self.written(each));
        let snapshots: usize = snapshots.map(|written| written.text.len() + 1).sum();
        snapshots + self.snapshot_log.len() * ENTRY_BYTES + (16 << 10)
    }

    /// How a snapshot was written, if it may stay so.
    fn written<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a WrittenSnapshot> {
        let written = snapshot.text.0.as_ref();
        written.filter(|written| written.has_sequence_number || self.format_version == 1)
    }

    fn push_snapshots(&self, text: &mut String) -> usize {
        let mut values = 0;
        push_list(text, &self.snapshots, |text, snapshot| {
            if let Some(written) = self.written(snapshot) {
                values += written.values;
                text.push_str(&written.text);
            } else {
                let json = emit_snapshot(snapshot, self.format_version);
                values += count_values(&json);
                text.push_str(&json.to_string());
            }
        });
        values
    }

    fn push_snapshot_log(&self, text: &mut String) -> usize {
        let mut values = 0;
        push_list(text, &self.snapshot_log, |text, entry| {
            let SnapshotLogEntry { timestamp_ms, snapshot_id, unknown_keys } = entry;
            if unknown_keys.is_empty() {
                values += 3;
                // Writing to a string does not fail.
                let _ = write!(text, r#"{{"timestamp-ms":{timestamp_ms},"snapshot-id":{snapshot_id}}}"#);
            } else {
                let json = emit_snapshot_entry(entry);
                values += count_values(&json);
                text.push_str(&json.to_string());
            }
        });
        values
    }
}

fn push_list<T>(text: &mut String, elements: &[T], mut push: impl FnMut(&mut String, &T)) {
    text.push('[');
    for (at, element) in elements.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        push(text, element);
    }
    text.push(']');
}

fn count_values(json: &Json) -> usize {
    match json {
        Json::Array(values) => 1 + values.iter().map(count_values).sum::<usize>(),
        Json::Object(keys) => 1 + keys.values().map(count_values).sum::<usize>(),
        _ => 1,
    }
}
