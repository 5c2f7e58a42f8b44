//! How is a file of deletion vectors copied, with other paths of data files?
//!
//! In: a Puffin file, and what the path of each data file becomes. Out: a new Puffin file.
//! Spec: Puffin, `deletion-vector-v1` blob type; File structure.
//!
//! Invariant: everything before the footer is copied byte for byte, so that each blob stays where manifests say it is. Memory holds the
//! footer and a piece of the file.

use floeberg_core::{Context, Result};
use floeberg_io::Store;

use super::CopiedFile;
use crate::statistics::{MAGIC_LENGTH, read_footer};
use crate::wire::puffin::{REFERENCED_DATA_FILE, check_magic};

/// Bytes of a piece.
const PIECE: u64 = 8 << 20;

/// Copies a file of deletion vectors. `path` is called with the path of each data file, and gives the new one.
///
/// Errors: `InvalidData` for a damaged file; those of `path` and of the stores. No file is left then.
pub fn copy_vectors(
    (from, source): (&dyn Store, &str),
    (to, target): (&dyn Store, &str),
    path: &dyn Fn(&str) -> Result<String>,
) -> Result<CopiedFile> {
    let file = from.open(source)?;
    let copied = || {
        let (mut footer, start) = read_footer(file.as_ref())?;
        check_magic(&file.read(0..MAGIC_LENGTH)?, "at the start of a Puffin file")?;
        for blob in &mut footer.blobs {
            if let Some(data_file) = blob.properties.get_mut(REFERENCED_DATA_FILE) {
                *data_file = path(data_file)?;
            }
        }
        let end = footer.to_bytes()?;
        let mut sink = to.create(target)?;
        let mut position = 0;
        while position < start {
            let next = start.min(position.saturating_add(PIECE));
            sink.write(&file.read(position..next)?)?;
            position = next;
        }
        sink.write(&end)?;
        Ok(CopiedFile { file_size_in_bytes: sink.finish()?, split_offsets: None })
    };
    copied().context("delete_file", source)
}
