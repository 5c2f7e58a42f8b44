//! Which metadata files are written?
//!
//! In: a table, and the names or locations of the first and the last version. Out: their locations.
//! Spec: Table Metadata Fields (`metadata-log`).

use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::{TableMetadata, open_metadata};
use floeberg_io::location::{canonical, file_name};

/// The versions of a table that are written.
#[derive(Debug)]
pub(super) struct Versions {
    /// The last version, with the files of its snapshots.
    pub(super) last: Table,
    /// Versions before it, oldest first, back to the first one of the metadata log or that after `start`.
    pub(super) earlier: Vec<String>,
    /// The version whose files were copied before.
    pub(super) start: Option<Arc<TableMetadata>>,
}

impl Versions {
    /// The location of a version as it was written, and the one that it has now.
    pub(super) fn written_and_current(&self, version: &str) -> (String, String) {
        let relocation = self.last.relocation();
        if version == self.last.metadata_location() {
            (relocation.written(version), version.to_owned())
        } else {
            (version.to_owned(), relocation.apply(version))
        }
    }

    /// Errors: `InvalidInput` for a version that the metadata log does not have, and for a first one that is not before the last;
    /// those of reading metadata files.
    pub(super) fn of(table: &Table, start: Option<&str>, end: Option<&str>) -> Result<Self> {
        let current = table.metadata_location();
        let log: Vec<&str> =
            table.metadata().metadata_log.iter().map(|entry| entry.metadata_file.as_str()).collect();
        let all: Vec<&str> = log.into_iter().chain([current]).collect();
        let number = |name: &str, version: &str| {
            let is_it = |at: &&str| file_name(at) == Some(version) || canonical(at) == canonical(version);
            all.iter().rposition(is_it).ok_or_else(|| {
                Error::invalid_input(format!(
                    "{name}: expected the name or the location of a metadata file in the metadata log, found {version:?}"
                ))
            })
        };
        let last = end.map_or_else(|| Ok(all.len() - 1), |version| number("end_version", version))?;
        let start = start.map(|version| number("start_version", version)).transpose()?;
        if let Some(start) = start.filter(|start| *start >= last) {
            return Err(Error::invalid_input(format!(
                "start_version: expected a version before {}, found {}",
                file_name(all[last]).unwrap_or(all[last]),
                file_name(all[start]).unwrap_or(all[start]),
            )));
        }
        let open = |number: usize| {
            let location = table.relocation().apply(all[number]);
            open_metadata(table.store().as_ref(), &location).map(|(_, metadata)| Arc::new(metadata))
        };
        let last_table = if last == all.len() - 1 {
            table.clone()
        } else {
            table.moved_on(open(last)?, table.relocation().apply(all[last]))?
        };
        let first = start.map_or(0, |start| start + 1);
        Ok(Self {
            last: last_table,
            earlier: all[first..last].iter().map(|at| (*at).to_owned()).collect(),
            start: start.map(open).transpose()?,
        })
    }
}
