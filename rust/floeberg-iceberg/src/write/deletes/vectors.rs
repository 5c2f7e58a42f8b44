//! How do deleted rows become deletion vectors?
//!
//! In: the deleted rows of data files. Out: one Puffin file with a vector for each of them, and its receipt.
//! Spec: Deletion Vectors; Puffin, `deletion-vector-v1`; Data File Fields.
//!
//! Invariant: what the receipt says of a vector is what the footer says: offset, length, cardinality and data file. A file that
//! is not finished leaves nothing.

use std::collections::BTreeMap;

use floeberg_core::schema::reserved::POS;
use floeberg_core::{Cancel, Context as _, Error, ErrorKind, Result};
use floeberg_io::{Sink, Store};

use super::deleted::{self, DeletedPositions};
use super::recipe::DeleteRecipe;
use crate::manifest::{DataFile, FileContent};
use crate::wire::puffin::{BlobMetadata, PUFFIN_START, PuffinEncoder, REFERENCED_DATA_FILE};
use crate::wire::vector;
use crate::write::fanout::with_sealed_key;
use crate::write::locations::Locations;
use crate::write::recipe::check_name;
use crate::write::{Receipt, WriteTask, WrittenFile};

/// Of a blob: set where the snapshot is committed, and not known before.
const NOT_KNOWN: i64 = -1;

/// Writes vectors, one for each data file, into one file; no file without deletes.
///
/// Each holds all deleted rows of its data file: those of its older vector and of position deletes too.
/// Errors: `InvalidInput` for a table below v3, for a data file without deleted rows or named twice, and for a position that no
/// row has; `LimitExceeded` for more than a Puffin file takes; those of the store.
pub fn write_vectors(
    recipe: &DeleteRecipe,
    store: &dyn Store,
    task: WriteTask<'_>,
    cancel: &Cancel,
    deletes: &[DeletedPositions],
) -> Result<Receipt> {
    check_name("task name", task.name)?;
    if recipe.format_version < 3 {
        return Err(Error::invalid_input(format!(
            "a table of format version {} has no deletion vectors: write position deletes",
            recipe.format_version
        )));
    }
    deleted::check(deletes)?;
    if deletes.is_empty() {
        return Ok(Receipt::default());
    }
    let locations = Locations::new(recipe.location(), &recipe.properties_of_other_columns())?;
    let name = format!("{:05}-{}-{}-00001-deletes.puffin", task.partition, task.name, recipe.write_id);
    let location = locations.of_no_partition(&name);
    let created = store.create(&location).context("path", &location);
    let is_of_another = created.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists);
    let written =
        created.and_then(|sink| write(recipe, sink, &location, cancel, deletes).context("path", &location));
    let written = written.and_then(|files| with_sealed_keys(store, files));
    if written.is_err() && !is_of_another {
        // Where the answer of the store is lost there may be a file all the same.
        let _ = store.remove(&location);
    }
    Receipt::new(written?)
}

/// The vectors with the key of their file, sealed, if the table is encrypted.
fn with_sealed_keys(store: &dyn Store, files: Vec<WrittenFile>) -> Result<Vec<WrittenFile>> {
    let with_key =
        |written: WrittenFile| Ok(WrittenFile { file: with_sealed_key(store, written.file)?, ..written });
    files.into_iter().map(with_key).collect()
}

fn write(
    recipe: &DeleteRecipe,
    mut sink: Box<dyn Sink>,
    location: &str,
    cancel: &Cancel,
    deletes: &[DeletedPositions],
) -> Result<Vec<WrittenFile>> {
    let mut encoder = PuffinEncoder::of_this_library();
    sink.write(PUFFIN_START)?;
    let mut files = Vec::with_capacity(deletes.len());
    let mut purposes = BTreeMap::new();
    for deleted in deletes {
        cancel.check()?;
        let spec = recipe.spec(deleted.spec_id)?;
        let content = vector::encode(&deleted.positions).context("file_path", &deleted.file_path)?;
        let cardinality = deleted.positions.len();
        let blob = encoder.add(content.len() as u64, blob_of(&deleted.file_path, cardinality))?;
        let file = DataFile {
            content: FileContent::PositionDeletes,
            partition: deleted.partition.clone(),
            record_count: cardinality as i64,
            referenced_data_file: Some(deleted.file_path.clone()),
            content_offset: Some(blob.offset as i64),
            content_size_in_bytes: Some(blob.length as i64),
            ..DataFile::new(location, "puffin")
        };
        let purpose = purposes.entry(deleted.spec_id).or_insert_with(|| recipe.purpose(spec)).clone();
        files.push(WrittenFile { spec_id: deleted.spec_id, file, purpose: Some(purpose) });
        sink.write(&content)?;
    }
    let (end, _) = encoder.finish()?;
    sink.write(&end)?;
    let size = i64::try_from(sink.finish()?).map_err(|_| Error::limit("a Puffin file is too large"))?;
    for written in &mut files {
        written.file.file_size_in_bytes = size;
    }
    Ok(files)
}

/// As Iceberg Java has it: the column is `_pos`.
fn blob_of(data_file: &str, cardinality: u64) -> BlobMetadata {
    BlobMetadata {
        blob_type: "deletion-vector-v1".to_owned(),
        fields: vec![POS],
        snapshot_id: NOT_KNOWN,
        sequence_number: NOT_KNOWN,
        offset: 0,
        length: 0,
        compression: None,
        properties: BTreeMap::from([
            (REFERENCED_DATA_FILE.to_owned(), data_file.to_owned()),
            ("cardinality".to_owned(), cardinality.to_string()),
        ]),
    }
}
