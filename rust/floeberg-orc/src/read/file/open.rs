//! An ORC file whose footer was read: its columns and stripes.
//!
//! Invariant: stripes lie within the file, and have no more rows than their bytes allow.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_schema::Fields;
use bytes::Bytes;
use floeberg_core::expr::ColumnStats;
use floeberg_core::schema::Type;
use floeberg_core::{Context, Error, Result};
use floeberg_io::Source;
use floeberg_protobuf::parse;

use super::StripeReader;
use super::index::Starts;
use super::stripe::rows_that_fit;
use super::tail::{MOST_FOOTER, StatisticsPlace, read_tail};
use crate::read::column::{Streams, numbers_of, reader_of};
use crate::read::schema::{Column, columns, fields_of, leaf_column};
use crate::read::statistics::column_stats;
use crate::read::stream::Blocks;
use crate::wire::{Compression, FileMetadata, Postscript, StripeFooter, StripeLocation, UserMetadata};

/// At most this many rows are stored in one byte: a run of bytes that are bits.
const ROWS_PER_BYTE: u64 = 130 * 8 / 2;

/// The bytes of the longest run of integers.
const LONGEST_RUN: u64 = 2 + 8 * 512;

/// At most this many rows in a stripe without columns.
const MOST_BARE_ROWS: u64 = 1 << 36;

/// An ORC file whose footer was read.
#[derive(Debug, Clone)]
pub struct OrcFile {
    pub(super) source: Arc<dyn Source>,
    pub(super) postscript: Postscript,
    pub(super) row: Arc<Column>,
    fields: Fields,
    pub(super) stripes: Vec<Stripe>,
    user_metadata: Vec<UserMetadata>,
    /// The rows of a row group; zero without row groups.
    pub(super) row_group: u32,
    /// Where the statistics of stripes are.
    statistics_place: StatisticsPlace,
    /// The statistics, once they were read; `None` if they are damaged.
    statistics: OnceLock<Option<Arc<FileMetadata>>>,
}

/// A stripe: a part of a file that is read on its own.
#[derive(Debug, Clone)]
pub struct Stripe {
    /// Its rows, as positions in the file.
    pub rows: Range<u64>,
    /// Where it starts in the file.
    pub offset: u64,
    pub(super) place: StripeLocation,
}

impl OrcFile {
    /// Reads the footer of a file.
    ///
    /// Errors, which name the file: `InvalidData` for a damaged file, `Unsupported` for what ORC allows and this
    /// version does not read.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let location = source.location().to_owned();
        Self::try_open(source).context("path", location)
    }

    fn try_open(source: Arc<dyn Source>) -> Result<Self> {
        let (postscript, footer, statistics_place) = read_tail(source.as_ref())?;
        let size = source.size()?;
        let row = columns(&footer.types)?;
        let mut stripes = Vec::with_capacity(footer.stripes.len());
        let mut start = 0;
        for place in footer.stripes {
            check_place(&place, size)?;
            check_rows(&place, &postscript, footer.types.len() > 1)?;
            let rows = start..start + place.rows;
            start = rows.end;
            stripes.push(Stripe { rows, offset: place.offset, place });
        }
        let fields = fields_of(&row);
        Ok(Self {
            source,
            postscript,
            row: Arc::new(row),
            fields,
            stripes,
            user_metadata: footer.user_metadata,
            row_group: footer.row_group,
            statistics_place,
            statistics: OnceLock::new(),
        })
    }

    /// An entry that the writer added to the footer, if it is text.
    pub fn user_metadata(&self, key: &str) -> Option<&str> {
        let found = self.user_metadata.iter().find(|entry| entry.name == key.as_bytes())?;
        str::from_utf8(&found.value).ok()
    }

    /// Its columns, in the Arrow types that they are read as. The field ids of the file are in the metadata of the
    /// fields, as in Iceberg's Arrow form. All columns are nullable. A column that cannot be read has Arrow's null
    /// type.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Its stripes, in the file's order.
    pub fn stripes(&self) -> &[Stripe] {
        &self.stripes
    }

    /// Where it is.
    pub fn location(&self) -> &str {
        self.source.location()
    }

    /// Its size in bytes. Errors: those of the store.
    pub fn size(&self) -> Result<u64> {
        self.source.size()
    }

    /// What is known of a leaf in a stripe, in the type of the table. Errors: those of the store.
    pub fn stripe_stats(&self, stripe: usize, leaf: usize, field_type: &Type) -> Result<ColumnStats> {
        let metadata = self.load_statistics()?;
        let known = || {
            let column = leaf_column(&self.row, leaf)?;
            let statistics = metadata.as_ref()?.stripes.get(stripe)?.columns.get(column.number as usize)?;
            let rows = self.stripes.get(stripe)?.place.rows;
            Some(column_stats(statistics, rows, column, field_type))
        };
        Ok(known().unwrap_or_default())
    }

    /// Statistics are optional: damaged ones are none.
    fn load_statistics(&self) -> Result<Option<Arc<FileMetadata>>> {
        if let Some(known) = self.statistics.get() {
            return Ok(known.clone());
        }
        let StatisticsPlace { range, bytes } = &self.statistics_place;
        let Postscript { compression, block_size, .. } = self.postscript;
        let stored = match bytes {
            Some(bytes) => bytes.clone(),
            None if range.end - range.start > MOST_FOOTER as u64 => Bytes::new(),
            None => self.source.read(range.clone()).context("path", self.location())?,
        };
        let read = || {
            let bytes =
                Blocks::new(stored, compression, block_size).read_all(MOST_FOOTER, "the statistics")?;
            parse::<FileMetadata>(&bytes)
        };
        let is_sound =
            |read: &FileMetadata| self.has_sound_statistics() && read.stripes.len() == self.stripes.len();
        let read = read().ok().filter(is_sound).map(Arc::new);
        Ok(self.statistics.get_or_init(|| read).clone())
    }

    /// The oldest writers made wrong statistics.
    pub(super) fn has_sound_statistics(&self) -> bool {
        self.postscript.writer_version > 0
    }

    /// The rows of a stripe, with only the columns and nested fields that have a wanted leaf. Leaves are the
    /// columns without parts (structs of nothing too), numbered in the order of [`Self::fields`]. A batch has `batch_rows` rows at most, and
    /// fewer where they are large.
    pub fn read(&self, stripe: usize, leaves: &BTreeSet<usize>, batch_rows: usize) -> Result<StripeReader> {
        self.try_read(stripe, leaves, batch_rows).context("path", self.location())
    }

    fn try_read(&self, stripe: usize, leaves: &BTreeSet<usize>, batch_rows: usize) -> Result<StripeReader> {
        let Some(stripe) = self.stripes.get(stripe) else {
            return Err(Error::internal(format!("the ORC file has no stripe {stripe}")));
        };
        let rows = stripe.place.rows;
        let location = self.location().to_owned();
        if leaves.is_empty() || rows == 0 {
            return Ok(StripeReader::new(location, None, rows, batch_rows));
        }
        let streams = self.streams(&stripe.place, leaves)?;
        let stored = streams.bytes.values().map(|bytes| bytes.len() as u64).sum();
        let reader = reader_of(&self.row, leaves, &streams)?;
        Ok(StripeReader::new(location, reader, rows, batch_rows.min(rows_that_fit(stored, rows))))
    }

    /// The streams of a stripe that some leaves need.
    fn streams(&self, place: &StripeLocation, leaves: &BTreeSet<usize>) -> Result<Streams> {
        self.streams_of(place, self.stripe_footer(place)?, leaves, Starts::new(), None)
    }

    /// The footer of a stripe.
    pub(super) fn stripe_footer(&self, place: &StripeLocation) -> Result<StripeFooter> {
        let Postscript { compression, block_size, .. } = self.postscript;
        let range = place.footer().unwrap_or_default();
        let blocks = Blocks::new(self.source.read(range)?, compression, block_size);
        StripeFooter::parse(&blocks.read_all(MOST_FOOTER, "the footer of a stripe")?)
    }

    /// The streams that some leaves need, from their starts up to the starts of other row groups.
    pub(super) fn streams_of(
        &self,
        place: &StripeLocation,
        footer: StripeFooter,
        leaves: &BTreeSet<usize>,
        starts: Starts,
        ends: Option<&Starts>,
    ) -> Result<Streams> {
        let Postscript { compression, block_size, .. } = self.postscript;
        let data_end = place.footer().unwrap_or_default().start;
        let more = match compression {
            Compression::None => LONGEST_RUN,
            _ => 2 * (block_size as u64 + 3),
        };
        let mut columns = BTreeSet::new();
        numbers_of(&self.row, leaves, &mut columns);
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        let mut start = place.offset;
        for stream in &footer.streams {
            let end = start.checked_add(stream.length).filter(|end| *end <= data_end);
            let end = end.ok_or_else(|| {
                Error::invalid_data("the streams of a stripe are longer than the ORC file says")
            })?;
            if let Some(kind) = stream.kind().filter(|_| columns.contains(&stream.column)) {
                let key = (stream.column, kind);
                let at = |starts: &Starts| starts.get(&key).map(|found| start.saturating_add(found.stored));
                let first = at(&starts).unwrap_or(start).min(end);
                // The last run may go on in the next block.
                let last = ends.and_then(at).map_or(end, |last| last.saturating_add(more).min(end));
                keys.push(key);
                ranges.push(first..last.max(first));
            }
            start = end;
        }
        let stored = self.source.read_ranges(&ranges)?;
        let found = keys.len();
        let bytes: HashMap<_, _> = keys.into_iter().zip(stored).collect();
        if bytes.len() < found {
            return Err(Error::invalid_data(
                "a stripe of the ORC file has two streams of one kind in a column",
            ));
        }
        let StripeFooter { encodings, writer_zone, .. } = footer;
        Ok(Streams { bytes, compression, block_size, encodings, writer_zone, starts })
    }
}

fn check_place(place: &StripeLocation, size: u64) -> Result<()> {
    match place.footer() {
        Some(footer) if footer.end <= size && place.footer_length <= MOST_FOOTER as u64 => Ok(()),
        _ => Err(Error::invalid_data(format!(
            "a stripe is outside the ORC file of {size} bytes: it starts at {}, with {} bytes of index, {} \
             of data and {} of footer",
            place.offset, place.index_length, place.data_length, place.footer_length
        ))),
    }
}

/// Refuses rows that no bytes could tell of: who reads no column would count them one by one.
fn check_rows(place: &StripeLocation, postscript: &Postscript, has_columns: bool) -> Result<()> {
    let grows = match postscript.compression {
        Compression::None => 1,
        _ => postscript.block_size as u64,
    };
    let most = if has_columns {
        place.data_length.saturating_mul(ROWS_PER_BYTE).saturating_mul(grows)
    } else {
        MOST_BARE_ROWS
    };
    if place.rows > most {
        let (rows, bytes) = (place.rows, place.data_length);
        return Err(Error::invalid_data(format!(
            "a stripe of the ORC file claims {rows} rows in {bytes} bytes"
        )));
    }
    Ok(())
}
