//! Which paths does a manifest list have?
//!
//! In: a snapshot, and the lengths of its manifests. Out: its manifest list with other paths and lengths.
//! Spec: Manifest Lists.
//!
//! Invariant: manifests keep their order, and every other byte of theirs.

use std::collections::HashMap;

use floeberg_avro::Limits;
use floeberg_avro::rewrite::{Change, Found, rewrite};
use floeberg_core::{Context as _, Error, Result};
use floeberg_iceberg::manifest::{ManifestReader, parse_manifest_list};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests};
use floeberg_io::Sink;

use super::file_list::FileToCopy;
use super::prefixes::PathPrefixes;
use super::staging::Staging;

const MANIFEST_PATH: i32 = 500;
const MANIFEST_LENGTH: i32 = 501;
const FIELDS: [(i32, &str); 2] = [(MANIFEST_PATH, "manifest_path"), (MANIFEST_LENGTH, "manifest_length")];

/// Writes the manifest list of a snapshot to the staging folder, if there is one. `None` for a snapshot that names its manifests itself.
///
/// Errors: `InvalidInput` for a path that is not below the source prefix; `InvalidData` for a damaged list; those of the stores.
pub(super) fn write_list(
    reader: &ManifestReader,
    snapshot: &Snapshot,
    lengths: &HashMap<String, i64>,
    prefixes: &PathPrefixes,
    staging: Option<&Staging>,
) -> Result<Option<FileToCopy>> {
    let SnapshotManifests::List(written) = &snapshot.manifests else { return Ok(None) };
    let list = || {
        let (location, bytes) = reader.bytes(written)?;
        let manifests = parse_manifest_list(&bytes, &location)?;
        let staged = match staging {
            Some(staging) => {
                let location = staging.begin(prefixes.relative("a manifest list", written)?);
                Some((staging.store.create(&location)?, location))
            }
            None => None,
        };
        let (mut sink, source): (Option<Box<dyn Sink>>, String) =
            staged.map_or((None, String::new()), |(sink, location)| (Some(sink), location));
        let change = |found: &Found<'_>| {
            let manifest = usize::try_from(found.row).ok().and_then(|row| manifests.get(row));
            let manifest =
                manifest.ok_or_else(|| Error::internal("a manifest list has the rows that were decoded"))?;
            Ok(match found.field {
                MANIFEST_PATH => {
                    Change::Bytes(prefixes.target("a manifest", &manifest.manifest_path)?.into_bytes())
                }
                MANIFEST_LENGTH => {
                    lengths.get(&manifest.manifest_path).map_or(Change::Keep, |length| Change::Long(*length))
                }
                _ => Change::Keep,
            })
        };
        let write = |part: &[u8]| sink.as_mut().map_or(Ok(()), |sink| sink.write(part));
        rewrite(&bytes, &Limits::default(), &FIELDS, change, write)?;
        if let Some(sink) = sink {
            sink.finish()?;
        }
        Ok(Some(FileToCopy { source, target: prefixes.target("a manifest list", written)? }))
    };
    list().context("snapshot", snapshot.snapshot_id)
}
