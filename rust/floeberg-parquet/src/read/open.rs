//! A Parquet file, open: its metadata, its columns, its bytes.
//!
//! Invariant: types come from the Parquet schema, never from an Arrow schema that a writer embedded.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};
use bytes::Bytes;
use floeberg_core::schema::NameMapping;
use floeberg_core::{Error, Result};
use floeberg_files::FileFields;
use floeberg_io::Source;
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Type as Physical;
use parquet::file::metadata::{
    ColumnChunkMask, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataPushDecoder,
};
use parquet::schema::types::ColumnDescPtr;

use super::footer::{Tail, read_footer};
use super::{fence, page_index};

/// A Parquet file whose footer was read.
#[derive(Debug, Clone)]
pub struct ParquetFile {
    /// Its bytes.
    pub(crate) source: Arc<dyn Source>,
    /// Its metadata, and its columns for the library.
    pub(crate) reader: ArrowReaderMetadata,
    /// Its columns.
    pub(crate) fields: FileFields,
    /// Its end.
    tail: Tail,
    /// Does it have a key?
    pub(super) is_encrypted: bool,
}

impl ParquetFile {
    /// Reads the footer of an open file.
    pub fn of_source(source: Arc<dyn Source>, mapping: Option<&NameMapping>) -> Result<Self> {
        Self::with_options(source, mapping, &ParquetMetaDataOptions::new())
    }

    /// The same, with the numbers of pages of each encoding, which no reader here needs.
    pub(crate) fn to_be_copied(source: Arc<dyn Source>) -> Result<Self> {
        // Without field ids, a file names its columns otherwise.
        Self::with_options(source, None, &ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false))
    }

    fn with_options(
        source: Arc<dyn Source>,
        mapping: Option<&NameMapping>,
        options: &ParquetMetaDataOptions,
    ) -> Result<Self> {
        let (source, key) = match source.native() {
            Some((source, key)) => (source, Some(key)),
            None => (source, None),
        };
        let (metadata, tail) = read_footer(source.as_ref(), options, key.as_ref())?;
        let location = source.location();
        let reader = fence(location, || {
            let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let inferred = ArrowReaderMetadata::try_new(Arc::clone(&metadata), plain)?;
            match with_micros(inferred.schema(), &metadata) {
                Some(schema) => {
                    let supplied = ArrowReaderOptions::new().with_schema(Arc::new(schema));
                    ArrowReaderMetadata::try_new(metadata, supplied)
                }
                None => Ok(inferred),
            }
        })?;
        let fields = FileFields::new(reader.schema().fields(), mapping)
            .with_shredding()
            .with_undecided_zones(int96_leaves(reader.metadata()));
        let columns = reader.parquet_schema().num_columns();
        if fields.leaves() != columns {
            return Err(Error::unsupported(format!(
                "the Parquet file has {columns} columns of which {} can be read",
                fields.leaves()
            ))
            .with("path", location));
        }
        Ok(Self { source, reader, fields, tail, is_encrypted: key.is_some() })
    }

    /// The file with the page index of some columns in some row groups, if it has one. The index is optional: a damaged one is
    /// left out.
    pub(crate) fn with_page_index(&self, groups: &[usize], tested: &[usize], read: &[usize]) -> Result<Self> {
        let location = self.location();
        let metadata = ParquetMetaData::clone(self.metadata());
        let size = self.source.size()?;
        let made = fence(location, || {
            let policy = PageIndexPolicy::Optional;
            let numbers = || groups.iter().copied();
            Ok(ParquetMetaDataPushDecoder::try_new_with_metadata(size, metadata)?
                .with_page_index_policy(policy)
                .with_column_index_mask(ColumnChunkMask::row_groups_and_columns(
                    numbers(),
                    tested.iter().copied(),
                ))
                .with_offset_index_mask(ColumnChunkMask::row_groups_and_columns(
                    numbers(),
                    read.iter().copied(),
                )))
        });
        let Ok(mut decoder) = made else { return Ok(self.clone()) };
        loop {
            match fence(location, || decoder.try_decode()) {
                Ok(DecodeResult::NeedsData(ranges)) if ranges.iter().all(|range| range.end <= size) => {
                    let start = ranges.iter().map(|range| range.start).min().unwrap_or(size);
                    self.source.needed_end(size - start);
                    let data =
                        self.tail.read(&ranges).map_or_else(|| self.source.read_ranges(&ranges), Ok)?;
                    if fence(location, || decoder.push_ranges(ranges, data)).is_err() {
                        return Ok(self.clone());
                    }
                }
                Ok(DecodeResult::Data(metadata)) => {
                    let metadata = page_index::trusted(metadata, groups, read);
                    let options = ArrowReaderOptions::new().with_schema(Arc::clone(self.reader.schema()));
                    let reader =
                        fence(location, || ArrowReaderMetadata::try_new(Arc::new(metadata), options));
                    return Ok(Self {
                        reader: reader.unwrap_or_else(|_| self.reader.clone()),
                        ..self.clone()
                    });
                }
                Ok(DecodeResult::NeedsData(_) | DecodeResult::Finished) | Err(_) => return Ok(self.clone()),
            }
        }
    }

    /// Where it is.
    pub(crate) fn location(&self) -> &str {
        self.source.location()
    }

    /// Bytes of the file, from the tail if they lie there.
    pub(super) fn near_end(&self, range: Range<u64>) -> Result<Bytes> {
        match self.tail.read(std::slice::from_ref(&range)).and_then(|mut read| read.pop()) {
            Some(bytes) => Ok(bytes),
            None => self.source.read(range),
        }
    }

    /// Its footer.
    pub(crate) fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// The rows of each row group, as positions in the file.
    pub(crate) fn row_ranges(&self) -> Vec<Range<u64>> {
        let mut start = 0;
        let groups = self.metadata().row_groups().iter();
        groups
            .map(|group| {
                let range = start..start + group.num_rows() as u64;
                start = range.end;
                range
            })
            .collect()
    }
}

/// The schema with INT96 timestamps in microseconds, if it has any: in nanoseconds, which the library takes,
/// they reach from 1677 to 2262 only.
fn with_micros(schema: &Schema, metadata: &ParquetMetaData) -> Option<Schema> {
    let int96 = int96_leaves(metadata);
    if int96.is_empty() {
        return None;
    }
    let columns = 0..metadata.file_metadata().schema_descr().num_columns();
    let mut leaves = columns.map(|column| int96.contains(&column));
    let fields: Fields = schema.fields().iter().map(|field| micros_field(field, &mut leaves)).collect();
    Some(Schema::new(fields))
}

/// The columns of INT96.
fn int96_leaves(metadata: &ParquetMetaData) -> BTreeSet<usize> {
    let columns = metadata.file_metadata().schema_descr().columns().iter();
    let is_int96 = |column: &ColumnDescPtr| column.physical_type() == Physical::INT96;
    (0..).zip(columns).filter(|(_, column)| is_int96(column)).map(|(number, _)| number).collect()
}

fn micros_field(field: &FieldRef, is_int96: &mut dyn Iterator<Item = bool>) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|child| micros_field(child, is_int96)).collect())
        }
        DataType::List(element) => DataType::List(micros_field(element, is_int96)),
        DataType::Map(entries, sorted) => DataType::Map(micros_field(entries, is_int96), *sorted),
        other => match is_int96.next() {
            Some(true) => DataType::Timestamp(TimeUnit::Microsecond, None),
            _ => other.clone(),
        },
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
