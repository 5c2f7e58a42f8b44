//! Which manifests does another process read, to say which files they name?
//!
//! In: manifests of any snapshots of a table. Out: bytes, and from these the live files.
//! Spec: Manifests; Manifest Lists.
//!
//! Invariant: a manifest that is damaged or was cut off is an error there, as it is here.

use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::schema::{Schema, StructType};
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::reachable::{LiveFiles, ReachableFile};
use super::{ManifestContent, ManifestFile, ManifestReader, check_plain};
use crate::wire::{Packing, unpack};

/// Its name in errors.
const TASK: &str = "a task that reads what manifests name";

/// Manifests that another process reads.
#[derive(Debug)]
pub struct LiveFilesTask {
    manifests: Vec<ManifestFile>,
    live: LiveFiles,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SentTask {
    /// The types of partition values, by the ids of their specs.
    specs: Vec<(i32, Json)>,
    manifests: Vec<SentManifest>,
}

/// What reading a manifest needs of its row in the manifest list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SentManifest {
    path: String,
    length: i64,
    spec: i32,
    deletes: bool,
    sequence_number: i64,
    snapshot: Option<i64>,
    added: Option<i64>,
    existing: Option<i64>,
    key_metadata: Option<Vec<u8>>,
    first_row_id: Option<i64>,
}

impl LiveFilesTask {
    /// Of some manifests.
    pub fn new(manifests: &[ManifestFile], live: &LiveFiles) -> Self {
        Self { manifests: manifests.to_vec(), live: live.of_manifests(manifests) }
    }

    /// The bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        check_plain(&self.manifests)?;
        let specs = self.live.partition_types().map(|(id, partition_type)| {
            let values = Schema::new(0, partition_type.fields.clone())?;
            Ok((id, schema_to_json(&values)?))
        });
        let manifests = self.manifests.iter().map(|manifest| SentManifest {
            path: manifest.manifest_path.clone(),
            length: manifest.manifest_length,
            spec: manifest.partition_spec_id,
            deletes: manifest.content == ManifestContent::Deletes,
            sequence_number: manifest.sequence_number,
            snapshot: manifest.added_snapshot_id,
            added: manifest.added_files_count,
            existing: manifest.existing_files_count,
            key_metadata: manifest.key_metadata.clone(),
            first_row_id: manifest.first_row_id,
        });
        let mut packing = Packing::default();
        packing.value(&SentTask { specs: specs.collect::<Result<_>>()?, manifests: manifests.collect() })?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are no task.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SentTask { specs, manifests } = unpack(bytes, TASK)?;
        let damaged = |error: Error| Error::invalid_input(format!("{TASK} is damaged")).caused_by(error);
        let typed = |(id, values): (i32, Json)| -> Result<(i32, StructType)> {
            Ok((id, schema_from_json(&values).map_err(damaged)?.as_struct().clone()))
        };
        let live = LiveFiles::of_types(specs.into_iter().map(typed).collect::<Result<_>>()?).strict();
        let manifests = manifests.into_iter().map(|sent| {
            let content = if sent.deletes { ManifestContent::Deletes } else { ManifestContent::Data };
            ManifestFile {
                sequence_number: sent.sequence_number,
                added_snapshot_id: sent.snapshot,
                added_files_count: sent.added,
                existing_files_count: sent.existing,
                key_metadata: sent.key_metadata,
                first_row_id: sent.first_row_id,
                ..ManifestFile::unlisted(sent.path, sent.length, sent.spec, content)
            }
        });
        Ok(Self { manifests: manifests.collect(), live })
    }

    /// The live files of the manifests. Errors: those of [`LiveFiles::read`].
    pub fn read(&self, reader: &ManifestReader) -> Result<Vec<ReachableFile>> {
        let read = |manifest: &ManifestFile| self.live.read(reader, manifest);
        let each = ordered(&self.manifests, reader.threads, &reader.cancel, read)?;
        Ok(each.into_iter().flatten().collect())
    }
}
