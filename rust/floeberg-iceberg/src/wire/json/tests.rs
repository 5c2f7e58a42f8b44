#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use floeberg_core::ErrorKind;
use serde_json::json;

use super::*;

const LIMIT: u64 = 1 << 20;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn message_of(bytes: &[u8]) -> String {
    let error = parse_json(bytes, LIMIT).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    error.to_string()
}

#[test]
fn gzip_is_told_by_content() {
    let text = br#"{"b": [1, 2.5, "x", null, true], "a": {}}"#;
    let expected = json!({"b": [1, 2.5, "x", null, true], "a": {}});
    assert_eq!(parse_json(text, LIMIT).unwrap(), expected);
    assert_eq!(parse_json(&gzip(text), LIMIT).unwrap(), expected);
}

#[test]
fn the_order_of_keys_is_kept() {
    let keys: Vec<_> = object(parse_json(br#"{"b":1,"a":2,"c":3}"#, LIMIT).unwrap(), &JsonPath::root("x"))
        .unwrap()
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, ["b", "a", "c"]);
}

#[test]
fn a_document_larger_than_the_limit_is_refused_packed_or_not() {
    let blanks = vec![b' '; 4096];
    for bytes in [blanks.clone(), gzip(&blanks)] {
        let error = parse_json(&bytes, 4095).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("4095"), "{error}");
    }
    let mut fits = vec![b' '; 4095];
    fits.push(b'1');
    assert_eq!(parse_json(&gzip(&fits), 4096).unwrap(), json!(1));
}

#[test]
fn a_bomb_is_not_inflated_beyond_the_limit() {
    let bomb = gzip(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 128 << 10);
    assert_eq!(parse_json(&bomb, LIMIT).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_cut_gzip_stream_is_an_error_at_every_length() {
    let whole = gzip(br#"{"format-version": 2}"#);
    for length in 2..whole.len() {
        assert!(message_of(&whole[..length]).contains("gzip"), "cut at {length}");
    }
}

#[test]
fn a_cut_text_is_an_error_with_line_and_column() {
    let whole = b"{\n \"a\": [1, {\"b\": \"c\"}]\n}";
    for length in 0..whole.len() {
        let message = message_of(&whole[..length]);
        assert!(message.contains("line ") && message.contains("column "), "cut at {length}: {message}");
    }
}

#[test]
fn text_after_the_document_is_an_error() {
    assert!(message_of(b"{} {}").contains("trailing"));
}

#[test]
fn a_utf8_byte_order_mark_is_skipped_and_others_are_errors() {
    assert_eq!(parse_json(b"\xef\xbb\xbf[1]", LIMIT).unwrap(), json!([1]));
    message_of(b"\xff\xfe[\x001\x00]\x00");
    message_of(b"\xef\xbb\xbf\xef\xbb\xbf[1]");
}

#[test]
fn text_that_is_not_utf8_is_an_error() {
    message_of(b"{\"a\": \"\xff\xfe\"}");
    message_of(b"{\"\xc3\": 1}");
    message_of(br#"["\ud800"]"#);
}

#[test]
fn a_key_that_occurs_twice_is_an_error_that_names_it() {
    assert!(
        message_of(br#"{"a": {"snapshot-id": 1, "snapshot-id": 2}}"#).contains("`snapshot-id` occurs twice")
    );
    assert!(message_of(br#"{"a": 1, "\u0061": 2}"#).contains("`a` occurs twice"));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let depth = 200_000;
    assert!(message_of(&vec![b'['; depth]).contains("recursion limit"));
    message_of("{\"a\":".repeat(depth).as_bytes());
    let accepted = format!("{}{}", "[".repeat(100), "]".repeat(100));
    parse_json(accepted.as_bytes(), LIMIT).unwrap();
}

#[test]
fn numbers_out_of_range_are_errors_where_they_are_read() {
    let path = JsonPath::root("table");
    assert!(message_of(b"1e999").contains("out of range"));
    assert_eq!(long(json!(i64::MIN), &path).unwrap(), i64::MIN);
    assert_eq!(int(json!(i32::MAX), &path).unwrap(), i32::MAX);
    for (number, found) in [("9223372036854775808", "9223372036854775808"), ("1.5", "1.5"), ("1e3", "1000.0")]
    {
        let error = long(parse_json(number.as_bytes(), LIMIT).unwrap(), &path.key("n")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("table: n: expected a 64-bit integer, found the number {found}")
        );
    }
    let error = int(json!(1_i64 << 31), &path).unwrap_err();
    assert_eq!(error.to_string(), "table: expected a 32-bit integer, found the number 2147483648");
}

#[test]
fn doubles_keep_their_last_bit() {
    let number = "0.30000000000000004440892098500626";
    assert_eq!(parse_json(number.as_bytes(), LIMIT).unwrap(), json!(0.1 + 0.2));
    let hard = "122.41629403378658";
    assert_eq!(parse_json(hard.as_bytes(), LIMIT).unwrap(), json!(122.416_294_033_786_58_f64));
}

#[test]
fn a_wrong_type_is_an_error_that_names_the_place_and_both_types() {
    let root = JsonPath::root("table");
    let document = json!({"log": [{"at": 1}, {"at": {"x": 1}}]});
    let read = |json, path: &JsonPath<'_>| ObjectReader::new(json, path)?.required("at", long);
    let mut object = ObjectReader::new(document, &root).unwrap();
    let error = object.required("log", list(read)).unwrap_err();
    assert_eq!(error.to_string(), "table: log[1].at: expected a 64-bit integer, found an object of 1 keys");
}

#[test]
fn a_missing_key_and_null_are_the_same() {
    let root = JsonPath::root("table");
    for document in [json!({}), json!({"a": null})] {
        let mut object = ObjectReader::new(document.clone(), &root).unwrap();
        assert!(!object.has("a"));
        assert_eq!(object.optional("a", string).unwrap(), None);
        let error = ObjectReader::new(document, &root).unwrap().required("a", string).unwrap_err();
        assert_eq!(error.to_string(), "table: the required key \"a\" is missing");
    }
}

#[test]
fn long_values_are_cut_in_messages() {
    let root = JsonPath::root("table");
    let error = int(json!("é".repeat(10_000)), &root).unwrap_err();
    assert!(error.to_string().len() < 250);
}

#[test]
fn what_was_not_asked_for_is_left_in_its_order() {
    let root = JsonPath::root("table");
    let mut object = ObjectReader::new(json!({"z": 1, "known": 2, "a": null, "m": []}), &root).unwrap();
    assert_eq!(object.required("known", int).unwrap(), 2);
    assert_eq!(object.unknown_keys().keys().collect::<Vec<_>>(), ["z", "a", "m"]);
}

#[test]
fn what_may_be_written_is_what_is_read() {
    for depth in 120..135 {
        for inner in [json!([]), json!(1)] {
            let document =
                (0..depth).fold(
                    inner,
                    |inner, number| {
                        if number % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) }
                    },
                );
            let text = serde_json::to_vec(&document).unwrap();
            let is_read = parse_json(&text, LIMIT).is_ok();
            assert_eq!(check_readable(&document, 0, text.len(), LIMIT).is_ok(), is_read, "{depth}");
        }
    }
    assert!(check_readable(&json!({}), 0, LIMIT as usize, LIMIT).is_ok());
    let error = check_readable(&json!({}), 0, LIMIT as usize + 1, LIMIT).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}
