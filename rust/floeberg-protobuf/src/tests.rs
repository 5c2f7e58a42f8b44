#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use proptest::prelude::*;

use super::*;

/// A field that no table has, with a number and with bytes.
const OTHERS: &[u8] = b"\xc8\x3e\x07\xd2\x3e\x02hi";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Text(String),
    Part(Part),
}

message! {
    /// A message without a line for others.
    struct Part {
        name: String = 1,
        size: Option<u64> = 2,
    }
}

message! {
    /// A message with a field of every kind.
    struct Every {
        long: u64 = 1,
        small: u32 = 2,
        signed_long: i64 = 3,
        signed: i32 = 4,
        flag: bool = 5,
        text: String = 6,
        bytes: Vec<u8> = 7,
        some_number: Option<i32> = 8,
        some_text: Option<String> = 9,
        some_part: Option<Part> = 10,
        part: Part = 11,
        numbers: Vec<i32> = 12,
        flags: Vec<bool> = 13,
        texts: Vec<String> = 14,
        many_bytes: Vec<Vec<u8>> = 15,
        parts: Vec<Part> = 16,
        map: Vec<(String, Vec<u8>)> = 17,
        entries: Vec<(i32, Option<Part>)> = 18,
        choice: Option<Choice> = oneof { Choice::Text = 19, Choice::Part = 30 },
        ..unknown
    }
}

fn part(name: &str, size: Option<u64>) -> Part {
    Part { name: name.to_owned(), size }
}

fn every() -> Every {
    Every {
        long: u64::MAX,
        small: 300,
        signed_long: -2,
        signed: -1,
        flag: true,
        text: "ö".to_owned(),
        bytes: vec![0],
        some_number: Some(0),
        some_text: Some(String::new()),
        some_part: Some(Part::default()),
        part: part("a", None),
        numbers: vec![0, -1],
        flags: vec![false, true],
        texts: vec![String::new(), "b".to_owned()],
        many_bytes: vec![vec![], vec![1]],
        parts: vec![Part::default(), part("", Some(0))],
        map: vec![(String::new(), vec![]), ("k".to_owned(), vec![2])],
        entries: vec![(0, None), (-1, Some(Part::default()))],
        choice: Some(Choice::Part(Part::default())),
        unknown: Unknown(OTHERS.to_vec()),
    }
}

#[test]
fn every_kind_is_written_as_the_encoding_says() {
    let ones = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    let expected = [
        &[&b"\x08"[..], ones, b"\x10\xac\x02", b"\x18\xfe", &ones[1..], b"\x20", ones, b"\x28\x01"].concat()
            [..],
        b"\x32\x02\xc3\xb6\x3a\x01\0\x40\0\x4a\0\x52\0\x5a\x03\x0a\x01a",
        &[&b"\x62\x0b\0"[..], ones, b"\x6a\x02\0\x01\x72\0\x72\x01b\x7a\0\x7a\x01\x01"].concat(),
        b"\x82\x01\0\x82\x01\x02\x10\0\x8a\x01\0\x8a\x01\x06\x0a\x01k\x12\x01\x02\x92\x01\0",
        &[&b"\x92\x01\x0d\x08"[..], ones, b"\x12\0\xf2\x01\0", OTHERS].concat(),
    ]
    .concat();
    assert_eq!(to_bytes(&every()), expected);
    assert_eq!(parse::<Every>(&expected).unwrap(), every());
}

#[test]
fn what_is_zero_or_empty_is_left_out() {
    // A message that always is there is.
    assert_eq!(to_bytes(&Every::default()), b"\x5a\0");
    assert_eq!(parse::<Every>(b"").unwrap(), Every::default());
}

#[test]
fn what_is_there_twice_counts_the_second_time_but_lists_and_parts_go_on() {
    let first = Every { part: part("a", Some(1)), some_part: Some(part("a", Some(1))), ..every() };
    let second = Every { part: part("b", None), some_part: Some(part("b", None)), ..Every::default() };
    let text = b"\x9a\x01\x01t";
    let both: Every = parse(&[&to_bytes(&first), &to_bytes(&second), &text[..]].concat()).unwrap();
    assert_eq!((both.part, both.some_part), (part("b", Some(1)), Some(part("b", None))));
    assert_eq!(both.choice, Some(Choice::Text("t".to_owned())));
    // A number that is not packed, and more that are.
    let numbers: Every = parse(b"\x60\x01\x62\x02\x02\x03\x60\x04").unwrap();
    assert_eq!(numbers.numbers, [1, 2, 3, 4]);
}

#[test]
fn other_fields_are_kept_where_the_table_says_so() {
    assert_eq!(parse::<Every>(OTHERS).unwrap().unknown, Unknown(OTHERS.to_vec()));
    let bytes = [&to_bytes(&part("a", Some(0))), OTHERS, b"\x7d1234\x7912345678"].concat();
    assert_eq!(parse::<Part>(&bytes).unwrap(), part("a", Some(0)));
}

#[test]
fn of_a_key_that_a_map_has_twice_the_last_value_counts() {
    let map = [("a".to_owned(), 1), ("b".to_owned(), 2), ("a".to_owned(), 3)];
    assert_eq!((lookup(&map, "a"), lookup(&map, "c")), (Some(&3), None));
}

#[test]
fn damage_is_told_from_messages() {
    for (bytes, expected) in [
        (&b"\x32"[..], "its end in a number"),
        (b"\x32\x05abc", "a field of 5 bytes where 3 are left"),
        (b"\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "bytes where 0 are left"),
        (b"\x09abc", "a field of 8 bytes where 3 are left"),
        (b"\x0d", "a field of 4 bytes where 0 are left"),
        (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "a number above 64 bits"),
        (b"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "a number above 64 bits"),
        (b"\x0b", "a field of wire type 3"),
        (b"\x0c", "a field of wire type 4"),
        (b"\x0f", "a field of wire type 7"),
        (b"\0\x01", "a field with the number 0"),
        (b"\x80\x80\x80\x80\x80\x01\x01", "a field with a number above 32 bits"),
        (b"\x0a\0", "bytes where a number is expected"),
        (b"\x0d1234", "bytes where a number is expected"),
        (b"\x30\x01", "a number where bytes are expected"),
        (b"\x10\x80\x80\x80\x80\x10", "4294967296, which is above 32 bits"),
        (b"\x20\x80\x80\x80\x80\x08", "2147483648, which is not of 32 bits"),
        (b"\x32\x01\xff", "text that is not UTF-8"),
        (b"\x52\x02\x0a\x01", "a field of 1 bytes where 0 are left"),
        (b"\x62\x01\x80", "its end in a number"),
    ] {
        let error = parse::<Every>(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let text = format!("expected a message of protocol buffers, found {expected}");
        assert!(error.message() == text || error.message().ends_with(expected), "{bytes:02x?}: {error}");
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut records = Records::new(b"\x08\x01\x0b\x08\x01");
    assert_eq!(records.next().unwrap().unwrap().bytes(), b"\x08\x01");
    assert!(records.next().unwrap().is_err());
    assert!(records.next().is_none());
}

fn drawn() -> impl Strategy<Value = Vec<u8>> {
    let field = (1..32_u32, 0..3_u8, any::<u64>(), prop::collection::vec(any::<u8>(), 0..12));
    let field = field.prop_map(|(number, kind, value, bytes)| {
        let mut out = Encoder::default();
        match kind {
            0 => out.some_number(number, value >> (value % 64)),
            1 => out.some_bytes(number, bytes),
            _ => out.some_bytes(number, "a"),
        }
        out.finish()
    });
    prop::collection::vec(field, 0..6).prop_map(|fields| fields.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in prop_oneof![drawn(), prop::collection::vec(any::<u8>(), 0..60)]) {
        if let Ok(message) = parse::<Every>(&bytes) {
            let written = to_bytes(&message);
            prop_assert_eq!(&parse::<Every>(&written).unwrap(), &message);
            prop_assert_eq!(to_bytes(&parse::<Every>(&written).unwrap()), written);
        }
    }
}

message! {
    /// A message of numbers that are written otherwise.
    struct Ranges {
        least: Option<Signed> = 1,
        most: Option<Double> = 2,
    }
}

#[test]
fn signed_numbers_and_floats_are_written_as_the_proto_says() {
    let ranges = Ranges { least: Some(Signed(-3)), most: Some((-0.5).into()) };
    let bytes = to_bytes(&ranges);
    assert_eq!(bytes, b"\x08\x05\x11\x00\x00\x00\x00\x00\x00\xe0\xbf");
    assert_eq!(parse::<Ranges>(&bytes).unwrap(), ranges);
    assert_eq!(f64::from(ranges.most.unwrap()), -0.5);
    let number_as_float = parse::<Ranges>(b"\x10\x01").unwrap_err();
    assert_eq!(number_as_float.kind(), ErrorKind::InvalidData);
    assert_eq!(parse::<Ranges>(&bytes[..6]).unwrap_err().kind(), ErrorKind::InvalidData);
}

proptest! {
    #[test]
    fn any_signed_number_is_read_as_it_was(number: i64, float: f64) {
        let ranges = Ranges { least: Some(Signed(number)), most: Some(float.into()) };
        prop_assert_eq!(parse::<Ranges>(&to_bytes(&ranges)).unwrap(), ranges);
    }
}
