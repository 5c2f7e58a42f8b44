//! How do blobs become a statistics file?
//!
//! In: blobs of a snapshot. Out: a new Puffin file in the metadata folder, as the metadata is to name it.
//! Spec: Table Statistics; Puffin.
//!
//! Invariant: what the metadata is to say of a blob is what the footer says. A file that is not finished is removed.

use std::collections::BTreeMap;

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_io::location::join;
use floeberg_io::random::random_uuid;
use floeberg_io::{Sink, Store};
use serde_json::Map;

use crate::Table;
use crate::metadata::{Snapshot, StatisticsBlob, StatisticsFile};
use crate::wire::puffin::{BlobMetadata, Compression, PUFFIN_START, PuffinEncoder, compress};

/// A blob to write, computed from one snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBlob {
    /// Its type, such as `apache-datasketches-theta-v1`.
    pub blob_type: String,
    /// The field ids of its columns.
    pub fields: Vec<i32>,
    /// Properties that depend on its type.
    pub properties: BTreeMap<String, String>,
    /// Its content, which is compressed in the file.
    pub content: Vec<u8>,
}

impl Table {
    /// Writes a statistics file of a snapshot. The metadata does not name it yet.
    ///
    /// Errors: `Unsupported` for an encrypted table; `LimitExceeded` for more blobs than a Puffin file takes; those of the store.
    pub fn write_statistics(&self, snapshot: &Snapshot, blobs: &[NewBlob]) -> Result<StatisticsFile> {
        // The metadata would have its key, in plain form.
        self.metadata().check_not_encrypted()?;
        let name = format!("{}-{}.stats", snapshot.snapshot_id, random_uuid());
        let location = join(&self.metadata().metadata_folder(), &name);
        let store: &dyn Store = self.store().as_ref();
        let created = store.create(&location);
        let is_of_another = created.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists);
        let written = created.and_then(|sink| write(sink, &location, snapshot, blobs));
        if written.is_err() && !is_of_another {
            // It is an orphan where this fails: nothing refers to it.
            let _ = store.remove(&location);
        }
        written.context("path", &location)
    }
}

fn write(
    mut sink: Box<dyn Sink>,
    location: &str,
    snapshot: &Snapshot,
    blobs: &[NewBlob],
) -> Result<StatisticsFile> {
    let mut encoder = PuffinEncoder::of_this_library();
    let mut blob_metadata = Vec::with_capacity(blobs.len());
    sink.write(PUFFIN_START)?;
    for blob in blobs {
        let content = compress(&blob.content, Some(Compression::Zstd))?;
        let described = BlobMetadata {
            blob_type: blob.blob_type.clone(),
            fields: blob.fields.clone(),
            snapshot_id: snapshot.snapshot_id,
            sequence_number: snapshot.sequence_number,
            offset: 0,
            length: 0,
            compression: Some(Compression::Zstd),
            properties: blob.properties.clone(),
        };
        encoder.add(content.len() as u64, described)?;
        blob_metadata.push(StatisticsBlob {
            blob_type: blob.blob_type.clone(),
            snapshot_id: snapshot.snapshot_id,
            sequence_number: snapshot.sequence_number,
            fields: blob.fields.clone(),
            properties: blob.properties.clone(),
            unknown_keys: Map::new(),
        });
        sink.write(&content)?;
    }
    let (end, _) = encoder.finish()?;
    sink.write(&end)?;
    let large = |_| Error::limit("a statistics file is too large");
    Ok(StatisticsFile {
        snapshot_id: snapshot.snapshot_id,
        statistics_path: location.to_owned(),
        file_size_in_bytes: i64::try_from(sink.finish()?).map_err(large)?,
        file_footer_size_in_bytes: i64::try_from(end.len())
            .map_err(|_| Error::limit("a footer is too large"))?,
        key_metadata: None,
        blob_metadata,
        unknown_keys: Map::new(),
    })
}
