//! What do partition statistics say of each partition?
//!
//! In: a file that the metadata names. Out: its rows, as they are sorted there.
//! Spec: Partition Statistics File.
//!
//! Invariant: the columns are the specification's, by field id; what a file lacks is null.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_io::Source;

use crate::Table;
use crate::metadata::unified_partition_type;
use crate::plan::{FileFormat, FileScanTask};
use crate::read::{ReadRequest, TableReader, read_task};

/// The first format version whose files count deletion vectors.
const VECTORS_SINCE: u8 = 3;

impl Table {
    /// The rows of a partition statistics file that the metadata names.
    ///
    /// Errors: `InvalidInput` for a file that is not named; `Unsupported` for one that is no data file of a known format;
    /// those of reading.
    pub fn partition_statistics_rows(
        &self,
        statistics_path: &str,
        cancel: &Cancel,
    ) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        let metadata = self.metadata();
        let files = metadata.partition_statistics_files().context("table", self.metadata_location())?;
        let file = files.into_iter().find(|file| file.statistics_path == statistics_path);
        let file = file.ok_or_else(|| {
            Error::invalid_input("the table metadata does not list this partition statistics file")
                .with("path", statistics_path)
        })?;
        let partition = Type::Struct(unified_partition_type(metadata)?);
        let schema = Arc::new(rows_schema(partition, metadata.format_version)?);
        let location = self.relocation().apply(statistics_path);
        let task = FileScanTask {
            file_path: file.statistics_path,
            file_format: format_of(self.store().open(&location)?.as_ref())?,
            location,
            file_size_in_bytes: file.file_size_in_bytes,
            record_count: 0,
            byte_range: None,
            spec_id: 0,
            partition: Arc::default(),
            data_sequence_number: 0,
            first_row_id: None,
            deletes: Vec::new(),
            residual: Arc::new(BoundExpr::True),
        };
        let request = ReadRequest::new(Arc::clone(self.store()), Arc::clone(&schema), schema);
        let reader = Arc::new(TableReader::new(request.with_cancel(cancel.clone())));
        let rows = read_task(&reader, &task)?.collect::<Result<_>>()?;
        Ok((reader.output_schema()?, rows))
    }
}

/// The columns of the specification. Those that not every version demands are optional in all: tables are upgraded, and
/// their files are not.
fn rows_schema(partition: Type, format_version: u8) -> Result<Schema> {
    use PrimitiveType::{Int, Long};
    let mut fields = vec![
        Field::required(1, "partition", partition),
        Field::required(2, "spec_id", Int),
        Field::required(3, "data_record_count", Long),
        Field::required(4, "data_file_count", Int),
        Field::required(5, "total_data_file_size_in_bytes", Long),
        Field::optional(6, "position_delete_record_count", Long),
        Field::optional(7, "position_delete_file_count", Int),
        Field::optional(8, "equality_delete_record_count", Long),
        Field::optional(9, "equality_delete_file_count", Int),
        Field::optional(10, "total_record_count", Long),
        Field::optional(11, "last_updated_at", Long),
        Field::optional(12, "last_updated_snapshot_id", Long),
    ];
    if format_version >= VECTORS_SINCE {
        fields.push(Field::optional(13, "dv_count", Int));
    }
    Schema::new(0, fields)
}

/// Which format a file has: metadata does not say.
fn format_of(source: &dyn Source) -> Result<FileFormat> {
    let size = source.size()?;
    let start = source.read(0..size.min(4))?;
    match &start[..] {
        b"PAR1" => Ok(FileFormat::Parquet),
        b"Obj\x01" => Ok(FileFormat::Avro),
        [b'O', b'R', b'C', ..] => Ok(FileFormat::Orc),
        other => Err(Error::unsupported(format!(
            "expected a partition statistics file in Parquet, Avro or ORC, found one that starts with {other:02x?}"
        ))
        .with("path", source.location())),
    }
}
