//! Small files of two columns, in memory.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

/// A file of numbers from 0 on, and of texts, in row groups of this many rows.
pub(crate) fn numbers(rows: i64, group_rows: usize) -> Vec<u8> {
    file(rows, WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)))
}

/// The same in one row group of pages of 500 rows, none with a dictionary.
pub(crate) fn paged_numbers(rows: i64) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(500)
        .set_write_batch_size(500);
    file(rows, properties)
}

fn file(rows: i64, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let column = |id: i32, name: &str, data_type| {
        let id = HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string())]);
        Field::new(name, data_type, true).with_metadata(id)
    };
    let schema = Arc::new(Schema::new(vec![column(1, "n", DataType::Int64), column(2, "s", DataType::Utf8)]));
    let texts = StringArray::from_iter_values((0..rows).map(|n| format!("text {n}")));
    let columns = vec![Arc::new(Int64Array::from_iter_values(0..rows)) as _, Arc::new(texts) as _];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}
