//! Which statistics does each partition have?
//!
//! In: a file that the metadata names. Out: its rows, as they are sorted there.
//! Spec: Partition Statistics File.
//!
//! Invariant: the columns are the specification's, by field id; what a file lacks is null.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_io::Source;

use super::partition_schema::schema_to_read;
use crate::Table;
use crate::metadata::unified_partition_type;
use crate::plan::{FileFormat, FileScanTask};
use crate::read::{ReadRequest, TableReader, read_task};

impl Table {
    /// The rows of a partition statistics file that the metadata names.
    ///
    /// Errors: `InvalidInput` for a file that the metadata does not list; `Unsupported` for a file of an unknown format;
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
        let schema = Arc::new(schema_to_read(unified_partition_type(metadata)?, metadata.format_version)?);
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
