//! Which row groups does a stripe have, where do they start, and what is known of them?
//!
//! In: the streams of an index. Out: statistics and bloom filters of row groups, and positions in the streams of values.
//! Spec: ORC v1, Indexes, Row Group Index, Bloom Filter Index.
//!
//! Invariant: an index is optional: one that does not fit its stripe is none.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::expr::ColumnStats;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_protobuf::parse;

use crate::bloom::BloomFilter;
use crate::read::column::{Start, starts_of};
use crate::read::schema::{Column, each_column, leaf_column};
use crate::read::statistics::{column_stats, may_have};
use crate::wire::{BloomFilterIndex, IndexKind, RowIndex, StreamKind, StripeFooter, StripeLocation};

/// Where streams start for a row group.
pub(super) type Starts = BTreeMap<(u32, StreamKind), Start>;

/// The index of a stripe, of some of its columns.
#[derive(Debug)]
pub struct StripeIndex {
    pub(super) place: StripeLocation,
    pub(super) footer: StripeFooter,
    row: Arc<Column>,
    /// The rows of a row group.
    group: u64,
    columns: HashMap<u32, RowIndex>,
    blooms: HashMap<u32, Vec<BloomFilter>>,
}

/// Row groups that are read together, and where their streams start and end.
#[derive(Debug)]
pub struct GroupRange {
    /// Their rows, counted from the start of the stripe.
    pub rows: Range<u64>,
    pub(super) starts: Starts,
    /// The starts of the row group after them; `None` at the end of the stripe.
    pub(super) ends: Option<Starts>,
}

impl StripeIndex {
    /// Without columns; `group` is how many rows a row group has, and is not zero.
    pub(super) fn new(place: StripeLocation, footer: StripeFooter, row: Arc<Column>, group: u64) -> Self {
        Self { place, footer, row, group, columns: HashMap::new(), blooms: HashMap::new() }
    }

    /// How many row groups there are.
    pub fn groups(&self) -> usize {
        usize::try_from(self.place.rows.div_ceil(self.group)).unwrap_or(0)
    }

    /// The first row of a row group, counted from the start of the stripe.
    pub(super) fn first_row(&self, group: usize) -> u64 {
        (group as u64).saturating_mul(self.group).min(self.place.rows)
    }

    /// What is known of a leaf in a row group, in the type of the table.
    pub fn stats(&self, group: usize, leaf: usize, field_type: &Type) -> ColumnStats {
        let rows = self.first_row(group + 1) - self.first_row(group);
        let known = || {
            let column = leaf_column(&self.row, leaf)?;
            let entry = self.columns.get(&column.number)?.entries.get(group)?;
            Some(column_stats(entry.statistics.as_ref()?, rows, column, field_type))
        };
        known().unwrap_or_default()
    }

    /// May a row group have one of some values in a leaf, by its bloom filter?
    pub fn may_have(&self, group: usize, leaf: usize, field_type: &Type, values: &[Value]) -> bool {
        let known = || {
            let column = leaf_column(&self.row, leaf)?;
            Some((column.kind, self.blooms.get(&column.number)?.get(group)?))
        };
        let Some((kind, filter)) = known() else { return true };
        values.iter().any(|value| may_have(filter, kind, field_type, value).unwrap_or(true))
    }

    /// Where the streams of some columns start for a row group; `None` if the index does not say it.
    pub(super) fn starts(&self, group: usize, columns: &BTreeSet<u32>, is_plain: bool) -> Option<Starts> {
        let present: BTreeSet<u32> = self
            .footer
            .streams
            .iter()
            .filter(|stream| stream.kind() == Some(StreamKind::Present))
            .map(|stream| stream.column)
            .collect();
        let mut starts = Starts::new();
        let mut are_known = true;
        each_column(&self.row, &mut |column| {
            // The column of all rows has no streams that are not always there.
            if !columns.contains(&column.number) || column.number == 0 && !present.contains(&0) {
                return;
            }
            let mut add = || {
                let entry = self.columns.get(&column.number)?.entries.get(group)?;
                let encoding = self.footer.encodings.get(column.number as usize)?;
                let has_present = present.contains(&column.number);
                let has_dictionary = encoding.dictionary.is_some();
                starts_of(column, &entry.positions, (has_present, has_dictionary), is_plain, &mut starts)
            };
            are_known &= add().is_some();
        });
        are_known.then_some(starts)
    }

    /// Does it have the row groups of no column?
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Does it have the row groups of a column?
    pub(super) fn has(&self, column: u32) -> bool {
        self.columns.contains_key(&column)
    }

    /// Adds a stream of it. One that is damaged, or does not fit the stripe, is left out.
    pub(super) fn insert(&mut self, column: u32, kind: IndexKind, bytes: &[u8]) {
        let groups = self.groups();
        match kind {
            IndexKind::Rows => {
                let found = parse::<RowIndex>(bytes).ok();
                if let Some(found) = found.filter(|found| found.entries.len() == groups) {
                    self.columns.insert(column, found);
                }
            }
            IndexKind::Bloom => {
                let Ok(found) = parse::<BloomFilterIndex>(bytes) else { return };
                let filters = found.filters.iter();
                let filters = filters.map(|filter| BloomFilter::of_bytes(filter.hashes, &filter.bits));
                let filters: Option<Vec<_>> = filters.collect();
                if let Some(filters) = filters.filter(|filters| filters.len() == groups) {
                    self.blooms.insert(column, filters);
                }
            }
        }
    }
}
