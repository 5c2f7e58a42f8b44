//! How do counts of partitions become rows of a file, and rows counts?
//!
//! In: the counts of each partition of a snapshot. Out: a new file in the metadata folder; or the counts of a file.
//! Spec: Partition Statistics File.
//!
//! Invariant: rows are written as they come: who computes them sorts them. A file that is not finished is removed.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use floeberg_core::arrow_values::{from_array, values_to_array};
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Error, Result};
use floeberg_io::location::join;
use floeberg_io::random::random_uuid;
use serde_json::Map;

use super::partition_schema::schema_to_write;
use crate::Table;
use crate::metadata::{PartitionStatisticsFile, unified_partition_type};
use crate::write::RowsFile;

/// Rows of a batch, at most.
const BATCH_ROWS: usize = 16 * 1024;

/// The counts of one partition. `None` is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionStatistics {
    /// Its values in the struct over all specs, by field id.
    pub partition: Vec<(i32, Option<Value>)>,
    /// Its partition spec.
    pub spec_id: i32,
    /// Rows of data files.
    pub data_record_count: i64,
    /// Data files.
    pub data_file_count: i32,
    /// Bytes of data files.
    pub total_data_file_size_in_bytes: i64,
    /// Deletes by position, of files and of deletion vectors.
    pub position_delete_record_count: Option<i64>,
    /// Files of deletes by position, without deletion vectors.
    pub position_delete_file_count: Option<i32>,
    /// Rows of equality delete files.
    pub equality_delete_record_count: Option<i64>,
    /// Equality delete files.
    pub equality_delete_file_count: Option<i32>,
    /// Rows after all deletes.
    pub total_record_count: Option<i64>,
    /// When it was updated last, in milliseconds from 1970-01-01 UTC.
    pub last_updated_at: Option<i64>,
    /// The snapshot that updated it last.
    pub last_updated_snapshot_id: Option<i64>,
    /// Deletion vectors. Files of tables below format version 3 do not have it.
    pub dv_count: Option<i32>,
}

impl Table {
    /// Writes a partition statistics file of a snapshot. The metadata does not name it yet.
    ///
    /// Errors: `Unsupported` for an encrypted table; `InvalidInput` for properties that its format does not have; those of the store.
    pub fn write_partition_statistics(
        &self,
        snapshot_id: i64,
        rows: &[PartitionStatistics],
        cancel: &Cancel,
    ) -> Result<PartitionStatisticsFile> {
        let metadata = self.metadata();
        // The metadata has no place for its key.
        metadata.check_not_encrypted()?;
        let schema = schema_to_write(unified_partition_type(metadata)?, metadata.format_version)?;
        let file = RowsFile::new(&schema, &metadata.properties)?;
        let name = format!("partition-stats-{snapshot_id}-{}.{}", random_uuid(), file.format());
        let location = join(&metadata.metadata_folder(), &name);
        let batches = rows.chunks(BATCH_ROWS).map(|some| batch(&schema, some));
        let size = file.write(self.store().as_ref(), &location, batches, cancel)?;
        Ok(PartitionStatisticsFile {
            snapshot_id,
            statistics_path: location,
            file_size_in_bytes: size,
            unknown_keys: Map::new(),
        })
    }

    /// The counts of a partition statistics file that the metadata names.
    ///
    /// Errors: those of [`Table::partition_statistics_rows`]; `InvalidData` for a file without a required count.
    pub fn partition_statistics(
        &self,
        statistics_path: &str,
        cancel: &Cancel,
    ) -> Result<Vec<PartitionStatistics>> {
        let (_, batches) = self.partition_statistics_rows(statistics_path, cancel)?;
        let partition = Type::Struct(unified_partition_type(self.metadata())?);
        let mut rows = Vec::new();
        for batch in &batches {
            let columns = Columns { batch, partition: &partition };
            for row in 0..batch.num_rows() {
                rows.push(columns.row(row).map_err(|error| error.with("path", statistics_path))?);
            }
        }
        Ok(rows)
    }
}

fn batch(schema: &Schema, rows: &[PartitionStatistics]) -> Result<RecordBatch> {
    let columns = schema.fields().iter().map(|field| {
        let values: Vec<Option<Value>> = rows.iter().map(|row| row.value(field.id)).collect();
        values_to_array(&values.iter().map(Option::as_ref).collect::<Vec<_>>(), &field.field_type)
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
    RecordBatch::try_new(schema_to_arrow(schema)?.into(), columns)
        .map_err(|error| Error::internal("counts of partitions are a batch").caused_by(error))
}

impl PartitionStatistics {
    /// The value of a column, by its field id.
    fn value(&self, field_id: i32) -> Option<Value> {
        let long = |value: Option<i64>| value.map(Value::Long);
        let int = |value: Option<i32>| value.map(Value::Int);
        match field_id {
            1 => Some(Value::Struct(self.partition.clone())),
            2 => Some(Value::Int(self.spec_id)),
            3 => Some(Value::Long(self.data_record_count)),
            4 => Some(Value::Int(self.data_file_count)),
            5 => Some(Value::Long(self.total_data_file_size_in_bytes)),
            6 => long(self.position_delete_record_count),
            7 => int(self.position_delete_file_count),
            8 => long(self.equality_delete_record_count),
            9 => int(self.equality_delete_file_count),
            10 => long(self.total_record_count),
            11 => long(self.last_updated_at),
            12 => long(self.last_updated_snapshot_id),
            _ => int(self.dv_count),
        }
    }
}

/// The columns of rows that were read.
struct Columns<'a> {
    batch: &'a RecordBatch,
    partition: &'a Type,
}

impl Columns<'_> {
    fn row(&self, row: usize) -> Result<PartitionStatistics> {
        let partition = match self.column("partition") {
            Some(values) => from_array(values, row, self.partition)?,
            None => None,
        };
        let Some(Value::Struct(partition)) = partition else {
            return Err(missing("partition"));
        };
        Ok(PartitionStatistics {
            partition,
            spec_id: self.int("spec_id", row).ok_or_else(|| missing("spec_id"))?,
            data_record_count: self
                .long("data_record_count", row)
                .ok_or_else(|| missing("data_record_count"))?,
            data_file_count: self.int("data_file_count", row).ok_or_else(|| missing("data_file_count"))?,
            total_data_file_size_in_bytes: self
                .long("total_data_file_size_in_bytes", row)
                .ok_or_else(|| missing("total_data_file_size_in_bytes"))?,
            position_delete_record_count: self.long("position_delete_record_count", row),
            position_delete_file_count: self.int("position_delete_file_count", row),
            equality_delete_record_count: self.long("equality_delete_record_count", row),
            equality_delete_file_count: self.int("equality_delete_file_count", row),
            total_record_count: self.long("total_record_count", row),
            last_updated_at: self.long("last_updated_at", row),
            last_updated_snapshot_id: self.long("last_updated_snapshot_id", row),
            dv_count: self.int("dv_count", row),
        })
    }

    fn column(&self, name: &str) -> Option<&ArrayRef> {
        self.batch.column_by_name(name)
    }

    fn long(&self, name: &str, row: usize) -> Option<i64> {
        let values = self.column(name)?.as_primitive_opt::<Int64Type>()?;
        values.is_valid(row).then(|| values.value(row))
    }

    fn int(&self, name: &str, row: usize) -> Option<i32> {
        let values = self.column(name)?.as_primitive_opt::<Int32Type>()?;
        values.is_valid(row).then(|| values.value(row))
    }
}

fn missing(column: &str) -> Error {
    Error::invalid_data(format!("expected a value of {column} in each row of a partition statistics file"))
}
