use floeberg_core::{Error, ErrorKind};

use super::fixture::{
    DATA, File, INT, LIST, PRESENT, STRUCT, Type, bits, bytes, column, number, numeric, of, open, read_all,
    row, signed, with,
};

fn numbers() -> File {
    column(of(INT), 3, vec![(DATA, signed(&[1, 2, 3]))])
}

/// Errors of a file name it, and are its own fault or beyond this version.
fn assert_of_file(error: &Error, what: &str) {
    let expected = [ErrorKind::InvalidData, ErrorKind::Unsupported, ErrorKind::LimitExceeded];
    assert!(expected.contains(&error.kind()), "{what}: {error:?}");
    assert!(error.to_string().contains("file.orc"), "{what}: {error}");
}

#[test]
fn every_truncation_is_an_error() {
    let whole = numbers().bytes();
    assert_eq!(read_all(whole.clone()).unwrap(), 3);
    for length in 0..whole.len() {
        assert_of_file(&read_all(whole[..length].to_vec()).unwrap_err(), &format!("{length} bytes"));
    }
}

#[test]
fn what_is_not_orc_is_an_error() {
    for bytes in [vec![], vec![0; 300], b"PAR1 but not an ORC file at all".to_vec(), vec![0xff; 300]] {
        assert_of_file(&open(bytes.clone()).unwrap_err(), &format!("{bytes:?}"));
    }
}

#[test]
fn what_cannot_be_read_says_so_at_once() {
    let unsupported = |file: File, what: &str| {
        let error = file.open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{what}: {error}");
    };
    unsupported(File { extra_footer: bytes(10, b""), ..numbers() }, "encryption");
    unsupported(File { extra_postscript: numeric(2, 3), ..numbers() }, "lzo");
    let mut later = File { extra_postscript: Vec::new(), ..numbers() }.bytes();
    let version = later.windows(4).rposition(|found| found == [0x22, 2, 0, 12]).unwrap();
    later[version + 2] = 1;
    assert_eq!(open(later).unwrap_err().kind(), ErrorKind::Unsupported);
    unsupported(File { types: vec![of(INT)], ..File::default() }, "rows that are no structs");
    unsupported(column(of(99), 3, vec![]), "a type of the future");
}

#[test]
fn types_that_make_no_tree_are_errors() {
    let deep: Vec<Type> = (1..5000).map(|part| row(&["s"], &[part])).collect();
    for types in [
        vec![],
        vec![row(&["a"], &[0])],
        vec![row(&["a", "b"], &[1, 1]), of(INT)],
        vec![row(&["a"], &[9]), of(INT)],
        vec![row(&["a", "b"], &[2, 1]), of(INT), of(INT)],
        vec![row(&["a"], &[1, 2]), of(INT), of(INT)],
        vec![row(&["a"], &[1]), Type { parts: vec![2, 3], ..of(LIST) }, of(INT), of(INT)],
        vec![row(&["a"], &[1]), with(INT, &[("iceberg.id", "one")])],
        vec![row(&["a"], &[1]), with(8, &[("iceberg.binary-type", "FIXED"), ("iceberg.length", "-1")])],
        deep,
    ] {
        let error = File { types, ..File::default() }.open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    }
}

#[test]
fn rows_that_no_bytes_tell_of_are_refused() {
    let file = File { rows: 1 << 60, ..numbers() };
    assert_eq!(file.open().unwrap_err().kind(), ErrorKind::InvalidData);
    // More than there are, within what bytes could tell of.
    let file = File { rows: 400, ..numbers() };
    assert_of_file(&file.read().unwrap_err(), "400 rows");
    // The stripes and the file differ.
    let file = File { extra_footer: numeric(6, 4), ..numbers() };
    assert_eq!(file.open().unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn places_outside_of_the_file_are_refused() {
    let place = |offset: u64, index: u64, data: u64, footer: u64| {
        let place = [numeric(1, offset), numeric(2, index), numeric(3, data), numeric(4, footer)].concat();
        File { extra_footer: bytes(3, &place), ..numbers() }
    };
    assert!(place(3, 0, 0, 0).open().is_ok());
    for (offset, index, data, footer) in
        [(u64::MAX, 0, 0, 0), (3, 1 << 40, 0, 0), (3, u64::MAX, u64::MAX, 3), (3, 0, 0, 1 << 20)]
    {
        let error = place(offset, index, data, footer).open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    }
    let mut file = numbers();
    file.extra_postscript = numeric(1, 1 << 50);
    assert_of_file(&file.open().unwrap_err(), "a footer larger than the file");
    file.extra_postscript = [numeric(2, 1), numeric(3, 1 << 40)].concat();
    assert_of_file(&file.open().unwrap_err(), "blocks of a terabyte");
}

#[test]
fn streams_twice_or_past_their_stripe_are_errors() {
    let mut file = numbers();
    file.streams.push((1, DATA, signed(&[4, 5, 6])));
    assert_of_file(&file.read().unwrap_err(), "two streams");
    file.streams = vec![(0, PRESENT, bits(&[1, 0, 1])), (1, DATA, signed(&[1, 2]))];
    assert_of_file(&file.read().unwrap_err(), "a row that is null");
    // The second stream claims a byte of the footer of the stripe.
    let whole = numbers().bytes();
    let length = signed(&[1, 2, 3]).len() as u8;
    let at = whole.windows(2).position(|found| found == [0x18, length]).unwrap();
    let mut longer = whole.clone();
    longer[at + 1] += 1;
    assert_of_file(&read_all(longer).unwrap_err(), "a stream that is too long");
}

#[test]
fn a_message_without_end_is_an_error() {
    for extra in [number(u64::MAX), vec![0x0b], bytes(4, &[0xff; 11]), vec![0x22, 0x7f]] {
        let file = File { extra_footer: extra.clone(), ..numbers() };
        assert_of_file(&file.open().unwrap_err(), &format!("{extra:x?}"));
    }
    assert!(
        File { extra_footer: [vec![0x7d, 1, 2, 3, 4], vec![0x79; 9]].concat(), ..numbers() }.open().is_ok()
    );
}

#[test]
fn nested_columns_without_encodings_are_errors() {
    let list = Type { parts: vec![2], ..of(LIST) };
    let file = File { types: vec![row(&["l"], &[1]), list, of(STRUCT)], rows: 1, ..File::default() };
    assert!(file.open().is_err() || file.read().is_err());
}
