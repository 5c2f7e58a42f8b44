use super::fixture::{numbers, numbers_schema, request, rows_or_fault, store, task};

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
