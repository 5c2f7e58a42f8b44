//! Which metadata tables are there?
//!
//! Invariant: the names are Iceberg Java's, and so is which of them are about one snapshot.

use std::str::FromStr;

use floeberg_core::{Error, Result};

/// A table about a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetadataTable {
    /// Every snapshot.
    Snapshots,
    /// When which snapshot became current.
    History,
    /// Branches and tags.
    Refs,
    /// This metadata file and those before it.
    MetadataLogEntries,
    /// The manifests of a snapshot.
    Manifests,
    /// The manifests of every snapshot.
    AllManifests,
    /// The entries of a snapshot's manifests, deleted ones too.
    Entries,
    /// The entries of all manifests.
    AllEntries,
    /// Live data and delete files.
    Files(FileScope),
    /// Live data and delete files of the manifests of every snapshot.
    AllFiles(FileScope),
    /// Counts by partition.
    Partitions,
    /// The rows that position deletes and vectors name.
    PositionDeletes,
}

/// Which files a table of files lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileScope {
    /// All.
    Both,
    /// Data files.
    Data,
    /// Delete files.
    Deletes,
}

impl MetadataTable {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 16] = [
        ("snapshots", Self::Snapshots),
        ("history", Self::History),
        ("refs", Self::Refs),
        ("metadata_log_entries", Self::MetadataLogEntries),
        ("manifests", Self::Manifests),
        ("all_manifests", Self::AllManifests),
        ("entries", Self::Entries),
        ("all_entries", Self::AllEntries),
        ("files", Self::Files(FileScope::Both)),
        ("data_files", Self::Files(FileScope::Data)),
        ("delete_files", Self::Files(FileScope::Deletes)),
        ("all_files", Self::AllFiles(FileScope::Both)),
        ("all_data_files", Self::AllFiles(FileScope::Data)),
        ("all_delete_files", Self::AllFiles(FileScope::Deletes)),
        ("partitions", Self::Partitions),
        ("position_deletes", Self::PositionDeletes),
    ];

    /// Does it look at one snapshot?
    pub fn is_of_a_snapshot(self) -> bool {
        matches!(
            self,
            Self::Manifests | Self::Entries | Self::Files(_) | Self::Partitions | Self::PositionDeletes
        )
    }
}

impl FromStr for MetadataTable {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, table)| *table).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|(known, _)| *known).collect();
            Error::invalid_input(format!("there is no metadata table {name:?}, only {}", known.join(", ")))
        })
    }
}
