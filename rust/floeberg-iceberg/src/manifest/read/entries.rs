//! Which files does a manifest list?
//!
//! In: the bytes of a manifest, its row of the manifest list, the partition type of its spec and the request.
//! Out: [`ManifestEntries`], inheritance applied.
//! Spec: Manifests; Manifest Entry Fields; Data File Fields.
//!
//! Invariant: unwanted statistics are skipped, and entries of status DELETED are left out unless they are wanted.

use std::collections::BTreeMap;

use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, MapArray, StringArray, StructArray};
use arrow_buffer::Buffer;
use arrow_select::filter::filter;
use floeberg_avro::{
    AvroSchema, BlockRange, Container, FixedForm, Limits, ParsedSchemas, Projection, StoredFields,
    decode_blocks,
};
use floeberg_core::schema::{PrimitiveType, StructType, Type};
use floeberg_core::{Context, Error, ErrorKind, Result};

use super::columns::column;
use super::fields::{DATA_FILE, METRICS, MetricsMap, STATISTICS, STORED, STORED_NAME, entry_fields};
use super::header::content;
use super::inherit::{
    AssignedRowIds, data_sequence_numbers, file_sequence_numbers, first_row_id, first_row_ids, snapshot_ids,
};
use super::partition::{as_written, check_partition, void_fields, with_void};
use super::unknown::unknown_entries;
use crate::manifest::carried_fields::carried_schema;
use crate::manifest::{
    DELETED, EntryDetails, EntryMetrics, EntryRequest, EntryStatistics, ManifestContent, ManifestEntries,
    ManifestFile, MetricsForm,
};

/// Decodes the entries of a manifest. Errors name its path.
///
/// `partition_type` is that of its spec: fields by partition field id. `file` is its row of the manifest list, which
/// entries inherit from.
pub fn parse_manifest(
    bytes: &[u8],
    file: &ManifestFile,
    partition_type: &StructType,
    request: &EntryRequest,
) -> Result<ManifestEntries> {
    parse_manifest_with(&ParsedSchemas::default(), bytes, file, partition_type, request)
}

/// The same, beside other manifests with the same schemas.
pub(crate) fn parse_manifest_with(
    schemas: &ParsedSchemas,
    bytes: &[u8],
    file: &ManifestFile,
    partition_type: &StructType,
    request: &EntryRequest,
) -> Result<ManifestEntries> {
    let parsed =
        parse(schemas, bytes, None, file, partition_type, request).context("path", &file.manifest_path)?;
    Ok(parsed.entries)
}

/// The entries of a manifest as they are stored, with all their metrics: nothing is inherited, and no value is checked.
///
/// The struct has the fields that this version knows, by their names in the specification, and null for those that the manifest
/// lacks. Errors: those of [`parse_manifest`], of decoding it.
pub fn stored_entries(bytes: &[u8], partition_type: &StructType) -> Result<StructArray> {
    let container = Container::open(bytes, &Limits::default())?;
    let void = void_fields(&container);
    let asked = Asked { maps: &METRICS, columns: &[], details: true, stored: None, rows: 0 };
    let (rows, _) = decode_rows(&container, &container.schema()?, None, partition_type, &void, asked)?;
    Ok(rows)
}

/// Entries of a block range of a manifest.
#[derive(Debug, Clone)]
pub struct BlockEntries {
    /// The entries. If they inherit their `first_row_id` from the manifest, it is counted from 0 on, except in the
    /// first block range.
    pub entries: ManifestEntries,
    /// The row ids that entries inherited from the manifest.
    pub row_ids: AssignedRowIds,
    /// Bytes of the block range after decompression.
    pub inflated: u64,
}

impl BlockEntries {
    /// About how many bytes they take.
    pub fn memory(&self) -> u64 {
        let taken = self.row_ids.entries.as_ref().map_or(0, |entries| entries.inner().capacity());
        self.entries.memory() + taken as u64
    }
}

/// Splits a manifest into block ranges of about equal size, of at most about this many stored bytes. Errors name its
/// path.
pub fn cut_manifest(bytes: &[u8], file: &ManifestFile, most_bytes: usize) -> Result<Vec<BlockRange>> {
    let cut = || Container::open(bytes, &Limits::default())?.block_ranges(most_bytes);
    cut().context("path", &file.manifest_path)
}

/// Decodes the entries of a block range of a manifest, as [`parse_manifest`] does all.
pub(crate) fn parse_block_range(
    schemas: &ParsedSchemas,
    bytes: &[u8],
    range: &BlockRange,
    file: &ManifestFile,
    partition_type: &StructType,
    request: &EntryRequest,
) -> Result<BlockEntries> {
    let parsed = parse(schemas, bytes, Some(range), file, partition_type, request);
    let first = range.first_row;
    let parsed = if first == 0 { parsed } else { parsed.context("counted from entry", first) };
    parsed.context("path", &file.manifest_path)
}

fn parse(
    schemas: &ParsedSchemas,
    bytes: &[u8],
    range: Option<&BlockRange>,
    file: &ManifestFile,
    partition_type: &StructType,
    request: &EntryRequest,
) -> Result<BlockEntries> {
    let container = Container::open(bytes, &Limits::default())?;
    if let Some(content) = content(&container)?
        && content != file.content
    {
        return Err(Error::invalid_data(format!(
            "the manifest has the content {content:?}, but its manifest list says {:?}",
            file.content
        )));
    }
    let mut columns = request.statistics_of.clone();
    columns.sort_unstable();
    columns.dedup();
    let maps: &[MetricsMap] = match (request.with_metrics, columns.is_empty()) {
        (true, true) => &METRICS,
        (true, false) => return Err(Error::internal("metrics were requested both as maps and by column")),
        (false, true) => &[],
        (false, false) => &STATISTICS,
    };
    let void = if partition_type.fields.is_empty() { Vec::new() } else { void_fields(&container) };
    let schema = schemas.of(&container)?;
    let rows = range.map_or_else(|| claimed_entries(file), |range| range.rows);
    let asked = Asked { maps, columns: &columns, details: !request.without_details, stored: None, rows };
    let decode = |asked| decode_rows(&container, &schema, range, partition_type, &void, asked);
    let wants_stored = request.with_metrics && request.metrics_form == MetricsForm::Stored;
    let stored = if wants_stored { carried_like(&schema)? } else { None };
    let decoded = stored.as_ref().map(|like| decode(Asked { maps: &[], stored: Some(like), ..asked }));
    let (rows, inflated) = match decoded {
        // Maps are several columns, each with a limit of its own.
        Some(Err(error)) if error.kind() == ErrorKind::LimitExceeded => decode(asked)?,
        Some(decoded) => decoded?,
        None => decode(asked)?,
    };
    let first_id = first_row_id(file);
    let is_later = range.is_some_and(|range| range.first_row > 0);
    let first_id = if is_later { first_id.map(|_| 0) } else { first_id };
    let unknown = match range {
        None if request.with_metrics => unknown_entries(&container, &schema, &rows, request)?,
        _ => None,
    };
    let rows = wanted_rows(rows, request)?;
    let (entries, row_ids) = build(&rows, file, first_id, request, &columns)?;
    let partition = with_void(entries.partition, partition_type, &void)?;
    Ok(BlockEntries { entries: ManifestEntries { partition, unknown, ..entries }, row_ids, inflated })
}

/// The optional fields that are decoded.
#[derive(Clone, Copy)]
struct Asked<'a> {
    maps: &'a [MetricsMap],
    /// The wanted keys of these maps; an empty list is all.
    columns: &'a [i32],
    details: bool,
    /// The schema of fields that are wanted as they are stored.
    stored: Option<&'a AvroSchema>,
    /// How many entries to make room for.
    rows: u64,
}

/// How many entries a manifest has, as its list says; 0 where the list does not say so.
fn claimed_entries(file: &ManifestFile) -> u64 {
    let counts = [file.added_files_count, file.existing_files_count, file.deleted_files_count];
    let counts = counts.map(|count| u64::try_from(count.unwrap_or(0)).unwrap_or(0));
    counts.into_iter().fold(0, u64::saturating_add)
}

/// The schema of the fields that go to another manifest as they are stored, if this one has them.
fn carried_like(schema: &AvroSchema) -> Result<Option<AvroSchema>> {
    let like = carried_schema()?;
    let has = schema.field(schema.root(), DATA_FILE).is_some_and(|file| schema.has_fields(file, &like));
    Ok(has.then_some(like))
}

fn decode_rows(
    container: &Container<'_>,
    schema: &AvroSchema,
    range: Option<&BlockRange>,
    partition_type: &StructType,
    void: &[i32],
    Asked { maps, columns, details, stored, rows }: Asked<'_>,
) -> Result<(StructArray, u64)> {
    check_partition(schema, partition_type, void)?;
    let partition_type = &as_written(schema, partition_type, void);
    let fields = entry_fields(partition_type, maps, details, stored.is_some());
    let keyed: BTreeMap<i32, Vec<i32>> = if columns.is_empty() {
        BTreeMap::new()
    } else {
        maps.iter().map(|(id, ..)| (*id, columns.to_vec())).collect()
    };
    let stored = stored.map(|like| StoredFields { into: STORED, like });
    let bare = Projection { fields: &fields, keyed: &keyed, fixed: FixedForm::Bare, stored };
    let read = |projection: &Projection<'_>| {
        let mut blocks = range.map_or_else(|| container.blocks(), |range| container.blocks_of(range));
        let decoded = decode_blocks(&mut blocks, rows, schema, projection)?;
        Ok((decoded, blocks.inflated()))
    };
    let error: Error = match read(&bare) {
        Ok(rows) => return Ok(rows),
        Err(error) => error,
    };
    let is_fixed = |field_type: &Type| matches!(field_type.as_primitive(), Some(PrimitiveType::Fixed(_)));
    if error.kind() != ErrorKind::InvalidData
        || !partition_type.fields.iter().any(|field| is_fixed(&field.field_type))
    {
        return Err(error);
    }
    // Java writes fixed partition values after their length, though its own schema says otherwise. Read this way, every
    // block must end at its last byte. If that fails too, the file is damaged and the first error says where.
    read(&Projection { fixed: FixedForm::Prefixed, ..bare }).map_err(|_| error)
}

fn wanted_rows(rows: StructArray, request: &EntryRequest) -> Result<StructArray> {
    let status: Int32Array = column(&rows, "status")?;
    if let Some(other) = status.values().iter().find(|status| !(0..=DELETED).contains(*status)) {
        return Err(Error::invalid_data(format!(
            "manifest entry: expected field 0: status to be 0 (existing), 1 (added) or 2 (deleted), found {other}"
        )));
    }
    if request.with_deleted || !status.values().contains(&DELETED) {
        return Ok(rows);
    }
    let live: BooleanArray = status.values().iter().map(|&status| Some(status != DELETED)).collect();
    let kept = filter(&rows, &live)
        .map_err(|error| Error::internal("live manifest entries could not be selected").caused_by(error))?;
    Ok(StructArray::from(kept.to_data()))
}

fn build(
    rows: &StructArray,
    file: &ManifestFile,
    first_id: Option<i64>,
    request: &EntryRequest,
    columns: &[i32],
) -> Result<(ManifestEntries, AssignedRowIds)> {
    let data_file: StructArray = column(rows, "data_file")?;
    let status: Int32Array = column(rows, "status")?;
    for size in ["record_count", "file_size_in_bytes"] {
        check_not_negative(&column(&data_file, size)?, size)?;
    }
    let record_count = column(&data_file, "record_count")?;
    let sequence_number = column(rows, "sequence_number")?;
    let first_row_id = column(&data_file, "first_row_id")?;
    // A new manifest assigns no ids yet, and files with ids keep them.
    let (first_row_id, row_ids) = match (file.rows_without_ids, first_id) {
        (Some(_), None) => (first_row_id, AssignedRowIds::default()),
        _ => first_row_ids(&first_row_id, &status, &record_count, first_id)?,
    };
    let stored = match data_file.column_by_name(STORED_NAME) {
        Some(_) => Some(column(&data_file, STORED_NAME)?),
        None => None,
    };
    let entries = ManifestEntries {
        content: file.content,
        spec_id: file.partition_spec_id,
        data_sequence_number: data_sequence_numbers(&sequence_number, &status, file)?,
        file_content: file_contents(&column(&data_file, "content")?, file)?,
        file_path: column(&data_file, "file_path")?,
        file_format: lower_case(column(&data_file, "file_format")?)?,
        partition: column(&data_file, "partition")?,
        first_row_id,
        record_count,
        file_size_in_bytes: column(&data_file, "file_size_in_bytes")?,
        split_offsets: column(&data_file, "split_offsets")?,
        key_metadata: column(&data_file, "key_metadata")?,
        keys_are_known: false,
        details: (!request.without_details).then(|| details(rows, &data_file, &status, file)).transpose()?,
        statistics: statistics(&data_file, columns)?,
        metrics: if request.with_metrics && stored.is_none() { Some(metrics(&data_file)?) } else { None },
        stored,
        unknown: None,
        status,
    };
    Ok((entries, row_ids))
}

fn details(
    rows: &StructArray,
    data_file: &StructArray,
    status: &Int32Array,
    file: &ManifestFile,
) -> Result<EntryDetails> {
    for size in ["content_offset", "content_size_in_bytes"] {
        check_not_negative(&column(data_file, size)?, size)?;
    }
    Ok(EntryDetails {
        snapshot_id: snapshot_ids(&column(rows, "snapshot_id")?, file),
        file_sequence_number: file_sequence_numbers(&column(rows, "file_sequence_number")?, status, file),
        equality_ids: column(data_file, "equality_ids")?,
        sort_order_id: column(data_file, "sort_order_id")?,
        referenced_data_file: without_empty(&column(data_file, "referenced_data_file")?),
        content_offset: column(data_file, "content_offset")?,
        content_size_in_bytes: column(data_file, "content_size_in_bytes")?,
    })
}

fn metrics(data_file: &StructArray) -> Result<EntryMetrics> {
    let [column_sizes, value_counts, null_value_counts, nan_value_counts, lower_bounds, upper_bounds] =
        METRICS.map(|(_, name, ..)| column::<MapArray>(data_file, name));
    Ok(EntryMetrics {
        column_sizes: column_sizes?,
        value_counts: value_counts?,
        null_value_counts: null_value_counts?,
        nan_value_counts: nan_value_counts?,
        lower_bounds: lower_bounds?,
        upper_bounds: upper_bounds?,
    })
}

fn check_not_negative(sizes: &Int64Array, name: &str) -> Result<()> {
    match sizes.iter().enumerate().find(|(_, size)| size.is_some_and(|size| size < 0)) {
        Some((row, Some(size))) => Err(Error::invalid_data(format!(
            "manifest entry {row}: expected {name} of 0 or more, found {size}"
        ))),
        _ => Ok(()),
    }
}

/// Null is data, as in v1. A manifest holds data files or delete files, never both.
fn file_contents(written: &Int32Array, file: &ManifestFile) -> Result<Int32Array> {
    let allowed = match file.content {
        ManifestContent::Data => 0..=0,
        ManifestContent::Deletes => 1..=2,
    };
    let contents = written.iter().enumerate().map(|(row, content)| {
        let content = content.unwrap_or(0);
        if allowed.contains(&content) {
            return Ok(content);
        }
        Err(Error::invalid_data(format!(
            "manifest entry {row}: a manifest of {:?} has field 134: content from {} to {}, found {content}",
            file.content,
            allowed.start(),
            allowed.end()
        )))
    });
    contents.collect::<Result<Vec<i32>>>().map(Int32Array::from)
}

/// Writers say `PARQUET` and `parquet`. Only ASCII changes, so no value changes its length.
fn lower_case(formats: StringArray) -> Result<StringArray> {
    let (offsets, values, nulls) = formats.into_parts();
    let mut values = values.to_vec();
    values.make_ascii_lowercase();
    StringArray::try_new(offsets, Buffer::from_vec(values), nulls)
        .map_err(|error| Error::internal("file formats in lower case").caused_by(error))
}

/// Some writers say `""` for no file.
fn without_empty(paths: &StringArray) -> StringArray {
    if paths.null_count() == paths.len() {
        return paths.clone();
    }
    paths.iter().map(|path| path.filter(|path| !path.is_empty())).collect()
}

fn statistics(data_file: &StructArray, columns: &[i32]) -> Result<BTreeMap<i32, EntryStatistics>> {
    if columns.is_empty() {
        return Ok(BTreeMap::new());
    }
    let [values, nulls, nans, lower, upper] =
        STATISTICS.map(|(_, name, ..)| column::<StructArray>(data_file, name));
    let (values, nulls, nans, lower, upper) = (values?, nulls?, nans?, lower?, upper?);
    columns
        .iter()
        .map(|id| {
            let key = id.to_string();
            let statistics = EntryStatistics {
                value_count: column(&values, &key)?,
                null_value_count: column(&nulls, &key)?,
                nan_value_count: column(&nans, &key)?,
                lower_bound: column(&lower, &key)?,
                upper_bound: column(&upper, &key)?,
            };
            Ok((*id, statistics))
        })
        .collect()
}
