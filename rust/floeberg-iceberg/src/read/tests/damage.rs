use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::fixture::{batches, numbers, numbers_schema, request, rows_or_fault, store, task};

/// Reads a damaged file. Out: its rows, or an error of a file's fault that names the file.
fn read(bytes: Vec<u8>) -> Option<Vec<i64>> {
    rows_or_fault(request(&store(bytes), numbers_schema()), &task())
}

#[test]
fn a_truncated_file_is_an_error() {
    let whole = numbers(40, 20);
    for length in (0..whole.len()).step_by(7) {
        assert!(read(whole[..length].to_vec()).is_none(), "the first {length} bytes");
    }
}

#[test]
fn a_flipped_byte_never_panics() {
    let whole = numbers(40, 20);
    let mut errors = 0;
    for position in 0..whole.len() {
        for flip in [0xff, 0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            errors += usize::from(read(bytes).is_none());
        }
    }
    assert!(errors > 0, "no damage was noticed");
}

#[test]
fn a_file_of_another_format_is_an_error() {
    assert!(read(b"Obj\x01 this is not Parquet at all, it only is long enough".to_vec()).is_none());
    assert!(read(vec![0; 200]).is_none());
}

/// A file of one column of texts, whatever their bytes.
fn texts(values: &[&[u8]], has_dictionary: bool) -> Vec<u8> {
    let schema = Arc::new(parse_message_type("message m { required binary s (UTF8) = 1; }").unwrap());
    let properties = WriterProperties::builder().set_dictionary_enabled(has_dictionary).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<_> = values.iter().map(|value| ByteArray::from(value.to_vec())).collect();
    column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

/// The message for a file that is not read.
fn refused(bytes: Vec<u8>) -> String {
    let schema = Schema::new(0, vec![Field::required(1, "s", PrimitiveType::String)]).unwrap();
    let error = batches(request(&store(bytes), schema), &task()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    assert!(error.to_string().contains("data.parquet"), "{error}");
    error.to_string()
}

#[test]
fn texts_that_are_not_utf8_are_an_error() {
    for has_dictionary in [false, true] {
        // Not a text, the beginning of one, and two that are one only together.
        for values in [&[&b"a"[..], b"\xff"][..], &[b"a", b"\xc3"], &[b"\xc3", b"\xa9"]] {
            let text = refused(texts(values, has_dictionary));
            assert!(text.to_lowercase().contains("utf"), "{text}");
        }
    }
}

#[test]
fn an_index_that_the_dictionary_does_not_have_is_an_error() {
    let values: Vec<&[u8]> = [(&b"a"[..], 8), (b"b", 8), (b"c", 100)]
        .into_iter()
        .flat_map(|(text, times)| vec![text; times])
        .collect();
    let mut bytes = texts(&values, true);
    // A run of a hundred times the last of three: in two bits there is room for a fourth.
    let run = [200, 1, 2];
    let found: Vec<_> = (0..bytes.len() - 3).filter(|at| bytes[*at..*at + 3] == run).collect();
    let [at] = found[..] else { panic!("{found:?}") };
    bytes[at + 2] = 3;
    refused(bytes);
}
