//! How do a table's properties configure a Parquet file?
//!
//! In: properties. Out: the options of the Parquet library, and the size of row groups.
//! Spec: Appendix A, Parquet; Iceberg's documentation, Write properties.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use floeberg_files::WriteProperties;
use floeberg_io::FileKey;
use floeberg_properties::{
    PARQUET_BLOOM_ADAPTIVE, PARQUET_BLOOM_MOST_BYTES, PARQUET_BLOOM_OF_COLUMN, PARQUET_BLOOM_SHARE_OF_COLUMN,
    PARQUET_BLOOM_VALUES_OF_COLUMN, PARQUET_CODEC, PARQUET_DICTIONARY_OF_COLUMN, PARQUET_DICTIONARY_SIZE,
    PARQUET_LEVEL, PARQUET_PAGE_ROWS, PARQUET_PAGE_SIZE, PARQUET_PAGE_VERSION, PARQUET_RAW_SIZE,
    PARQUET_ROW_GROUP_LIMIT, PARQUET_ROW_GROUP_SIZE, PARQUET_ROWS_BEFORE_CHECK, PARQUET_ROWS_BETWEEN_CHECKS,
    PARQUET_STATISTICS_OF_COLUMN, Whole, parsed, unexpected, whole,
};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::encryption::encrypt::FileEncryptionProperties;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use crate::read::check_length;

/// The default zstandard level of Iceberg Java.
const ZSTD_LEVEL: i32 = 3;
/// The fastest level with the same kinds of codes.
const FAST_ZSTD_LEVEL: i32 = 1;
const LEVEL: &str = PARQUET_LEVEL;

/// How a file is laid out.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The options of the library.
    pub properties: Arc<WriterProperties>,
    /// Encoded bytes at which a row group ends.
    pub row_group_size: u64,
    /// The fewest rows of a row group, unless the file ends or memory runs out.
    pub row_group_rows: u64,
    /// The most rows of a row group, if a property sets it.
    pub row_group_limit: Option<u64>,
    /// The most rows between two checks of the row group size, if a property sets it.
    pub rows_between_checks: Option<u64>,
    /// Is the size of a row group measured by its rows in memory, and not by its encoded bytes?
    pub are_groups_of_raw_size: bool,
    /// May columns have a faster level? No property sets one, and the codec is zstandard.
    pub may_be_faster: bool,
    /// Columns whose dictionaries a property switches on or off.
    chosen: HashSet<ColumnPath>,
    /// Columns with bloom filters.
    with_bloom_filters: Vec<ColumnPath>,
}

impl Options {
    /// The options of properties, for the columns of a schema.
    ///
    /// `statistics_length` is how many bytes of a string the statistics of a row group keep; `None` keeps all.
    /// Errors: `InvalidInput` for an invalid property, `Unsupported` for a codec.
    pub fn new(
        properties: &WriteProperties,
        schema: &Schema,
        columns: &SchemaDescriptor,
        statistics_length: Option<usize>,
        metadata: Vec<KeyValue>,
    ) -> Result<Self> {
        let set = properties.as_map();
        let size = |property: Whole| Ok::<_, Error>(property.of(set)? as usize);
        let mut options = WriterProperties::builder()
            .set_created_by(concat!("floeberg ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata))
            .set_writer_version(version(properties)?)
            .set_compression(compression(properties)?)
            .set_data_page_size_limit(size(PARQUET_PAGE_SIZE)?)
            .set_data_page_row_count_limit(size(PARQUET_PAGE_ROWS)?)
            .set_dictionary_page_size_limit(size(PARQUET_DICTIONARY_SIZE)?)
            .set_max_row_group_row_count(None)
            .set_statistics_truncate_length(statistics_length);
        let paths = |column: &str| paths_of(schema, columns, column);
        let mut chosen = HashSet::new();
        for (column, _) in properties.of_columns(PARQUET_DICTIONARY_OF_COLUMN.name) {
            let enabled = PARQUET_DICTIONARY_OF_COLUMN.of_column(set, column)?;
            for path in paths(column) {
                chosen.insert(path.clone());
                options = options.set_column_dictionary_enabled(path, enabled);
            }
        }
        for (column, _) in properties.of_columns(PARQUET_STATISTICS_OF_COLUMN.name) {
            let enabled = PARQUET_STATISTICS_OF_COLUMN.of_column(set, column)?;
            let statistics = if enabled { EnabledStatistics::Page } else { EnabledStatistics::None };
            for path in paths(column) {
                options = options.set_column_statistics_enabled(path, statistics);
            }
        }
        // Either way, the library shrinks each filter to the values that it got.
        PARQUET_BLOOM_ADAPTIVE.of(set)?;
        let mut with_bloom_filters = Vec::new();
        for (column, _) in properties.of_columns(PARQUET_BLOOM_OF_COLUMN.name) {
            if PARQUET_BLOOM_OF_COLUMN.of_column(set, column)? {
                let (values, wrong_share) = bloom_filter(properties, column)?;
                for path in paths(column) {
                    with_bloom_filters.push(path.clone());
                    options = options
                        .set_column_bloom_filter_enabled(path.clone(), true)
                        .set_column_bloom_filter_fpp(path.clone(), wrong_share)
                        .set_column_bloom_filter_max_ndv(path, values);
                }
            }
        }
        let row_group_rows = row_group_rows(properties)?;
        let is_zstd = matches!(compression(properties)?, Compression::ZSTD(_));
        Ok(Self {
            may_be_faster: is_zstd && !set.contains_key(LEVEL),
            properties: Arc::new(options.build()),
            row_group_size: PARQUET_ROW_GROUP_SIZE.of(set)?,
            row_group_rows,
            row_group_limit: row_group_limit(properties)?,
            rows_between_checks: rows_between_checks(properties, row_group_rows)?,
            are_groups_of_raw_size: PARQUET_RAW_SIZE.of(set)?,
            chosen,
            with_bloom_filters,
        })
    }

    /// The same, for row groups whose rows are sorted by these columns.
    pub fn sorted_by(&self, columns: Option<Vec<SortingColumn>>) -> Self {
        let options = self.properties.as_ref().clone().into_builder().set_sorting_columns(columns);
        Self { properties: Arc::new(options.build()), ..self.clone() }
    }

    /// The same, without dictionaries for columns that no property names.
    pub fn without_dictionaries(&self, columns: impl Iterator<Item = ColumnPath>) -> Self {
        let columns = columns.filter(|column| !self.chosen.contains(column));
        let options = self.properties.as_ref().clone().into_builder();
        let options =
            columns.fold(options, |options, column| options.set_column_dictionary_enabled(column, false));
        Self { properties: Arc::new(options.build()), ..self.clone() }
    }

    /// The options of the library for a file with a key: all its parts are encrypted by it.
    ///
    /// The library writes bloom filters as they are, so there are none.
    pub fn encrypted_by(&self, key: &FileKey) -> Result<Arc<WriterProperties>> {
        check_length(key)?;
        let encryption = FileEncryptionProperties::builder(key.key().to_vec())
            .with_aad_prefix(key.aad_prefix().to_vec())
            .with_aad_prefix_storage(false)
            .build()
            .map_err(|failure| Error::internal("the key of a Parquet file").caused_by(failure))?;
        let mut options = self.properties.as_ref().clone().into_builder().set_bloom_filter_enabled(false);
        for path in &self.with_bloom_filters {
            options = options.set_column_bloom_filter_enabled(path.clone(), false);
        }
        Ok(Arc::new(options.with_file_encryption_properties(encryption).build()))
    }

    /// The options of the library, with the faster level.
    pub fn fast(&self) -> Arc<WriterProperties> {
        Arc::new(self.properties.as_ref().clone().into_builder().set_compression(fast_compression()).build())
    }

    /// The same, with the faster level for these columns.
    pub fn with_fast(&self, columns: impl IntoIterator<Item = ColumnPath>) -> Self {
        let options = self.properties.as_ref().clone().into_builder();
        let options = columns
            .into_iter()
            .fold(options, |options, column| options.set_column_compression(column, fast_compression()));
        Self { properties: Arc::new(options.build()), ..self.clone() }
    }
}

/// Checks properties that depend on each other: codec and level, fewest and most rows between checks; and the version.
///
/// Errors: `InvalidInput`, naming the property.
pub fn check_properties(properties: &BTreeMap<String, String>) -> Result<()> {
    let properties = WriteProperties::of_map(properties.clone());
    rows_between_checks(&properties, row_group_rows(&properties)?)?;
    row_group_limit(&properties)?;
    version(&properties)?;
    compression(&properties).map(drop)
}

fn row_group_rows(properties: &WriteProperties) -> Result<u64> {
    PARQUET_ROWS_BEFORE_CHECK.of(properties.as_map())
}

fn row_group_limit(properties: &WriteProperties) -> Result<Option<u64>> {
    const NAME: &str = PARQUET_ROW_GROUP_LIMIT;
    let expected = "a whole number of rows, from 1 on";
    match parsed(properties.as_map(), NAME, expected)? {
        Some(0_u64) => Err(unexpected(NAME, 0, expected)),
        rows => Ok(rows),
    }
}

fn rows_between_checks(properties: &WriteProperties, fewest: u64) -> Result<Option<u64>> {
    const NAME: &str = PARQUET_ROWS_BETWEEN_CHECKS;
    let expected = "a whole number that is not below row-group-check-min-record-count";
    match parsed(properties.as_map(), NAME, expected)? {
        Some(rows) if rows < fewest => Err(unexpected(NAME, rows, expected)),
        rows => Ok(rows),
    }
}

/// The leaves of a column; empty if the schema does not have the column.
fn paths_of(schema: &Schema, columns: &SchemaDescriptor, column: &str) -> Vec<ColumnPath> {
    let Ok(id) = schema.find(column, true) else { return Vec::new() };
    let leaves = columns.columns().iter().filter(|leaf| {
        let info = leaf.self_type().get_basic_info();
        info.has_id() && info.id() == id
    });
    leaves.map(|leaf| leaf.path().clone()).collect()
}

fn version(properties: &WriteProperties) -> Result<WriterVersion> {
    Ok(match PARQUET_PAGE_VERSION.of(properties.as_map())? {
        "v2" => WriterVersion::PARQUET_2_0,
        _ => WriterVersion::PARQUET_1_0,
    })
}

fn compression(properties: &WriteProperties) -> Result<Compression> {
    let level = parsed::<i32>(properties.as_map(), LEVEL, "a whole number")?;
    let beyond = |error: parquet::errors::ParquetError| {
        unexpected(LEVEL, level.unwrap_or_default(), "a level that the codec has").caused_by(error)
    };
    let unsigned = level.map(|level| {
        u32::try_from(level).map_err(|_| unexpected(LEVEL, level, "a level that the codec has"))
    });
    let unsigned = unsigned.transpose()?;
    Ok(match PARQUET_CODEC.of(properties.as_map())? {
        "gzip" => {
            Compression::GZIP(unsigned.map_or(Ok(GzipLevel::default()), GzipLevel::try_new).map_err(beyond)?)
        }
        "brotli" => Compression::BROTLI(
            unsigned.map_or(Ok(BrotliLevel::default()), BrotliLevel::try_new).map_err(beyond)?,
        ),
        "snappy" => Compression::SNAPPY,
        "lz4" | "lz4_raw" => Compression::LZ4_RAW,
        "uncompressed" | "none" => Compression::UNCOMPRESSED,
        _ => Compression::ZSTD(ZstdLevel::try_new(level.unwrap_or(ZSTD_LEVEL)).map_err(beyond)?),
    })
}

fn fast_compression() -> Compression {
    Compression::ZSTD(ZstdLevel::try_new(FAST_ZSTD_LEVEL).unwrap_or_default())
}

/// How many distinct values a bloom filter has room for, and its share of false positives.
fn bloom_filter(properties: &WriteProperties, column: &str) -> Result<(u64, f64)> {
    let set = properties.as_map();
    let wrong_share = PARQUET_BLOOM_SHARE_OF_COLUMN.of_column(set, column)?;
    let most_bytes = PARQUET_BLOOM_MOST_BYTES.of(set)?;
    // The formula for the size of a split block bloom filter, solved for the number of values.
    let room = (most_bytes as f64 * -(1.0 - wrong_share.powf(1.0 / 8.0)).ln()).max(1.0) as u64;
    let name = format!("{PARQUET_BLOOM_VALUES_OF_COLUMN}{column}");
    Ok((whole(set, &name, 1)?.unwrap_or(room).min(room), wrong_share))
}
