//! How is a plan to be cut?
//!
//! In: what somebody asked for, and the properties of the table. Out: what cutting goes by.
//!
//! The properties and what is usual are Iceberg Java's: `read.split.target-size`, `read.split.open-file-cost` and
//! `read.split.planning-lookback`.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};

const TARGET_SIZE: &str = "read.split.target-size";
const OPEN_FILE_COST: &str = "read.split.open-file-cost";
const LOOKBACK: &str = "read.split.planning-lookback";

/// How a plan is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// Bytes a group should have: 128 MiB.
    pub target_size: u64,
    /// What opening a file costs, in bytes read meanwhile: 4 MiB.
    pub open_file_cost: u64,
    /// How many groups are kept open while packing: 10.
    pub lookback: usize,
    /// How many groups are enough for all workers: the plan is cut evenly, into more only where groups would pass the
    /// target. `None` packs groups of the target's size.
    pub most_groups: Option<u64>,
    /// Bytes that are worth a group of their own when the plan is cut evenly: 16 MiB.
    pub least_size: u64,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            target_size: 128 << 20,
            open_file_cost: 4 << 20,
            lookback: 10,
            most_groups: None,
            least_size: 16 << 20,
        }
    }
}

/// What was asked for of [`SplitOptions`]: what was not, the table says, or is as usual.
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
    /// What cutting goes by, for a table of these properties.
    ///
    /// Errors: `InvalidData` for a property that is needed and is not such a number.
    pub fn options(self, properties: &BTreeMap<String, String>) -> Result<SplitOptions> {
        let usual = SplitOptions::default();
        let lookback = match self.lookback {
            Some(lookback) => lookback,
            None => property(properties, LOOKBACK, 1)?
                .map_or(usual.lookback, |lookback| usize::try_from(lookback).unwrap_or(usize::MAX)),
        };
        let or_property = |given: Option<u64>, name, least, usual| match given {
            Some(given) => Ok(given),
            None => property(properties, name, least).map(|found| found.unwrap_or(usual)),
        };
        Ok(SplitOptions {
            target_size: or_property(self.target_size, TARGET_SIZE, 1, usual.target_size)?,
            open_file_cost: or_property(self.open_file_cost, OPEN_FILE_COST, 0, usual.open_file_cost)?,
            lookback,
            most_groups: self.most_groups,
            least_size: self.least_size.unwrap_or(usual.least_size),
        })
    }
}

fn property(properties: &BTreeMap<String, String>, name: &str, least: u64) -> Result<Option<u64>> {
    let Some(written) = properties.get(name) else { return Ok(None) };
    match written.parse() {
        Ok(number) if number >= least => Ok(Some(number)),
        _ => Err(Error::invalid_data(format!("expected an integer of at least {least}, found {written:?}"))
            .with("property", name)),
    }
}
