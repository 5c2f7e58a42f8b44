//! Which table is wanted?

use std::path::PathBuf;
use std::str::FromStr;

use floeberg_avro::write::ContainerOptions;
use floeberg_core::{Error, Result};

/// A table to plan.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The table's folder.
    pub folder: PathBuf,
    /// Data files.
    pub files: u64,
    /// Entries of a manifest.
    pub entries: u64,
    /// 1, 2 or 3.
    pub format_version: u8,
    /// In which order manifests list the files.
    pub order: Order,
    /// What deletes some of their rows.
    pub deletes: Deletes,
    /// How manifests are stored.
    pub container: ContainerOptions,
}

/// In which order manifests list the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By day: most manifests have files of a few days.
    Sorted,
    /// At random: every manifest has files of every day.
    Shuffled,
}

/// What deletes rows of a tenth of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletes {
    /// Nothing.
    None,
    /// A file of position deletes for each of them.
    Positions,
    /// A file of position deletes for each of a tenth of the partitions.
    PartitionPositions,
    /// A deletion vector for each of them (v3).
    Vectors,
    /// An equality delete for each of a tenth of the partitions.
    Equality,
}

impl FromStr for Order {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "sorted" => Ok(Self::Sorted),
            "shuffled" => Ok(Self::Shuffled),
            _ => Err(Error::invalid_input(format!("expected sorted or shuffled, found {text}"))),
        }
    }
}

impl FromStr for Deletes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(Self::None),
            "positions" => Ok(Self::Positions),
            "partition-positions" => Ok(Self::PartitionPositions),
            "vectors" => Ok(Self::Vectors),
            "equality" => Ok(Self::Equality),
            _ => Err(Error::invalid_input(format!(
                "expected none, positions, partition-positions, vectors or equality, found {text}"
            ))),
        }
    }
}
