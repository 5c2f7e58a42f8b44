//! Small Avro files in memory, whose records apache-avro encodes.

use apache_avro::Schema as Written;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use floeberg_avro::testing::{block, header, record};
use floeberg_core::schema::Schema;
use floeberg_io::MemoryStore;

use super::fixture::{DATA, request, task};
use crate::plan::{FileFormat, FileScanTask};
use crate::read::ReadRequest;

/// A file of records of these fields (as JSON), in blocks of so many.
pub(crate) fn avro(fields: &str, rows: &[Vec<(&str, Value)>], block_rows: usize) -> Vec<u8> {
    let json = record(fields);
    let schema = Written::parse_str(&json).unwrap();
    let writer = GenericDatumWriter::builder(&schema).build().unwrap();
    let mut bytes = header(&json, "null");
    for rows in rows.chunks(block_rows) {
        let data = rows.iter().flat_map(|row| writer.write_value_to_vec(of(row)).unwrap());
        bytes.extend(block(rows.len() as i64, &data.collect::<Vec<u8>>()));
    }
    bytes
}

/// A record.
pub(crate) fn of(fields: &[(&str, Value)]) -> Value {
    Value::Record(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

/// A value where null may be, in the branch after null's.
pub(crate) fn some(value: Value) -> Value {
    Value::Union(1, Box::new(value))
}

/// Null, in the first branch.
pub(crate) fn none() -> Value {
    Value::Union(0, Box::new(Value::Null))
}

/// [`super::fixture::numbers`] in Avro.
pub(super) fn avro_numbers(rows: i64, block_rows: usize) -> Vec<u8> {
    let fields = r#"{"name":"n","type":["null","long"],"field-id":1},
        {"name":"s","type":["null","string"],"field-id":2}"#;
    let row = |n| vec![("n", some(Value::Long(n))), ("s", some(Value::String(format!("text {n}"))))];
    avro(fields, &(0..rows).map(row).collect::<Vec<_>>(), block_rows)
}

/// A task for an Avro data file without deletes and filter.
pub(super) fn avro_task() -> FileScanTask {
    FileScanTask { file_format: FileFormat::Avro, ..task() }
}

/// A request for all columns of a schema of a file.
pub(super) fn request_of(bytes: Vec<u8>, schema: Schema) -> ReadRequest {
    let store = MemoryStore::new();
    store.put(DATA, bytes);
    request(&store, schema)
}
