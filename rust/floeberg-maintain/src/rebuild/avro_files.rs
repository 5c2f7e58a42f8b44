//! Which manifest lists and manifests are there?
//!
//! In: Avro files beside metadata. Out: their headers, by kind.
//! Spec: Manifests; Manifest Lists.
//!
//! Invariant: rows are decoded where they are needed. A schema that many headers have is kept once.

use std::collections::HashMap;

use floeberg_core::finding::split;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    ManifestContent, ManifestFile, ManifestHeader, ManifestListHeader, manifest_header, manifest_list_header,
    parse_manifest_list,
};
use floeberg_io::location::file_name;
use serde_json::Value as Json;

use super::request::{PassedOver, Reader};
use crate::place::Place;

/// Files are read so many at a time.
const AT_A_TIME: usize = 16;

/// A manifest list.
#[derive(Debug, Clone)]
pub(super) struct FoundList {
    pub(super) location: String,
    pub(super) header: ManifestListHeader,
}

/// A manifest.
#[derive(Debug, Clone)]
pub(super) struct FoundManifest {
    /// What it says of itself: neither sequence number nor counts.
    pub(super) manifest: ManifestFile,
    pub(super) format_version: u8,
    /// The number of its columns and its spec.
    pub(super) columns: usize,
}

/// The columns and the spec in a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeaderColumns {
    pub(super) schema: Option<Json>,
    pub(super) spec_id: i32,
    pub(super) spec: Option<Json>,
}

/// The Avro files of a metadata folder.
#[derive(Debug, Default)]
pub(super) struct AvroFiles {
    pub(super) lists: Vec<FoundList>,
    pub(super) manifests: Vec<FoundManifest>,
    pub(super) columns: Vec<HeaderColumns>,
    /// The number of each manifest, by its path.
    numbers: HashMap<Place, usize>,
}

enum Kind {
    List(ManifestListHeader),
    Manifest(Box<ManifestHeader>, i64),
}

impl AvroFiles {
    /// Reads headers. Errors: those of the store.
    pub(super) fn read(reader: &Reader, files: &[String], passed_over: &mut Vec<PassedOver>) -> Result<Self> {
        let mut found = Self::default();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for some in files.chunks(AT_A_TIME) {
            let read = ordered(some, AT_A_TIME, &reader.cancel, |location| {
                match reader.reading.bytes(location)? {
                    Ok(bytes) => split(kind_of(location, &bytes)),
                    Err(error) => Ok(Err(error)),
                }
            })?;
            for (location, read) in some.iter().zip(read) {
                let location = location.clone();
                match read {
                    Err(error) => passed_over.push(PassedOver { location, reason: error.to_string() }),
                    Ok(Kind::List(header)) => found.lists.push(FoundList { location, header }),
                    Ok(Kind::Manifest(header, length)) => {
                        let spec_id = header.partition_spec_id.unwrap_or(0);
                        let content = header.content.unwrap_or(ManifestContent::Data);
                        let columns =
                            HeaderColumns { schema: header.schema, spec_id, spec: header.partition_spec };
                        let key = format!("{spec_id} {:?} {:?}", columns.schema, columns.spec);
                        let number = *numbers.entry(key).or_insert_with(|| {
                            found.columns.push(columns);
                            found.columns.len() - 1
                        });
                        found.numbers.insert(reader.place(&location), found.manifests.len());
                        found.manifests.push(FoundManifest {
                            manifest: ManifestFile::unlisted(location, length, spec_id, content),
                            format_version: header.format_version,
                            columns: number,
                        });
                    }
                }
            }
        }
        Ok(found)
    }

    /// The format version of a manifest; 1 where it is not there.
    pub(super) fn version_of(&self, reader: &Reader, path: &str) -> u8 {
        let found = self.numbers.get(&reader.place(path)).and_then(|number| self.manifests.get(*number));
        found.map_or(1, |found| found.format_version)
    }

    /// The columns and the spec in the header of a manifest.
    pub(super) fn columns_of(&self, reader: &Reader, path: &str) -> Option<&HeaderColumns> {
        let found = self.manifests.get(*self.numbers.get(&reader.place(path))?)?;
        self.columns.get(found.columns)
    }
}

fn kind_of(location: &str, bytes: &[u8]) -> Result<Kind> {
    if let Some(header) = manifest_list_header(bytes)? {
        return Ok(Kind::List(header));
    }
    let header = manifest_header(bytes)?;
    if header.schema.is_none() && header.partition_spec.is_none() {
        if let Some(header) = header_of_rows(location, bytes) {
            return Ok(Kind::List(header));
        }
        return Err(Error::invalid_data(
            "expected a manifest or a manifest list: the header has neither a schema nor a snapshot",
        ));
    }
    Ok(Kind::Manifest(Box::new(header), bytes.len() as i64))
}

/// What the name and the rows of a manifest list say. Headers of some writers say nothing.
fn header_of_rows(location: &str, bytes: &[u8]) -> Option<ManifestListHeader> {
    let (id, _) = file_name(location)?.strip_prefix("snap-")?.split_once('-')?;
    let snapshot_id = id.parse().ok()?;
    let rows = parse_manifest_list(bytes, location).ok()?;
    let own = rows.iter().filter(|row| row.added_snapshot_id == Some(snapshot_id));
    let sequence_number = own.map(|row| row.sequence_number).max().filter(|number| *number > 0);
    Some(ManifestListHeader {
        snapshot_id,
        parent_snapshot_id: None,
        sequence_number,
        format_version: if sequence_number.is_some() { 2 } else { 1 },
        first_row_id: None,
    })
}

/// The rows of a manifest list, or why they cannot be read. Errors: those of the store.
pub(super) fn rows_of(
    reader: &Reader,
    location: &str,
) -> Result<std::result::Result<Vec<ManifestFile>, Error>> {
    match reader.reading.bytes(location)? {
        Ok(bytes) => split(parse_manifest_list(&bytes, location)),
        Err(error) => Ok(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use floeberg_avro::write::ContainerOptions;
    use floeberg_iceberg::manifest::{ManifestListRequest, ManifestListWriter};

    use super::*;

    fn list(format_version: u8, parent_snapshot_id: Option<i64>) -> Result<Vec<u8>> {
        let request = ManifestListRequest {
            location: "snap-7-1-x.avro",
            format_version,
            snapshot_id: 7,
            parent_snapshot_id,
            sequence_number: i64::from(format_version > 1) * 3,
            first_row_id: (format_version > 2).then_some(40),
            unknown: &[],
        };
        Ok(ManifestListWriter::new(Vec::new(), &request, &ContainerOptions::default())?.finish()?.0)
    }

    #[test]
    fn headers_of_lists_say_their_snapshots() -> Result<()> {
        for (version, parent) in [(1, None), (1, Some(6)), (2, None), (2, Some(6)), (3, Some(6))] {
            let Kind::List(header) = kind_of("x", &list(version, parent)?)? else {
                return Err(Error::internal("expected a manifest list"));
            };
            let expected = ManifestListHeader {
                snapshot_id: 7,
                parent_snapshot_id: parent,
                sequence_number: (version > 1).then_some(3),
                format_version: version,
                first_row_id: (version > 2).then_some(40),
            };
            assert_eq!(header, expected);
        }
        Ok(())
    }

    #[test]
    fn truncated_headers_are_damage_and_no_panic() -> Result<()> {
        let whole = list(2, Some(6))?;
        let start = whole.len() - 16;
        for end in 0..start {
            assert!(kind_of("snap-7-1-x.avro", &whole[..end]).is_err(), "{end} bytes");
        }
        Ok(())
    }
}
