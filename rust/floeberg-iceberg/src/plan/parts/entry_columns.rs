//! How do entries of a manifest cross to another process?
//!
//! In: entries. Out: their columns as Arrow batches, and back.
//!
//! Statistics are a batch of their own: the columns of a plan share the memory of the other batch, and nothing else stays. Columns
//! that a plan does not keep are left out where they say nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray, new_null_array,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use arrow_select::filter::filter_record_batch;
use floeberg_core::{Error, Result};

use crate::manifest::{
    AssignedRowIds, BlockEntries, EntryDetails, EntryStatistics, ManifestContent, ManifestEntries,
};
use crate::plan::columns::typed;

const STATUS: &str = "status";
const DATA_SEQUENCE_NUMBER: &str = "data_sequence_number";
const FILE_CONTENT: &str = "file_content";
const FILE_PATH: &str = "file_path";
const FILE_FORMAT: &str = "file_format";
const PARTITION: &str = "partition";
const RECORD_COUNT: &str = "record_count";
const FILE_SIZE: &str = "file_size_in_bytes";
const SPLIT_OFFSETS: &str = "split_offsets";
const FIRST_ROW_ID: &str = "first_row_id";
const KEY_METADATA: &str = "key_metadata";
const DETAILS: &str = "details";
/// Which entries inherited their row id from the manifest.
const INHERITED: &str = "inherited";

/// The columns of entries.
#[derive(Debug, Clone)]
pub(super) struct EntryColumns {
    /// All but the statistics.
    pub columns: RecordBatch,
    /// A column for each field id; `None` without any.
    pub statistics: Option<RecordBatch>,
}

impl EntryColumns {
    /// The columns of entries, with statistics of some fields.
    pub fn of(block: &BlockEntries, statistics_of: &[i32]) -> Result<Self> {
        let BlockEntries { entries, row_ids, .. } = block;
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            (DATA_SEQUENCE_NUMBER, Arc::new(entries.data_sequence_number.clone())),
            (FILE_PATH, Arc::new(entries.file_path.clone())),
            (FILE_FORMAT, Arc::new(entries.file_format.clone())),
            (PARTITION, Arc::new(entries.partition.clone())),
            (RECORD_COUNT, Arc::new(entries.record_count.clone())),
            (FILE_SIZE, Arc::new(entries.file_size_in_bytes.clone())),
            (SPLIT_OFFSETS, Arc::new(entries.split_offsets.clone())),
            (FIRST_ROW_ID, Arc::new(entries.first_row_id.clone())),
        ];
        if entries.key_metadata.null_count() < entries.len() {
            columns.push((KEY_METADATA, Arc::new(entries.key_metadata.clone())));
        }
        if let Some(details) = &entries.details {
            columns.push((STATUS, Arc::new(entries.status.clone())));
            columns.push((FILE_CONTENT, Arc::new(entries.file_content.clone())));
            columns.push((DETAILS, Arc::new(details_to_struct(details)?)));
        }
        if let Some(inherited) = &row_ids.entries {
            columns.push((INHERITED, Arc::new(BooleanArray::new(inherited.clone(), None))));
        }
        let known = statistics_of.iter().filter_map(|id| Some((*id, entries.statistics.get(id)?)));
        let statistics = known
            .map(|(id, statistics)| Ok((id.to_string(), Arc::new(statistics_to_struct(statistics)?) as _)))
            .collect::<Result<Vec<(String, ArrayRef)>>>()?;
        let statistics = if statistics.is_empty() { None } else { Some(batch(statistics)?) };
        let columns = columns.into_iter().map(|(name, column)| (name.to_owned(), column));
        Ok(Self { columns: batch(columns.collect())?, statistics })
    }

    /// The columns of the entries that a mask keeps; without a mask, of all.
    pub fn kept(self, mask: Option<Vec<bool>>) -> Result<Self> {
        let Some(mask) = mask.filter(|mask| mask.iter().any(|keep| !keep)) else { return Ok(self) };
        let mask = BooleanArray::from(mask);
        let statistics = self.statistics.map(|batch| filter_record_batch(&batch, &mask));
        Ok(Self {
            columns: filter_record_batch(&self.columns, &mask).map_err(unfit)?,
            statistics: statistics.transpose().map_err(unfit)?,
        })
    }

    /// The entries of a manifest of a spec, and how many row ids they took before entries were dropped.
    pub fn entries(&self, content: ManifestContent, spec_id: i32, row_ids: i64) -> Result<BlockEntries> {
        let rows = self.columns.num_rows();
        let column = |name: &str| self.columns.column_by_name(name);
        let constant = || Int32Array::from_value(0, rows);
        let details = column(DETAILS).map(|details| struct_to_details(typed(details)?)).transpose()?;
        let inherited = column(INHERITED).map(|inherited| typed::<BooleanArray>(inherited)).transpose()?;
        let entries = ManifestEntries {
            content,
            spec_id,
            status: column(STATUS).map_or_else(|| Ok(constant()), |status| typed(status).cloned())?,
            data_sequence_number: self.column(DATA_SEQUENCE_NUMBER)?,
            file_content: column(FILE_CONTENT)
                .map_or_else(|| Ok(constant()), |content| typed(content).cloned())?,
            file_path: self.column(FILE_PATH)?,
            file_format: self.column(FILE_FORMAT)?,
            partition: self.column(PARTITION)?,
            record_count: self.column(RECORD_COUNT)?,
            file_size_in_bytes: self.column(FILE_SIZE)?,
            split_offsets: self.column(SPLIT_OFFSETS)?,
            first_row_id: self.column(FIRST_ROW_ID)?,
            key_metadata: match column(KEY_METADATA) {
                Some(key_metadata) => typed::<BinaryArray>(key_metadata)?.clone(),
                None => typed::<BinaryArray>(&new_null_array(&DataType::Binary, rows))?.clone(),
            },
            keys_are_known: false,
            details,
            statistics: self.statistics()?,
            metrics: None,
            stored: None,
            unknown: None,
        };
        let row_ids =
            AssignedRowIds { entries: inherited.map(|inherited| inherited.values().clone()), rows: row_ids };
        Ok(BlockEntries { entries, row_ids, inflated: 0 })
    }

    fn column<A: Array + Clone + 'static>(&self, name: &str) -> Result<A> {
        let found = self.columns.column_by_name(name);
        typed(found.ok_or_else(|| missing(name))?).cloned()
    }

    fn statistics(&self) -> Result<BTreeMap<i32, EntryStatistics>> {
        let Some(batch) = &self.statistics else { return Ok(BTreeMap::new()) };
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        columns
            .map(|(field, column)| {
                let id = field.name().parse().map_err(|_| missing(field.name()))?;
                Ok((id, struct_to_statistics(typed(column)?)?))
            })
            .collect()
    }
}

fn batch(columns: Vec<(String, ArrayRef)>) -> Result<RecordBatch> {
    let field = |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, column)| column).collect())
        .map_err(unfit)
}

fn nested(columns: Vec<(&str, ArrayRef)>) -> Result<StructArray> {
    let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), true);
    let fields: Fields = columns.iter().map(field).collect();
    StructArray::try_new(fields, columns.into_iter().map(|(_, column)| column).collect(), None).map_err(unfit)
}

fn child<A: Array + Clone + 'static>(parent: &StructArray, name: &str) -> Result<A> {
    typed(parent.column_by_name(name).ok_or_else(|| missing(name))?).cloned()
}

fn details_to_struct(details: &EntryDetails) -> Result<StructArray> {
    nested(vec![
        ("snapshot_id", Arc::new(details.snapshot_id.clone())),
        ("file_sequence_number", Arc::new(details.file_sequence_number.clone())),
        ("equality_ids", Arc::new(details.equality_ids.clone())),
        ("sort_order_id", Arc::new(details.sort_order_id.clone())),
        ("referenced_data_file", Arc::new(details.referenced_data_file.clone())),
        ("content_offset", Arc::new(details.content_offset.clone())),
        ("content_size_in_bytes", Arc::new(details.content_size_in_bytes.clone())),
    ])
}

fn struct_to_details(columns: &StructArray) -> Result<EntryDetails> {
    Ok(EntryDetails {
        snapshot_id: child::<Int64Array>(columns, "snapshot_id")?,
        file_sequence_number: child::<Int64Array>(columns, "file_sequence_number")?,
        equality_ids: child::<ListArray>(columns, "equality_ids")?,
        sort_order_id: child::<Int32Array>(columns, "sort_order_id")?,
        referenced_data_file: child::<StringArray>(columns, "referenced_data_file")?,
        content_offset: child::<Int64Array>(columns, "content_offset")?,
        content_size_in_bytes: child::<Int64Array>(columns, "content_size_in_bytes")?,
    })
}

fn statistics_to_struct(statistics: &EntryStatistics) -> Result<StructArray> {
    nested(vec![
        ("value_count", Arc::new(statistics.value_count.clone())),
        ("null_value_count", Arc::new(statistics.null_value_count.clone())),
        ("nan_value_count", Arc::new(statistics.nan_value_count.clone())),
        ("lower_bound", Arc::new(statistics.lower_bound.clone())),
        ("upper_bound", Arc::new(statistics.upper_bound.clone())),
    ])
}

fn struct_to_statistics(columns: &StructArray) -> Result<EntryStatistics> {
    Ok(EntryStatistics {
        value_count: child(columns, "value_count")?,
        null_value_count: child(columns, "null_value_count")?,
        nan_value_count: child(columns, "nan_value_count")?,
        lower_bound: child(columns, "lower_bound")?,
        upper_bound: child(columns, "upper_bound")?,
    })
}

fn missing(name: &str) -> Error {
    Error::internal(format!("entries that a task returned lack the column {name:?}"))
}

fn unfit(error: ArrowError) -> Error {
    Error::internal("the columns of entries do not fit together").caused_by(error)
}
