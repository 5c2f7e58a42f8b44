//! Recipes, what is written by them, and what is read back.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::arrow_values::{from_array, values_to_array};
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Result};
use floeberg_files::WriteProperties;
use floeberg_io::{MemoryStore, Store, StoreOptions};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::printer::print_schema;
use serde_json::Map;

use crate::metadata::{PartitionField, PartitionSpec, SortOrder};
use crate::plan::{FileFormat, FileScanTask};
use crate::read::{ReadRequest, TableReader, read_task};
use crate::write::options::properties_of;
use crate::write::{Receipt, WriteRecipe, WriteTask, Writer, WrittenFile};

/// Rows, a value a column.
pub(super) type Rows = Vec<Vec<Option<Value>>>;

/// About how many bytes of memory a column of an open Parquet file takes, beside its values.
pub(super) const COLUMN_MEMORY: u64 = 64 << 10;

/// The task of all writes.
pub(super) const TASK: WriteTask<'static> = WriteTask { partition: 3, name: "7" };

/// A recipe of an unpartitioned table at `memory://t`.
pub(super) fn recipe(fields: Vec<Field>) -> WriteRecipe {
    WriteRecipe {
        schema: Arc::new(Schema::new(4, fields).unwrap()),
        spec: Arc::new(PartitionSpec { spec_id: 2, fields: Vec::new(), unknown_keys: Map::new() }),
        order: Arc::new(SortOrder { order_id: 0, fields: Vec::new(), unknown_keys: Map::new() }),
        own_order: None,
        copies_groups: false,
        delete_keys: None,
        properties: WriteProperties::default(),
        table_uuid: None,
        location: "memory://t".to_owned(),
        write_id: "w".to_owned(),
        storage: StoreOptions::new(),
    }
}

/// The same, with properties.
pub(super) fn with(recipe: WriteRecipe, properties: &[(&str, &str)]) -> WriteRecipe {
    let owned = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let properties = properties_of(&owned.collect(), &BTreeMap::new()).unwrap();
    WriteRecipe { properties, ..recipe }
}

/// The same, partitioned by columns.
pub(super) fn partitioned(recipe: WriteRecipe, by: &[(i32, Transform)]) -> WriteRecipe {
    let fields = by.iter().enumerate().map(|(number, (source, transform))| PartitionField {
        field_id: 1000 + number as i32,
        source_ids: vec![*source],
        name: format!("p{number}"),
        transform: transform.clone(),
        unknown_keys: Map::new(),
    });
    let spec = PartitionSpec { spec_id: 2, fields: fields.collect(), unknown_keys: Map::new() };
    WriteRecipe { spec: Arc::new(spec), ..recipe }
}

/// A batch of rows.
pub(super) fn batch(recipe: &WriteRecipe, rows: &[Vec<Option<Value>>]) -> RecordBatch {
    let columns = recipe.schema.fields().iter().enumerate().map(|(number, field)| {
        let values: Vec<_> = rows.iter().map(|row| row[number].as_ref()).collect();
        values_to_array(&values, &field.field_type).unwrap()
    });
    RecordBatch::try_new(Arc::new(schema_to_arrow(&recipe.schema).unwrap()), columns.collect()).unwrap()
}

/// Writes rows in batches of a size.
pub(super) fn write(recipe: &WriteRecipe, rows: &Rows, batch_rows: usize) -> (MemoryStore, Receipt) {
    let store = MemoryStore::new();
    let receipt = try_write(recipe, Arc::new(store.clone()), rows, batch_rows).unwrap();
    (store, receipt)
}

/// Writes rows to a store that may fail.
pub(super) fn try_write(
    recipe: &WriteRecipe,
    store: Arc<dyn Store>,
    rows: &Rows,
    batch_rows: usize,
) -> Result<Receipt> {
    let mut writer = Writer::new(recipe, store, TASK, &Cancel::default())?;
    for rows in rows.chunks(batch_rows.max(1)) {
        writer.write(&batch(recipe, rows))?;
    }
    writer.finish()
}

/// The rows of a file, read back by its table's schema.
pub(super) fn rows_of(store: &MemoryStore, recipe: &WriteRecipe, written: &WrittenFile) -> Rows {
    let all = batch_of(store, recipe, written);
    let value = |row: usize, column: usize, field: &Field| {
        from_array(all.column(column), row, &field.field_type).unwrap()
    };
    let row = |row: usize| {
        recipe.schema.fields().iter().enumerate().map(|(column, field)| value(row, column, field)).collect()
    };
    (0..all.num_rows()).map(row).collect()
}

/// The same, as one batch.
pub(super) fn batch_of(store: &MemoryStore, recipe: &WriteRecipe, written: &WrittenFile) -> RecordBatch {
    let schema = Arc::clone(&recipe.schema);
    let request = ReadRequest::new(Arc::new(store.clone()), Arc::clone(&schema), Arc::clone(&schema));
    let WrittenFile { spec_id, file, .. } = written;
    let task = FileScanTask {
        file_path: file.file_path.clone(),
        location: file.file_path.clone(),
        file_format: file.file_format.parse().unwrap_or(FileFormat::Parquet),
        file_size_in_bytes: file.file_size_in_bytes,
        record_count: file.record_count,
        byte_range: None,
        spec_id: *spec_id,
        partition: Arc::new(Vec::new()),
        data_sequence_number: 1,
        first_row_id: None,
        deletes: Vec::new(),
        residual: Arc::new(BoundExpr::True),
    };
    let batches: Vec<_> =
        read_task(&Arc::new(TableReader::new(request)), &task).unwrap().collect::<Result<_>>().unwrap();
    concat_batches(&Arc::new(schema_to_arrow(&schema).unwrap()), &batches).unwrap()
}

/// What Parquet says of a file.
pub(super) fn footer(store: &MemoryStore, written: &WrittenFile) -> ParquetMetaData {
    let bytes = store.open(&written.file.file_path).unwrap().read_all(u64::MAX).unwrap();
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&bytes).unwrap()
}

/// The files of a store.
pub(super) fn names(store: &MemoryStore, folder: &str) -> Vec<String> {
    store.list(folder).map_or_else(|_| Vec::new(), |files| files.into_iter().map(|file| file.name).collect())
}

/// The Parquet schema of a file.
pub(super) fn schema_text(store: &MemoryStore, written: &WrittenFile) -> String {
    let mut text = Vec::new();
    print_schema(&mut text, footer(store, written).file_metadata().schema());
    String::from_utf8(text).unwrap()
}
