//! Which manifests does a task read, and what of them?

use floeberg_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::manifest::{ManifestContent, ManifestFile, check_plain};
use crate::wire::{Packing, unpack};

/// Manifests of one plan that another process reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestTask {
    /// The columns whose statistics are returned, ascending.
    pub(super) statistics_of: Vec<i32>,
    /// The manifests, each with its number among all data or delete manifests of the plan.
    pub(super) manifests: Vec<(usize, ManifestFile)>,
}

/// A task as JSON.
#[derive(Serialize, Deserialize)]
struct SentTask {
    statistics_of: Vec<i32>,
    first: usize,
    manifests: Vec<SentManifest>,
}

/// What decoding a manifest needs of its row in the manifest list. Its counts and summaries were tested before.
#[derive(Serialize, Deserialize)]
struct SentManifest {
    path: String,
    length: i64,
    spec: i32,
    deletes: bool,
    sequence_number: i64,
    snapshot: Option<i64>,
    key_metadata: Option<Vec<u8>>,
    first_row_id: Option<i64>,
}

impl ManifestTask {
    /// A task for manifests whose first one has this number.
    pub(super) fn new(statistics_of: &[i32], first: usize, manifests: &[ManifestFile]) -> Self {
        let manifests = (first..).zip(manifests.iter().cloned()).collect();
        Self { statistics_of: statistics_of.to_vec(), manifests }
    }

    /// The bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        check_plain(self.manifests.iter().map(|(_, manifest)| manifest))?;
        let each = self.manifests.iter().map(|(_, manifest)| SentManifest {
            path: manifest.manifest_path.clone(),
            length: manifest.manifest_length,
            spec: manifest.partition_spec_id,
            deletes: manifest.content == ManifestContent::Deletes,
            sequence_number: manifest.sequence_number,
            snapshot: manifest.added_snapshot_id,
            key_metadata: manifest.key_metadata.clone(),
            first_row_id: manifest.first_row_id,
        });
        let mut packing = Packing::default();
        packing.value(&SentTask {
            statistics_of: self.statistics_of.clone(),
            first: self.manifests.first().map_or(0, |(number, _)| *number),
            manifests: each.collect(),
        })?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are no task.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SentTask { statistics_of, first, manifests } = unpack(bytes, "a task that reads manifests")?;
        let end = first.checked_add(manifests.len());
        end.ok_or_else(|| Error::invalid_input("a task that reads manifests is damaged"))?;
        let each = manifests.into_iter().map(|sent| {
            let content = if sent.deletes { ManifestContent::Deletes } else { ManifestContent::Data };
            ManifestFile {
                sequence_number: sent.sequence_number,
                added_snapshot_id: sent.snapshot,
                key_metadata: sent.key_metadata,
                first_row_id: sent.first_row_id,
                ..ManifestFile::unlisted(sent.path, sent.length, sent.spec, content)
            }
        });
        Ok(Self { statistics_of, manifests: (first..).zip(each).collect() })
    }
}
