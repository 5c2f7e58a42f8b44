//! Which bytes stand for parts of a file?
//!
//! In: parts of a container file. Out: their bytes, so that every part can be wrong on purpose. For tests: nothing here is used
//! by a reader or a writer.

/// The marker between blocks.
pub const SYNC: [u8; 16] = [7; 16];

/// A number.
pub fn long(value: i64) -> Vec<u8> {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Bytes, with their length before them.
pub fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [long(bytes.len() as i64), bytes.to_vec()].concat()
}

/// What a file with a schema begins with.
pub fn header(schema: &str, codec: &str) -> Vec<u8> {
    let entries = [("avro.schema", schema), ("avro.codec", codec)];
    let entries = entries.map(|(key, value)| [prefixed(key.as_bytes()), prefixed(value.as_bytes())].concat());
    [b"Obj\x01", &long(2)[..], &entries.concat(), &long(0), &SYNC].concat()
}

/// A block of this many rows, as it is stored.
pub fn block(rows: i64, stored: &[u8]) -> Vec<u8> {
    [&long(rows)[..], &prefixed(stored), &SYNC].concat()
}

/// A file of one uncompressed block.
pub fn file(schema: &str, rows: i64, data: &[u8]) -> Vec<u8> {
    [header(schema, "null"), block(rows, data)].concat()
}

/// A record of that name with these fields, as JSON.
pub fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"r","fields":[{fields}]}}"#)
}
