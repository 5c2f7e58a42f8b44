//! Which bytes are to inflate in the manifests of a table, and how long are they after that?
//!
//! In: the metadata file of a table. Out: the blocks of its manifests as they are stored, with their lengths. The reader of
//! the library is not asked: this is what it is held against.

use std::fs;
use std::path::Path;

use floeberg_avro::{Container, Limits};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::parse_manifest_list;
use floeberg_iceberg::metadata::{SnapshotManifests, parse_table_metadata};
use libdeflater::Decompressor;

/// A manifest's file.
pub struct StoredManifest {
    /// Where it is.
    pub path: String,
    /// Its blocks.
    pub blocks: Vec<StoredBlock>,
}

/// A block of a file.
#[derive(Debug, Clone, Copy)]
pub struct StoredBlock {
    /// Where its data starts in the file.
    pub start: usize,
    /// Bytes as stored.
    pub stored: usize,
    /// Bytes when inflated.
    pub inflated: usize,
    /// Records.
    pub records: u64,
}

/// The manifests of the current snapshot; locations are paths of this machine.
///
/// Errors: those of reading and parsing, `InvalidData` for a codec other than deflate.
pub fn manifests_of(metadata_file: &Path) -> Result<Vec<StoredManifest>> {
    let location = metadata_file.display().to_string();
    let table = parse_table_metadata(&read(&location)?, &location)?;
    let Some(SnapshotManifests::List(list)) = table.current_snapshot().map(|snapshot| &snapshot.manifests)
    else {
        return Err(Error::invalid_input("the table has no manifest list"));
    };
    let files = parse_manifest_list(&read(list)?, list)?;
    files
        .into_iter()
        .map(|file| {
            let bytes = read(&file.manifest_path)?;
            Ok(StoredManifest { blocks: blocks(&bytes)?, path: file.manifest_path })
        })
        .collect()
}

/// The bytes of a file.
///
/// Errors: `NotFound`.
pub fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path)
        .map_err(|error| Error::not_found("a file of the table").caused_by(error).with("path", path))
}

fn blocks(bytes: &[u8]) -> Result<Vec<StoredBlock>> {
    let container = Container::open(bytes, &Limits::default())?;
    if container.metadata_text("avro.codec")? != Some("deflate") {
        return Err(Error::invalid_data("the floor is of manifests in deflate"));
    }
    let (mut at, mut found) = (container.data_start(), Vec::new());
    // Lengths come from the library's reader, before anything is timed.
    let mut inflated = container.blocks();
    while let Some(block) = inflated.next_block()? {
        let records = long(bytes, &mut at)?;
        let stored = long(bytes, &mut at)?;
        let stored = usize::try_from(stored).map_err(|_| damaged())?;
        let records = u64::try_from(records).map_err(|_| damaged())?;
        found.push(StoredBlock { start: at, stored, inflated: block.data.len(), records });
        at += stored + 16;
    }
    Ok(found)
}

fn long(bytes: &[u8], at: &mut usize) -> Result<i64> {
    let (mut value, mut shift) = (0_u64, 0);
    loop {
        let byte = *bytes.get(*at).filter(|_| shift < 64).ok_or_else(damaged)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
        }
        shift += 7;
    }
}

fn damaged() -> Error {
    Error::invalid_data("the manifest is damaged")
}

/// Inflates the blocks of a file, one over the other, into buffers of their exact lengths.
///
/// Errors: `InvalidData`.
pub fn inflate(
    bytes: &[u8],
    blocks: &[StoredBlock],
    inflater: &mut Decompressor,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    for block in blocks {
        if buffer.len() < block.inflated {
            buffer.resize(block.inflated, 0);
        }
        let stored = bytes.get(block.start..block.start + block.stored).ok_or_else(damaged)?;
        let length = inflater.deflate_decompress(stored, &mut buffer[..block.inflated]);
        if length.map_err(|_| damaged())? != block.inflated {
            return Err(damaged());
        }
    }
    Ok(())
}
