use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, StringArray};
use arrow_schema::{DataType, TimeUnit};
use floeberg_core::ErrorKind;
use floeberg_core::schema::arrow::field_id;

use super::fixture::{
    BINARY, CHAR, DATA, DECIMAL, DICTIONARY, File, INSTANT, INT, LENGTH, LONG, PRESENT, SECONDARY, STRING,
    TIMESTAMP, Type, UNION, bits, column, number, numeric, of, row, signed, unsigned, values, with,
};

#[test]
fn ids_and_types_come_from_attributes() {
    let types = vec![
        row(&["i", "t", "u", "f", "ns", "plain"], &[1, 2, 3, 4, 5, 6]),
        with(INT, &[("iceberg.required", "true"), ("iceberg.id", "7")]),
        with(LONG, &[("iceberg.long-type", "TIME")]),
        with(BINARY, &[("iceberg.binary-type", "UUID")]),
        with(BINARY, &[("iceberg.binary-type", "FIXED"), ("iceberg.length", "3")]),
        with(INSTANT, &[("iceberg.timestamp-unit", "NANOS")]),
        of(TIMESTAMP),
    ];
    let file = File { types, ..File::default() }.open().unwrap();
    let found: Vec<_> = file.fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(
        found,
        [
            DataType::Int32,
            DataType::Time64(TimeUnit::Microsecond),
            DataType::FixedSizeBinary(16),
            DataType::FixedSizeBinary(3),
            DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
            DataType::Timestamp(TimeUnit::Microsecond, None),
        ]
    );
    let ids: Vec<_> = file.fields().iter().map(|field| field_id(field)).collect();
    assert_eq!(ids, [Some(7), None, None, None, None, None]);
    assert!(file.fields().iter().all(|field| field.is_nullable()));
}

/// Seconds as they are counted from 2015, and nanoseconds with their zeros.
fn moments(of: Type, zone: &'static str) -> File {
    let from_2015 = |seconds: i64| seconds - 1_420_070_400;
    let seconds = [0, 1, -1, -2, -2].map(from_2015);
    // 0; 123,456,789; 999,999 below a millisecond; 500 milliseconds; 1,500 nanoseconds.
    let nanos = [0, 123_456_789 << 3, 999_999 << 3, (5 << 3) | 7, (15 << 3) | 1];
    let streams = vec![(DATA, signed(&seconds)), (SECONDARY, unsigned(&nanos))];
    File { zone, ..column(of, 5, streams) }
}

#[test]
fn timestamps_count_from_2015_and_lose_a_second_before_1970() {
    // A second is taken off only where there are whole milliseconds.
    let micros = [0, 1_123_456, -1_000_000 + 999, -3_000_000 + 500_000, -2_000_000 + 1];
    let read = values(&moments(of(TIMESTAMP), "UTC")).unwrap();
    assert_eq!(read.as_primitive::<TimestampMicrosecondType>().values(), &micros);
    let read = values(&moments(with(TIMESTAMP, &[("iceberg.timestamp-unit", "NANOS")]), "GMT")).unwrap();
    let nanos = [0, 1_123_456_789, -1_000_000_000 + 999_999, -2_500_000_000, -2_000_000_000 + 1_500];
    assert_eq!(read.as_primitive::<TimestampNanosecondType>().values(), &nanos);
}

#[test]
fn negative_nanoseconds_of_arrows_writer_are_added() {
    // One second and a half before 1970, half a second, and a nanosecond after the second of 1969-12-31T23:59:58.
    let seconds = [-1_420_070_401, -1_420_070_400, -1_420_070_401];
    let nanos = [(-5_i64 << 3) | 7, (-5 << 3) | 7, -999_999_999 << 3].map(|nanos: i64| nanos as u64);
    let streams = || vec![(DATA, signed(&seconds)), (SECONDARY, unsigned(&nanos))];
    let read = values(&column(of(TIMESTAMP), 3, streams())).unwrap();
    assert_eq!(read.as_primitive::<TimestampMicrosecondType>().values(), &[-1_500_000, -500_000, -2_000_000]);
    let kind = with(TIMESTAMP, &[("iceberg.timestamp-unit", "NANOS")]);
    let read = values(&column(kind, 3, streams())).unwrap();
    let expected = [-1_500_000_000, -500_000_000, -1_999_999_999];
    assert_eq!(read.as_primitive::<TimestampNanosecondType>().values(), &expected);
}

#[test]
fn only_timestamps_without_zone_depend_on_the_zone_of_the_writer() {
    let error = values(&moments(of(TIMESTAMP), "America/New_York")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("America/New_York") && error.to_string().contains("column: c"),
        "{error}"
    );
    let read = values(&moments(of(INSTANT), "America/New_York")).unwrap();
    assert_eq!(read.as_primitive::<TimestampMicrosecondType>().value(1), 1_123_456);
    assert_eq!(read.data_type(), &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
}

#[test]
fn timestamps_that_are_none_are_errors() {
    for (seconds, nanos) in [
        (0, 1_000_000_000_u64 << 3),
        (i64::MAX, 0),
        (i64::MAX / 1_000_000, 0),
        (0, 1 << 63),
        (0, ((-10_i64 << 3) | 7) as u64),
    ] {
        let file =
            column(of(TIMESTAMP), 1, vec![(DATA, signed(&[seconds])), (SECONDARY, unsigned(&[nanos]))]);
        assert_eq!(values(&file).unwrap_err().kind(), ErrorKind::InvalidData, "{seconds} {nanos}");
    }
}

fn decimals(values: &[i64], scales: &[i64], decimal: (u64, u64)) -> File {
    let data = values.iter().flat_map(|value| number(((value << 1) ^ (value >> 63)) as u64)).collect();
    let streams = vec![(DATA, data), (SECONDARY, signed(scales))];
    column(Type { decimal: Some(decimal), ..of(DECIMAL) }, values.len() as u64, streams)
}

#[test]
fn decimals_come_to_the_scale_of_their_type() {
    let read = values(&decimals(&[1234, -5, 70, 0], &[2, 0, 3, 9], (6, 2))).unwrap();
    assert_eq!(read.data_type(), &DataType::Decimal128(6, 2));
    assert_eq!(read.as_primitive::<Decimal128Type>().values(), &[1234, -500, 7, 0]);
}

#[test]
fn decimals_that_do_not_fit_are_errors() {
    for (value, scale) in [(1, 3), (1_000_000, 2), (-1_000_000, 2), (1, -40), (1, i64::MIN), (i64::MAX, -20)]
    {
        let error = values(&decimals(&[value], &[scale], (6, 2))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{value} {scale}");
    }
    assert!(decimals(&[1], &[0], (39, 2)).open().is_err());
    assert!(decimals(&[1], &[0], (4, 5)).open().is_err());
}

#[test]
fn texts_are_written_out_or_in_a_dictionary() {
    let expected = StringArray::from(vec![Some("b"), None, Some(""), Some("aa"), Some("b")]);
    let present = (PRESENT, bits(&[1, 0, 1, 1, 1]));
    let direct = vec![present.clone(), (LENGTH, unsigned(&[1, 0, 2, 1])), (DATA, b"baab".to_vec())];
    assert_eq!(values(&column(of(STRING), 5, direct)).unwrap().as_string::<i32>(), &expected);
    let dictionary = vec![
        present,
        (DATA, unsigned(&[2, 0, 1, 2])),
        (LENGTH, unsigned(&[0, 2, 1])),
        (DICTIONARY, b"aab".to_vec()),
    ];
    let mut file = column(of(STRING), 5, dictionary);
    file.encodings = vec![(0, 0), (3, 3)];
    assert_eq!(values(&file).unwrap().as_string::<i32>(), &expected);
    // An entry that is not there, and more entries than bytes can tell apart.
    file.encodings = vec![(0, 0), (3, 2)];
    assert_eq!(values(&file).unwrap_err().kind(), ErrorKind::InvalidData);
    file.encodings = vec![(0, 0), (3, u64::from(u32::MAX))];
    assert_eq!(values(&file).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn texts_that_are_not_utf8_are_errors() {
    // The second is two texts that are one only together.
    for data in [b"a\xff", b"\xc3\xa9"] {
        let direct = vec![(LENGTH, unsigned(&[1, 1])), (DATA, data.to_vec())];
        assert_eq!(values(&column(of(STRING), 2, direct)).unwrap_err().kind(), ErrorKind::InvalidData);
        let parts = [(DATA, unsigned(&[0, 1])), (LENGTH, unsigned(&[1, 1])), (DICTIONARY, data.to_vec())];
        let mut dictionary = column(of(STRING), 2, parts.to_vec());
        dictionary.encodings = vec![(0, 0), (3, 2)];
        assert_eq!(values(&dictionary).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn padding_of_char_is_taken_off() {
    let file = column(of(CHAR), 2, vec![(LENGTH, unsigned(&[4, 3])), (DATA, b"ab   c ".to_vec())]);
    assert_eq!(values(&file).unwrap().as_string::<i32>(), &StringArray::from(vec!["ab", " c"]));
}

#[test]
fn fixed_bytes_have_their_length_and_nulls_take_place() {
    let fixed = with(BINARY, &[("iceberg.binary-type", "FIXED"), ("iceberg.length", "2")]);
    let streams = |lengths: &[u64]| {
        vec![(PRESENT, bits(&[0, 1, 0, 1])), (LENGTH, unsigned(lengths)), (DATA, b"abcd".to_vec())]
    };
    let read = values(&column(fixed.clone(), 4, streams(&[2, 2]))).unwrap();
    let read: Vec<_> = read.as_fixed_size_binary().iter().collect();
    assert_eq!(read, [None, Some(b"ab".as_slice()), None, Some(b"cd")]);
    let error = values(&column(fixed, 4, streams(&[1, 3]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn a_value_that_is_too_large_for_its_type_is_an_error() {
    let file = column(of(INT), 2, vec![(DATA, signed(&[1, 1 << 31]))]);
    assert_eq!(values(&file).unwrap_err().kind(), ErrorKind::InvalidData);
    let file = column(of(INT), 2, vec![(DATA, signed(&[1, -(1 << 31)]))]);
    assert_eq!(values(&file).unwrap().as_primitive::<Int32Type>().values(), &[1, i32::MIN]);
}

#[test]
fn a_column_of_nulls_needs_no_data() {
    let read = values(&column(of(LONG), 3, vec![(PRESENT, bits(&[0, 0, 0]))])).unwrap();
    assert_eq!((read.len(), read.null_count()), (3, 3));
    let error = values(&column(of(LONG), 3, vec![])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn a_union_is_refused_where_it_is_read_and_not_before() {
    let union = Type { parts: vec![2, 3], ..of(UNION) };
    let types = vec![row(&["u", "i"], &[1, 4]), union, of(INT), of(STRING), of(INT)];
    let streams = vec![(1, DATA, vec![0, 0]), (4, DATA, signed(&[5, 6, 7]))];
    let file = File { types, rows: 3, streams, ..File::default() };
    let open = file.open().unwrap();
    assert_eq!(open.fields()[0].data_type(), &DataType::Null);
    let batch = open.read(0, &[1].into(), 10).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[5, 6, 7]);
    assert_eq!(file.read().unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn batches_have_no_more_rows_than_asked_for() {
    let numbers: Vec<i64> = (0..500).collect();
    let file = column(of(LONG), 500, vec![(DATA, signed(&numbers))]).open().unwrap();
    let batches: Vec<_> =
        file.read(0, &[0].into(), 200).unwrap().map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(batches, [200, 200, 100]);
    let bare: Vec<_> =
        file.read(0, &[].into(), 400).unwrap().map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(bare, [400, 100]);
}

#[test]
fn rows_of_stripes_follow_each_other() {
    // The same stripe twice.
    let mut file = column(of(LONG), 3, vec![(DATA, signed(&[1, 2, 3]))]);
    let whole = file.bytes();
    let at = whole.windows(2).position(|found| found == [0x1a, 8]).unwrap();
    file.extra_footer = [whole[at..at + 10].to_vec(), numeric(6, 6)].concat();
    let open = file.open().unwrap();
    let rows: Vec<_> = open.stripes().iter().map(|stripe| (stripe.offset, stripe.rows.clone())).collect();
    assert_eq!(rows, [(3, 0..3), (3, 3..6)]);
    for stripe in 0..2 {
        let batch = open.read(stripe, &[0].into(), 10).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[1, 2, 3]);
    }
}
