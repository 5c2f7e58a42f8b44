//! Small Parquet files in memory, and requests and tasks over them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema};
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator};
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};
use floeberg_io::MemoryStore;
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use parquet::file::properties::WriterProperties;

use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::{ReadRequest, TableReader, read_task};

/// Where the data file of a fixture is.
pub(crate) const DATA: &str = "memory://t/data.parquet";

/// An optional Arrow field with a field id.
pub(crate) fn column(id: i32, name: &str, data_type: DataType) -> ArrowField {
    let id = HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string())]);
    ArrowField::new(name, data_type, true).with_metadata(id)
}

/// A Parquet file of one batch, in row groups of so many rows and pages of a fifth.
pub(crate) fn parquet(fields: Vec<ArrowField>, columns: Vec<ArrayRef>, group_rows: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group_rows))
        .set_data_page_row_count_limit((group_rows / 5).max(1))
        .set_write_batch_size((group_rows / 5).max(1))
        .build();
    parquet_with(fields, columns, properties)
}

/// A Parquet file of one batch.
pub(crate) fn parquet_with(
    fields: Vec<ArrowField>,
    columns: Vec<ArrayRef>,
    properties: WriterProperties,
) -> Vec<u8> {
    let schema = Arc::new(ArrowSchema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// A file whose footer says other things of its column chunks.
pub(crate) fn with_chunks(
    bytes: &[u8],
    other: impl Fn(ColumnChunkMetaData) -> ColumnChunkMetaData,
) -> Vec<u8> {
    let (body, end) = bytes.split_last_chunk::<8>().unwrap();
    let start = body.len() - u32::from_le_bytes([end[0], end[1], end[2], end[3]]) as usize;
    let metadata = ParquetMetaDataReader::decode_metadata(&body[start..]).unwrap();
    let groups = metadata.row_groups().iter().map(|group| {
        let chunks = group.columns().iter().cloned().map(&other).collect();
        group.clone().into_builder().set_column_metadata(chunks).build().unwrap()
    });
    let metadata = ParquetMetaData::new(metadata.file_metadata().clone(), groups.collect());
    let mut written = body[..start].to_vec();
    ParquetMetaDataWriter::new(&mut written, &metadata).finish().unwrap();
    written
}

/// A file of column 1 `n` (long), 0 and up, and column 2 `s` (string), its text.
pub(crate) fn numbers(rows: i64, group_rows: usize) -> Vec<u8> {
    let text: StringArray = (0..rows).map(|n| Some(format!("text {n}"))).collect();
    parquet(
        vec![column(1, "n", DataType::Int64), column(2, "s", DataType::Utf8)],
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(text)],
        group_rows,
    )
}

/// [`numbers`] in one row group of many pages, none with a dictionary.
pub(crate) fn paged_numbers(rows: i64) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(500)
        .set_write_batch_size(500)
        .build();
    let text = StringArray::from_iter_values((0..rows).map(|n| format!("text {n}")));
    parquet_with(
        vec![column(1, "n", DataType::Int64), column(2, "s", DataType::Utf8)],
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(text)],
        properties,
    )
}

/// The table schema of [`numbers`].
pub(crate) fn numbers_schema() -> Schema {
    let n = Field::optional(1, "n", PrimitiveType::Long);
    Schema::new(0, vec![n, Field::optional(2, "s", PrimitiveType::String)]).unwrap()
}

/// A store with a file.
pub(crate) fn store(bytes: Vec<u8>) -> MemoryStore {
    let store = MemoryStore::new();
    store.put(DATA, bytes);
    store
}

/// A request for all columns of a schema.
pub(crate) fn request(store: &MemoryStore, schema: Schema) -> ReadRequest {
    let schema = Arc::new(schema);
    ReadRequest::new(Arc::new(store.clone()), Arc::clone(&schema), schema)
}

/// A task for the data file without deletes and filter.
pub(crate) fn task() -> FileScanTask {
    FileScanTask {
        file_path: DATA.to_owned(),
        location: DATA.to_owned(),
        file_format: FileFormat::Parquet,
        file_size_in_bytes: 1,
        record_count: 1,
        byte_range: None,
        spec_id: 0,
        partition: Arc::new(Vec::new()),
        data_sequence_number: 1,
        first_row_id: None,
        deletes: Vec::new(),
        residual: Arc::new(BoundExpr::True),
    }
}

/// A task with a filter.
pub(crate) fn filtered(residual: BoundExpr) -> FileScanTask {
    FileScanTask { residual: Arc::new(residual), ..task() }
}

/// A delete file of a kind at a location.
pub(crate) fn delete_file(location: &str, kind: DeleteKind, file_format: FileFormat) -> DeleteFile {
    DeleteFile {
        file_path: location.to_owned(),
        location: location.to_owned(),
        file_format,
        kind,
        record_count: 1,
        file_size_in_bytes: 1,
        data_sequence_number: 1,
        referenced_data_file: None,
        spec_id: 0,
        partition: Vec::new(),
    }
}

/// A test of a top-level column.
pub(crate) fn test(id: i32, field_type: PrimitiveType, op: Operator, literals: Vec<Value>) -> BoundExpr {
    let column = BoundColumn {
        id,
        name: format!("c{id}"),
        path: vec![id],
        field_type: Type::from(field_type),
        required: false,
    };
    let column = Arc::new(column);
    BoundExpr::Predicate(BoundPredicate { op, column, transform: None, literals: literals.into() })
}

/// `n < bound` over [`numbers`].
pub(crate) fn below(bound: i64) -> BoundExpr {
    test(1, PrimitiveType::Long, Operator::Lt, vec![Value::Long(bound)])
}

/// The reader of a request.
pub(crate) fn reader(request: ReadRequest) -> Arc<TableReader> {
    Arc::new(TableReader::new(request))
}

/// All batches of a task.
pub(crate) fn batches(request: ReadRequest, task: &FileScanTask) -> Result<Vec<RecordBatch>> {
    read_task(&reader(request), task)?.collect()
}

/// The one batch of a task.
pub(crate) fn one_batch(request: ReadRequest, task: &FileScanTask) -> RecordBatch {
    let mut all = batches(request, task).unwrap();
    assert_eq!(all.len(), 1, "batches");
    all.remove(0)
}

/// The first column of all batches, as longs.
pub(crate) fn longs(batches: &[RecordBatch]) -> Vec<i64> {
    let columns = batches.iter().map(|batch| batch.column(0).as_primitive::<Int64Type>());
    columns.flat_map(|column| column.values().to_vec()).collect()
}

/// The numbers of a file that may be damaged; `None` is an error of a file's fault that names the file.
pub(crate) fn rows_or_fault(request: ReadRequest, task: &FileScanTask) -> Option<Vec<i64>> {
    match batches(request, task) {
        Ok(batches) => Some(longs(&batches)),
        Err(error) => {
            let expected = [ErrorKind::InvalidData, ErrorKind::Unsupported, ErrorKind::LimitExceeded];
            assert!(expected.contains(&error.kind()), "{error:?}");
            assert!(error.to_string().contains("data.parquet"), "{error}");
            None
        }
    }
}

/// The `n` of all rows, after checking that `s` is the text of the same row.
pub(crate) fn rows(request: ReadRequest, task: &FileScanTask) -> Vec<i64> {
    let batches = batches(request, task).unwrap();
    for batch in &batches {
        let numbers = batch.column(0).as_primitive::<Int64Type>();
        let texts = batch.column(1).as_string::<i32>();
        for row in 0..batch.num_rows() {
            assert_eq!(texts.value(row), format!("text {}", numbers.value(row)));
        }
        assert_eq!(texts.null_count(), 0);
    }
    longs(&batches)
}
