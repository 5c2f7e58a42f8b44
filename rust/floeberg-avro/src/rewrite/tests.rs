#![allow(clippy::unwrap_used)]

use floeberg_core::{ErrorKind, Result};

use super::{Change, Found, FoundValue, rewrite};
use crate::Limits;
use crate::testing::{block, file, header, long, prefixed, record};

const NAMES: [(i32, &str); 4] = [(1, "path"), (2, "size"), (3, "bounds"), (4, "offsets")];
const FIELDS: &str = r#"
    {"name":"unknown","type":{"type":"map","values":"long"}},
    {"name":"inner","type":{"type":"record","name":"i","fields":[
        {"name":"path","type":"string","field-id":1},
        {"name":"flag","type":["null","boolean"]},
        {"name":"size","type":["null","long"],"field-id":2}]}},
    {"name":"bounds","field-id":3,"type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"kv","fields":[
        {"name":"key","type":"int","field-id":5},{"name":"value","type":["null","bytes"],"field-id":6}]}}]},
    {"name":"offsets","field-id":4,"type":["null",{"type":"array","items":"long"}]},
    {"name":"last","type":"double"}"#;

fn row(path: &str, size: Option<i64>, bounds: &[(i64, &str)], offsets: &[i64]) -> Vec<u8> {
    let unknown = [long(1), prefixed(b"k"), long(-77), long(0)].concat();
    let size = size.map_or_else(|| long(0), |size| [long(1), long(size)].concat());
    let inner = [prefixed(path.as_bytes()), long(1), vec![1], size].concat();
    let pairs = bounds.iter().flat_map(|(key, value)| [long(*key), long(1), prefixed(value.as_bytes())]);
    let pairs =
        [if bounds.is_empty() { vec![] } else { long(bounds.len() as i64) }, pairs.flatten().collect()];
    let items: Vec<u8> = offsets.iter().flat_map(|offset| long(*offset)).collect();
    let items =
        [if offsets.is_empty() { vec![] } else { long(offsets.len() as i64) }, items, long(0)].concat();
    [unknown, inner, long(1), pairs.concat(), long(0), long(1), items, 2.5_f64.to_le_bytes().to_vec()]
        .concat()
}

fn rewritten(bytes: &[u8], change: impl FnMut(&Found<'_>) -> Result<Change>) -> Result<Vec<u8>> {
    let mut written = Vec::new();
    let length = rewrite(bytes, &Limits::default(), &NAMES, change, |part| {
        written.extend_from_slice(part);
        Ok(())
    })?;
    assert_eq!(length, written.len() as u64);
    Ok(written)
}

/// Paths become longer, sizes and lists others, and the bound 7 goes.
#[expect(clippy::unnecessary_wraps, reason = "has the shape of what says a change")]
fn changes(found: &Found<'_>) -> Result<Change> {
    Ok(match (found.field, found.key, found.value) {
        (1, None, FoundValue::Bytes(path)) => Change::Bytes([b"longer/", path].concat()),
        (2, None, FoundValue::Long(size)) => Change::Long(size + 1000 * (found.row as i64 + 1)),
        (3, Some(7), FoundValue::Bytes(_)) => Change::Remove,
        (3, Some(9), FoundValue::Bytes(_)) => Change::Bytes(b"z".to_vec()),
        (4, None, FoundValue::List) => Change::Longs(vec![4, 400]),
        _ => Change::Keep,
    })
}

#[test]
fn values_change_and_all_others_stay() {
    let schema = record(FIELDS);
    let before = [
        row("a", Some(5), &[(7, "x"), (8, "y")], &[]),
        row("", None, &[(7, "x")], &[1]),
        row("c", Some(6), &[(9, "w")], &[4]),
    ];
    let after = [
        row("longer/a", Some(1005), &[(8, "y")], &[4, 400]),
        row("longer/", None, &[], &[4, 400]),
        row("longer/c", Some(3006), &[(9, "z")], &[4, 400]),
    ];
    // Several blocks become one.
    let bytes = [header(&schema, "null"), block(1, &before[0]), block(2, &before[1..].concat())].concat();
    assert_eq!(rewritten(&bytes, changes).unwrap(), file(&schema, 3, &after.concat()));
    assert_eq!(rewritten(&bytes, |_| Ok(Change::Keep)).unwrap(), file(&schema, 3, &before.concat()));
}

#[test]
fn files_without_ids_are_changed_by_name() {
    let schema = record(r#"{"name":"other","type":"string"},{"name":"path","type":["string","null"]}"#);
    let row = |path: &str| [prefixed(b"o"), long(0), prefixed(path.as_bytes())].concat();
    let written = rewritten(&file(&schema, 1, &row("a")), changes).unwrap();
    assert_eq!(written, file(&schema, 1, &row("longer/a")));
}

#[test]
fn fixed_values_behind_their_length_are_copied_too() {
    let schema = record(
        r#"{"name":"f","type":{"type":"fixed","name":"x","size":3}},{"name":"path","type":"string","field-id":1}"#,
    );
    for fixed in [b"abc".to_vec(), prefixed(b"abc")] {
        let row = |path: &str| [fixed.clone(), prefixed(path.as_bytes())].concat();
        let written = rewritten(&file(&schema, 2, &[row("a"), row("b")].concat()), changes).unwrap();
        assert_eq!(written, file(&schema, 2, &[row("longer/a"), row("longer/b")].concat()));
    }
}

#[test]
fn codecs_stay() {
    let schema = record(r#"{"name":"path","type":"string","field-id":1}"#);
    let plain: Vec<u8> = (0..9000).flat_map(|number| prefixed(format!("path {number}").as_bytes())).collect();
    let plain = file(&schema, 9000, &plain);
    let longer = rewritten(&plain, changes).unwrap();
    assert!(rewritten(&longer, |_| Ok(Change::Keep)).unwrap() == longer, "blocks have the size of a writer");
    for codec in ["deflate", "snappy", "zstandard"] {
        // A file of the codec without rows, to have its header; rows come in by a writer of blocks.
        let empty = header(&schema, codec);
        assert_eq!(rewritten(&empty, changes).unwrap(), empty);
    }
}

#[test]
fn damage_is_an_error() {
    let schema = record(FIELDS);
    let rows = row("a", Some(5), &[(7, "x")], &[1]);
    for end in 0..rows.len() {
        let error = rewritten(&file(&schema, 1, &rows[..end]), changes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{end}: {error}");
    }
    let more = [&rows[..], &[0]].concat();
    assert_eq!(rewritten(&file(&schema, 1, &more), changes).unwrap_err().kind(), ErrorKind::InvalidData);
    let endless = file(&record(r#"{"name":"n","type":"null"}"#), i64::MAX, &[]);
    assert_eq!(rewritten(&endless, changes).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let wrong = record(r#"{"name":"path","type":"double","field-id":1}"#);
    assert_eq!(rewritten(&file(&wrong, 0, &[]), changes).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn what_fails_ends_it() {
    let bytes = file(&record(FIELDS), 1, &row("a", Some(5), &[], &[]));
    let refused = || floeberg_core::Error::invalid_input("outside");
    let error = rewritten(&bytes, |_| Err(refused())).unwrap_err();
    assert_eq!((error.kind(), error.to_string().contains("outside")), (ErrorKind::InvalidInput, true));
    let error = rewritten(&bytes, |_| Ok(Change::Long(1))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    let error = rewrite(&bytes, &Limits::default(), &NAMES, changes, |_| Err(refused())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}
