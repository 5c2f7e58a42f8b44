//! How is a plan split?
//!
//! In: options of the caller, and properties of the table. Out: the options of the split.
//!
//! Properties and defaults are Iceberg Java's: `read.split.target-size`, `read.split.open-file-cost` and
//! `read.split.planning-lookback`.

use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_properties::Whole;
use floeberg_properties::{SPLIT_LOOKBACK, SPLIT_OPEN_FILE_COST, SPLIT_TARGET_SIZE};

/// How a plan is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// Bytes a group should have: 128 MiB.
    pub target_size: u64,
    /// What opening a file costs, in bytes read meanwhile: 4 MiB.
    pub open_file_cost: u64,
    /// How many groups are kept open while packing: 10.
    pub lookback: usize,
    /// How many groups are enough for all workers: the plan is split evenly, into more groups only if they would exceed the
    /// target. `None` packs groups of the target's size.
    pub most_groups: Option<u64>,
    /// Bytes that are worth a group of their own when the plan is split evenly: 16 MiB.
    pub least_size: u64,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            target_size: SPLIT_TARGET_SIZE.default,
            open_file_cost: SPLIT_OPEN_FILE_COST.default,
            lookback: SPLIT_LOOKBACK.default as usize,
            most_groups: None,
            least_size: 16 << 20,
        }
    }
}

/// The [`SplitOptions`] that the caller set. Others come from the table, or are defaults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitRequest {
    /// Bytes a group should have.
    pub target_size: Option<u64>,
    /// What opening a file costs, in bytes.
    pub open_file_cost: Option<u64>,
    /// How many groups are kept open while packing.
    pub lookback: Option<usize>,
    /// How many groups are enough for all workers.
    pub most_groups: Option<u64>,
    /// Bytes that are worth a group of their own.
    pub least_size: Option<u64>,
}

impl SplitRequest {
    /// The options of the split, for a table of these properties.
    ///
    /// Errors: `InvalidInput` for a property that is needed and is not a valid number.
    pub fn options(self, properties: &BTreeMap<String, String>) -> Result<SplitOptions> {
        let or_property = |given: Option<u64>, property: Whole| match given {
            Some(given) => Ok(given),
            None => property.of(properties),
        };
        let lookback = or_property(self.lookback.map(|groups| groups as u64), SPLIT_LOOKBACK)?;
        Ok(SplitOptions {
            target_size: or_property(self.target_size, SPLIT_TARGET_SIZE)?,
            open_file_cost: or_property(self.open_file_cost, SPLIT_OPEN_FILE_COST)?,
            lookback: usize::try_from(lookback).unwrap_or(usize::MAX),
            most_groups: self.most_groups,
            least_size: self.least_size.unwrap_or(SplitOptions::default().least_size),
        })
    }
}
