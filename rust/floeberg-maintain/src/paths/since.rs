//! What was added after a version?
//!
//! In: the metadata of the version. Out: whether a file, or a manifest, is newer.
//! Spec: Sequence Numbers; Manifest Entry Fields.
//!
//! Invariant: in doubt a file is newer, and is copied again.

use std::collections::HashSet;

use floeberg_iceberg::metadata::TableMetadata;

/// What a version had. By default, nothing.
#[derive(Debug, Default)]
pub(super) struct Since {
    snapshots: HashSet<i64>,
    /// Its last sequence number; `None` in v1, where files have none.
    last_sequence_number: Option<i64>,
    has_files: bool,
}

impl Since {
    pub(super) fn of(start: Option<&TableMetadata>) -> Self {
        let Some(start) = start else { return Self::default() };
        Self {
            snapshots: start.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect(),
            last_sequence_number: (start.format_version > 1).then_some(start.last_sequence_number),
            has_files: true,
        }
    }

    /// Did the version have the snapshot?
    pub(super) fn has_snapshot(&self, snapshot_id: i64) -> bool {
        self.snapshots.contains(&snapshot_id)
    }

    /// Was something added after the version, by this snapshot, at this sequence number?
    pub(super) fn is_newer(&self, snapshot_id: Option<i64>, sequence_number: Option<i64>) -> bool {
        if !self.has_files {
            return true;
        }
        if snapshot_id.is_some_and(|id| self.snapshots.contains(&id)) {
            return false;
        }
        // The snapshot may have expired before the version, or after it.
        match (self.last_sequence_number, sequence_number) {
            (Some(last), Some(number)) => number > last,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_iceberg::metadata::parse_table_metadata;
    use serde_json::json;

    use super::*;

    fn start(format_version: u8) -> TableMetadata {
        let document = json!({
            "format-version": format_version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "/t",
            "last-sequence-number": 7, "last-updated-ms": 1, "last-column-id": 0, "current-schema-id": 0,
            "schemas": [{ "type": "struct", "schema-id": 0, "fields": [] }],
            "default-spec-id": 0, "partition-specs": [{ "spec-id": 0, "fields": [] }], "last-partition-id": 999,
            "default-sort-order-id": 0, "sort-orders": [{ "order-id": 0, "fields": [] }],
            "snapshots": [{ "snapshot-id": 5, "sequence-number": 7, "timestamp-ms": 1, "manifest-list": "/t/a",
                            "summary": { "operation": "append" } }]
        });
        parse_table_metadata(document.to_string().as_bytes(), "/t/metadata/v1.metadata.json").unwrap()
    }

    #[test]
    fn in_doubt_a_file_is_newer() {
        let nothing = Since::of(None);
        assert!(nothing.is_newer(Some(5), Some(1)));
        assert!(!nothing.has_snapshot(5));
        let of_v2 = Since::of(Some(&start(2)));
        assert!(of_v2.has_snapshot(5));
        for (snapshot, number, is_newer) in [
            (Some(5), Some(7), false),
            (Some(5), Some(9), false),
            // Of a snapshot that had expired before, and of one that was made since.
            (Some(4), Some(7), false),
            (Some(6), Some(8), true),
            (None, Some(7), false),
            (Some(6), None, true),
            (None, None, true),
        ] {
            assert_eq!(of_v2.is_newer(snapshot, number), is_newer, "{snapshot:?} {number:?}");
        }
        let of_v1 = Since::of(Some(&start(1)));
        assert!(!of_v1.is_newer(Some(5), Some(0)));
        assert!(of_v1.is_newer(Some(6), Some(0)));
        assert!(of_v1.is_newer(None, Some(0)));
    }
}
