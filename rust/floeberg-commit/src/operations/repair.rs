//! Which faults of a table does a user want to have mended?
//!
//! In: what a check found. Out: files as their manifests should describe them, manifests to write again, what is gone and is given up,
//! and parts of the metadata that are written anew.
//! Spec: Manifests; Data File Fields; Table Metadata Fields.
//!
//! Invariant: what is here can be tried on any base: files and manifests that a base does not have any more are left out, unless they are
//! to be given up.

use std::collections::{BTreeMap, BTreeSet};

use floeberg_core::{Error, Result};
use floeberg_iceberg::write::Receipt;
use serde_json::{Value as Json, json};

/// Faults to mend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Repair {
    /// Files as manifests should describe them: their counts, sizes, bounds, offsets, ids and references. Where they are, their
    /// partition, their sequence numbers and their row ids stay as they are.
    pub described: Receipt,
    /// Manifests to write again with the same live files.
    pub manifests: BTreeSet<String>,
    /// Files to give up, since they are gone: paths.
    pub given_up_files: BTreeSet<String>,
    /// Manifests to give up, since they are gone.
    pub given_up_manifests: BTreeSet<String>,
    /// Are deletion vectors removed whose data files are not live?
    pub without_dangling_vectors: bool,
    /// May the rows change that a scan gives, since other deletes apply with what is mended?
    pub allows_changed_rows: bool,
    /// Is there a new snapshot, whatever else is there? It has another manifest list and counts anew.
    pub makes_snapshot: bool,
    /// The parts of the metadata.
    pub metadata: MetadataRepair,
}

/// Parts of the metadata to mend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetadataRepair {
    /// Is the metadata written again, with the same meaning? Its highest ids, and copies of fields, go right with it.
    pub is_written_again: bool,
    /// Does the snapshot log lose snapshots that the table does not have, and end with the current snapshot?
    pub mends_snapshot_log: bool,
    /// Metadata files that the metadata log loses.
    pub absent_metadata_files: BTreeSet<String>,
    /// The times of metadata files in the metadata log, in milliseconds from 1970-01-01 UTC.
    pub metadata_times: BTreeMap<String, i64>,
    /// Are statistics files removed that are of no snapshot of the table, and those that are there twice?
    pub mends_statistics: bool,
}

impl MetadataRepair {
    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Repair {
    /// Does it make a snapshot?
    pub fn changes_files(&self) -> bool {
        self.makes_snapshot
            || self.without_dangling_vectors
            || !self.described.files().is_empty()
            || !self.manifests.is_empty()
            || self.gives_up()
    }

    /// Are files or manifests given up?
    pub fn gives_up(&self) -> bool {
        !self.given_up_files.is_empty() || !self.given_up_manifests.is_empty()
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        !self.changes_files() && self.metadata.is_empty()
    }

    /// As JSON, without the described files.
    pub fn to_json(&self) -> Json {
        let metadata = &self.metadata;
        json!({
            "manifests": self.manifests,
            "given-up-files": self.given_up_files,
            "given-up-manifests": self.given_up_manifests,
            "without-dangling-vectors": self.without_dangling_vectors,
            "allows-changed-rows": self.allows_changed_rows,
            "makes-snapshot": self.makes_snapshot,
            "is-written-again": metadata.is_written_again,
            "mends-snapshot-log": metadata.mends_snapshot_log,
            "absent-metadata-files": metadata.absent_metadata_files,
            "metadata-times": metadata.metadata_times,
            "mends-statistics": metadata.mends_statistics,
        })
    }

    /// Reads what [`Repair::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json, described: Receipt) -> Result<Self> {
        let invalid = || Error::invalid_input("expected what is repaired");
        let flag = |name: &str| json.get(name).and_then(Json::as_bool).ok_or_else(invalid);
        let texts = |name: &str| -> Result<BTreeSet<String>> {
            let list = json.get(name).and_then(Json::as_array).ok_or_else(invalid)?;
            list.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(invalid)).collect()
        };
        let times = json.get("metadata-times").and_then(Json::as_object).ok_or_else(invalid)?;
        let times = times.iter().map(|(file, time)| Ok((file.clone(), time.as_i64().ok_or_else(invalid)?)));
        Ok(Self {
            described,
            manifests: texts("manifests")?,
            given_up_files: texts("given-up-files")?,
            given_up_manifests: texts("given-up-manifests")?,
            without_dangling_vectors: flag("without-dangling-vectors")?,
            allows_changed_rows: flag("allows-changed-rows")?,
            makes_snapshot: flag("makes-snapshot")?,
            metadata: MetadataRepair {
                is_written_again: flag("is-written-again")?,
                mends_snapshot_log: flag("mends-snapshot-log")?,
                absent_metadata_files: texts("absent-metadata-files")?,
                metadata_times: times.collect::<Result<_>>()?,
                mends_statistics: flag("mends-statistics")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

    #[test]
    fn a_repair_is_read_back_as_it_was() -> Result<()> {
        let texts = |text: &str| BTreeSet::from([text.to_owned()]);
        let repair = Repair {
            described: Receipt::default(),
            manifests: texts("m"),
            given_up_files: texts("f"),
            given_up_manifests: texts("g"),
            without_dangling_vectors: true,
            allows_changed_rows: true,
            makes_snapshot: true,
            metadata: MetadataRepair {
                is_written_again: true,
                mends_snapshot_log: true,
                absent_metadata_files: texts("a"),
                metadata_times: BTreeMap::from([("t".to_owned(), 7)]),
                mends_statistics: true,
            },
        };
        let operation = Operation::Repair(Box::new(repair));
        assert_eq!(Operation::from_bytes(&operation.to_bytes()?)?, operation);
        assert!(operation.changes_rows());
        let of_metadata = MetadataRepair { mends_statistics: true, ..MetadataRepair::default() };
        let repair = Repair { metadata: of_metadata, ..Repair::default() };
        assert!(!repair.changes_files() && !repair.is_empty());
        assert!(Repair::default().is_empty());
        let wrong = Repair::from_json(&json!({"manifests": 1}), Receipt::default());
        assert!(wrong.is_err_and(|error| error.message() == "expected what is repaired"));
        Ok(())
    }
}
