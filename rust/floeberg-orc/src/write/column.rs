//! A column of a stripe that is being written, with its parts.
//!
//! In: arrays in the table's Arrow form. Out: streams, places of row groups in them, and statistics.
//! Spec: ORC v1, Column Encodings, Indexes.
//!
//! Invariant: a null takes no place in the streams of its column, nor in those of its parts; every row group begins a run.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray};
use arrow_select::filter::filter;
use floeberg_core::{Context as _, Error, Result};

use super::bits::Bits;
use super::compress::Compressor;
use super::encode::Values;
use super::shape::{Column, Kind};
use super::statistics::Statistics;
use super::stream::{Output, Place};
use crate::bloom::BloomFilter;
use crate::wire::{Encoding, StreamKind};

/// A column, or a part of one.
pub(super) struct ColumnWriter {
    pub(super) number: u32,
    name: String,
    kind: Kind,
    /// Its place among the parts of its parent.
    place: usize,
    present: Bits,
    has_null: bool,
    values: Values,
    /// Of the current row group.
    group: Statistics,
    /// Of the row groups that ended.
    pub(super) groups: Vec<Statistics>,
    /// Where row groups start: in `present`, and in the streams of values.
    starts: Vec<(Place, Vec<Place>)>,
    bloom: Option<Blooms>,
    pub(super) parts: Vec<ColumnWriter>,
}

/// Bloom filters of a column.
struct Blooms {
    empty: BloomFilter,
    current: BloomFilter,
    ended: Vec<BloomFilter>,
}

/// A column of a stripe that ended.
pub(super) struct Ended {
    pub(super) number: u32,
    pub(super) encoding: Encoding,
    pub(super) streams: Vec<(StreamKind, Vec<u8>)>,
    /// The positions of each row group.
    pub(super) positions: Vec<Vec<u64>>,
    pub(super) groups: Vec<Statistics>,
    pub(super) bloom_filters: Option<Vec<BloomFilter>>,
}

impl ColumnWriter {
    /// `bloom` says the filter of a column that has one, before it has values.
    pub(super) fn new(column: &Column, bloom: &dyn Fn(&Column) -> Option<BloomFilter>) -> Self {
        let (present, values) = (Bits::default(), Values::new(column.kind));
        let filter = |empty: BloomFilter| Blooms { current: empty.clone(), empty, ended: Vec::new() };
        Self {
            number: column.number,
            name: column.name.clone(),
            kind: column.kind,
            place: column.place,
            starts: vec![(present.end(), values.ends())],
            present,
            has_null: false,
            values,
            group: Statistics::new(column.kind.range()),
            groups: Vec::new(),
            bloom: bloom(column).map(filter),
            parts: column.parts.iter().map(|part| Self::new(part, bloom)).collect(),
        }
    }

    /// Adds values to the current row group.
    pub(super) fn append(&mut self, array: &ArrayRef) -> Result<()> {
        let name = self.name.clone();
        self.try_append(array).context("column", name)
    }

    fn try_append(&mut self, array: &ArrayRef) -> Result<()> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let Some(nulls) = nulls else {
            self.present.extend_set(array.len());
            return self.append_values(array);
        };
        self.present.extend(nulls.inner());
        (self.has_null, self.group.has_null) = (true, true);
        let mask = BooleanArray::new(nulls.inner().clone(), None);
        let kept =
            filter(array, &mask).map_err(|error| Error::internal("values without nulls").caused_by(error))?;
        self.append_values(&kept)
    }

    /// Adds values that are not null.
    fn append_values(&mut self, array: &ArrayRef) -> Result<()> {
        self.group.values += array.len() as u64;
        let bloom = self.bloom.as_mut().map(|bloom| &mut bloom.current);
        match self.kind {
            Kind::Struct => {
                let parent = array.as_struct_opt().ok_or_else(|| unexpected(array))?;
                for part in &mut self.parts {
                    let child = parent.columns().get(part.place).ok_or_else(|| unexpected(array))?;
                    part.append(child)?;
                }
                Ok(())
            }
            Kind::List => {
                let lists = array.as_list_opt::<i32>().ok_or_else(|| unexpected(array))?;
                self.values.add_lengths(lists.offsets(), &mut self.group);
                let (start, end) = ends(lists.offsets());
                for part in &mut self.parts {
                    part.append(&lists.values().slice(start, end - start))?;
                }
                Ok(())
            }
            Kind::Map => {
                let maps = array.as_map_opt().ok_or_else(|| unexpected(array))?;
                self.values.add_lengths(maps.offsets(), &mut self.group);
                let (start, end) = ends(maps.offsets());
                for part in &mut self.parts {
                    let child = maps.entries().columns().get(part.place).ok_or_else(|| unexpected(array))?;
                    part.append(&child.slice(start, end - start))?;
                }
                Ok(())
            }
            kind => self.values.add(kind, array, &mut self.group, bloom)?.ok_or_else(|| unexpected(array)),
        }
    }

    /// Ends the current row group.
    pub(super) fn end_group(&mut self) {
        self.present.end_runs();
        if let Some(places) = self.values.end_group() {
            // The streams were made anew, with other places for the row groups before.
            if let (Some((_, first)), Some(place)) = (self.starts.first_mut(), places.first()) {
                *first = place.iter().map(|place| Place { bytes: 0, ..*place }).collect();
            }
            for ((_, own), place) in self.starts.iter_mut().skip(1).zip(places) {
                *own = place;
            }
        }
        self.starts.push((self.present.end(), self.values.ends()));
        let fresh = Statistics::new(self.kind.range());
        self.groups.push(std::mem::replace(&mut self.group, fresh));
        if let Some(bloom) = &mut self.bloom {
            bloom.ended.push(std::mem::replace(&mut bloom.current, bloom.empty.clone()));
        }
        self.parts.iter_mut().for_each(Self::end_group);
    }

    /// Stores the blocks that are full.
    pub(super) fn pack(&mut self, compressor: &mut Compressor) -> Result<()> {
        self.present.output.pack(compressor)?;
        self.values.outputs(&mut |output| output.pack(compressor))?;
        self.parts.iter_mut().try_for_each(|part| part.pack(compressor))
    }

    /// Ends the column; the last row group must have ended. Adds it and its parts, in the order of their numbers.
    pub(super) fn finish(mut self, compressor: &mut Compressor, out: &mut Vec<Ended>) -> Result<()> {
        self.present.finish();
        let (mut finished, places) = self.values.finish()?;
        if let Some(places) = places {
            for ((_, own), place) in self.starts.iter_mut().skip(1).zip(places) {
                *own = vec![place];
            }
        }
        let is_plain = compressor.is_plain();
        let mut streams = Vec::new();
        self.present.output.finish(compressor)?;
        for (_, output) in &mut finished.streams {
            output.finish(compressor)?;
        }
        let positions = self.starts.iter().take(self.groups.len()).map(|(present, places)| {
            let mut numbers = Vec::new();
            if self.has_null {
                self.present.output.positions(*present, is_plain, &mut numbers);
            }
            for ((_, output), place) in finished.streams.iter().zip(places) {
                output.positions(*place, is_plain, &mut numbers);
            }
            numbers
        });
        let positions = positions.collect();
        if self.has_null {
            streams.push((StreamKind::Present, self.present.output.into_bytes()));
        }
        let stored = |(kind, output): (StreamKind, Output)| (kind, output.into_bytes());
        streams.extend(finished.streams.into_iter().map(stored));
        out.push(Ended {
            number: self.number,
            encoding: finished.encoding,
            streams,
            positions,
            groups: self.groups,
            bloom_filters: self.bloom.map(|bloom| bloom.ended),
        });
        self.parts.into_iter().try_for_each(|part| part.finish(compressor, out))
    }

    /// About how many bytes it will have.
    pub(super) fn size(&self) -> u64 {
        let bloom = self
            .bloom
            .as_ref()
            .map_or(0, |bloom| bloom.empty.to_bytes().1.len() as u64 * (bloom.ended.len() as u64 + 1));
        let parts: u64 = self.parts.iter().map(Self::size).sum();
        self.present.size() + self.values.size() + bloom + parts
    }
}

fn ends(offsets: &[i32]) -> (usize, usize) {
    let at = |offset: Option<&i32>| offset.map_or(0, |offset| *offset as usize);
    (at(offsets.first()), at(offsets.last()))
}

fn unexpected(array: &ArrayRef) -> Error {
    Error::internal(format!("an ORC column of another type came as an array of {}", array.data_type()))
}
