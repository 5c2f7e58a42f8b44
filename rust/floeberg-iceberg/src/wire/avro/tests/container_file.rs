//! Writes container files by hand, so that every part can be wrong on purpose.

use std::collections::BTreeMap;

use arrow_array::StructArray;
use floeberg_core::Result;
use floeberg_core::schema::Field;

use super::super::{Container, FixedForm, Limits, Projection, decode};

pub(crate) const SYNC: [u8; 16] = [7; 16];

pub(crate) fn long(value: i64) -> Vec<u8> {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

pub(crate) fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [long(bytes.len() as i64), bytes.to_vec()].concat()
}

pub(crate) fn header(schema: &str, codec: &str) -> Vec<u8> {
    let entries = [("avro.schema", schema), ("avro.codec", codec)];
    let entries = entries.map(|(key, value)| [prefixed(key.as_bytes()), prefixed(value.as_bytes())].concat());
    [b"Obj\x01", &long(2)[..], &entries.concat(), &long(0), &SYNC].concat()
}

pub(crate) fn block(rows: i64, stored: &[u8]) -> Vec<u8> {
    [&long(rows)[..], &prefixed(stored), &SYNC].concat()
}

/// A file of one uncompressed block.
pub(crate) fn file(schema: &str, rows: i64, data: &[u8]) -> Vec<u8> {
    [header(schema, "null"), block(rows, data)].concat()
}

/// A record of that name with these fields, as JSON.
pub(crate) fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"r","fields":[{fields}]}}"#)
}

pub(super) fn read(bytes: &[u8], fields: &[Field]) -> Result<StructArray> {
    read_within(bytes, fields, &Limits::default())
}

pub(super) fn read_within(bytes: &[u8], fields: &[Field], limits: &Limits) -> Result<StructArray> {
    let keyed = BTreeMap::new();
    let container = Container::open(bytes, limits)?;
    decode(&container, &container.schema()?, &Projection { fields, keyed: &keyed, fixed: FixedForm::Bare })
}
