//! Which metrics do entries have for one column?
//!
//! In: counts and bounds as maps by field id, a map an entry. Out: columns, a row an entry.
//! Spec: Data File Fields (counts and bounds).
//!
//! Invariant: the metrics are null if an entry has no map, or its map lacks the column.

use std::collections::{BTreeMap, HashMap, HashSet};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, MapArray, UInt32Array};
use arrow_select::take::take;
use floeberg_core::{Error, Result};
use foldhash::fast::RandomState;

use super::{EntryMetrics, EntryStatistics};

/// A map of metrics, inverted: by column, the position of each entry's value.
pub(crate) struct MetricsByColumn<'a> {
    written: &'a MapArray,
    places: HashMap<i32, Vec<Option<u32>>, RandomState>,
    repeated: HashSet<i32>,
}

impl<'a> MetricsByColumn<'a> {
    /// For the wanted columns. If a key occurs twice in a map, the later one counts.
    pub fn new(written: &'a MapArray, is_wanted: impl Fn(i32) -> bool) -> Self {
        let mut found = Self { written, places: HashMap::default(), repeated: HashSet::new() };
        let keys = written.keys().as_primitive::<Int32Type>();
        for (row, ends) in written.offsets().windows(2).enumerate() {
            if written.is_null(row) {
                continue;
            }
            for place in ends[0]..ends[1] {
                let column = keys.value(place as usize);
                if !is_wanted(column) {
                    continue;
                }
                let of_column = found.places.entry(column).or_default();
                if of_column.len() > row {
                    found.repeated.insert(column);
                }
                of_column.resize(row, None);
                of_column.push(Some(place as u32));
            }
        }
        found
    }

    /// The positions of a column's values among the values of the maps, one per entry.
    pub fn places(&self, column: i32) -> impl Iterator<Item = Option<u32>> {
        let known = self.places.get(&column).map_or(&[][..], Vec::as_slice);
        (0..self.written.len()).map(|row| known.get(row).copied().flatten())
    }

    /// The values of a column.
    pub fn values(&self, column: i32) -> Result<ArrayRef> {
        let places: UInt32Array = self.places(column).collect();
        take(self.written.values(), &places, None)
            .map_err(|error| Error::internal("the metrics of a column").caused_by(error))
    }

    fn once(&self, column: i32) -> Result<ArrayRef> {
        if self.repeated.contains(&column) {
            return Err(Error::invalid_data(format!(
                "expected the key {column} once in a map of metrics, found it twice"
            )));
        }
        self.values(column)
    }
}

impl EntryMetrics {
    /// Counts and bounds of some columns, as if they had been requested by column.
    ///
    /// Errors: `InvalidData` for an entry that has one of them twice.
    pub(crate) fn statistics_of(&self, columns: &[i32]) -> Result<BTreeMap<i32, EntryStatistics>> {
        let by_column = |written| MetricsByColumn::new(written, |column| columns.contains(&column));
        let counts = [&self.value_counts, &self.null_value_counts, &self.nan_value_counts];
        let counts = counts.map(by_column);
        let bounds = [&self.lower_bounds, &self.upper_bounds].map(by_column);
        let count =
            |metric: usize, column: i32| Ok::<_, Error>(counts[metric].once(column)?.as_primitive().clone());
        let bound =
            |metric: usize, column: i32| Ok::<_, Error>(bounds[metric].once(column)?.as_binary().clone());
        let of = |column: &i32| {
            let statistics = EntryStatistics {
                value_count: count(0, *column)?,
                null_value_count: count(1, *column)?,
                nan_value_count: count(2, *column)?,
                lower_bound: bound(0, *column)?,
                upper_bound: bound(1, *column)?,
            };
            Ok((*column, statistics))
        };
        columns.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests;
