//! Which manifest lists are newer than the newest metadata that can be read?
//!
//! In: the base, and the manifest lists that are there. Out: each list of a later snapshot, with what is gone of it.
//! Spec: Manifest Lists; Sequence Numbers.
//!
//! Invariant: a later state of the table is named wherever anything is left of it.

use floeberg_core::Result;

use super::avro_files::{AvroFiles, FoundList, rows_of};
use super::base::{Base, add};
use super::folder::Folder;
use super::request::{PassedOver, Reader};

/// Names the lists of snapshots that the metadata of the base does not have, and that are later than it.
///
/// Errors: those of the store.
pub(super) fn name_newer_lists(
    reader: &Reader,
    folder: &Folder,
    base: &Base,
    avro: &AvroFiles,
    passed_over: &mut Vec<PassedOver>,
) -> Result<()> {
    if base.source != "metadata" {
        return Ok(());
    }
    let last = base.metadata.last_sequence_number;
    let is_newer = |list: &&FoundList| {
        let is_later = list.header.sequence_number.map_or(last == 0, |number| number > last);
        is_later && base.metadata.snapshot(list.header.snapshot_id).is_err()
    };
    for list in avro.lists.iter().filter(is_newer) {
        reader.cancel.check()?;
        let id = list.header.snapshot_id;
        let what = match rows_of(reader, &list.location)? {
            Err(error) => format!("the list cannot be read: {error}"),
            Ok(rows) => {
                let mut gone = None;
                for row in &rows {
                    if !folder.has(reader.store.as_ref(), &row.manifest_path)? {
                        gone = Some(&row.manifest_path);
                        break;
                    }
                }
                match gone {
                    Some(path) => format!("its manifest {path} is gone"),
                    None => format!("snapshot_id={id} takes it"),
                }
            }
        };
        let reason = format!(
            "it is of snapshot {id}, which is later than all metadata that can be read: nothing proves that it was committed, and {what}"
        );
        add(passed_over, PassedOver { location: list.location.clone(), reason });
    }
    Ok(())
}
