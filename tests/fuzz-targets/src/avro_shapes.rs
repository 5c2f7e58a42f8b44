//! An Avro file of a schema that bytes choose, so that a fuzzer need not write JSON.
//!
//! ```text
//! length of the choice: u8 | choice | records: u8 | their bytes
//! ```

use std::fmt::Write;

/// How deep the types of a chosen schema are nested.
const DEEPEST: usize = 4;
const SYNC: [u8; 16] = [7; 16];

/// The file, or `None` for too few bytes.
pub(crate) fn file_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let (length, bytes) = bytes.split_first()?;
    let length = usize::from(*length).min(bytes.len()) % 48;
    let (choice, bytes) = bytes.split_at(length);
    let (records, data) = bytes.split_first()?;
    let mut chooser = Chooser { choice, next_id: 1 };
    let schema = chooser.record(0, 3);
    let mut file = b"Obj\x01\x02".to_vec();
    file.extend(prefixed(b"avro.schema"));
    file.extend(prefixed(schema.as_bytes()));
    file.push(0);
    file.extend(SYNC);
    file.extend(long(i64::from(*records)));
    file.extend(prefixed(data));
    file.extend(SYNC);
    Some(file)
}

struct Chooser<'a> {
    choice: &'a [u8],
    next_id: u32,
}

impl Chooser<'_> {
    fn take(&mut self) -> u8 {
        let Some((first, rest)) = self.choice.split_first() else { return 0 };
        self.choice = rest;
        *first
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    fn record(&mut self, depth: usize, most: u8) -> String {
        let id = self.id();
        let mut json = format!(r#"{{"type":"record","name":"r{id}","fields":["#);
        for place in 0..=self.take() % most {
            let id = self.id();
            let field = self.any(depth + 1, true);
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(json, r#"{comma}{{"name":"c{id}","type":{field},"field-id":{id}}}"#);
        }
        json.push_str("]}");
        json
    }

    /// A type; a union only where one may stand.
    fn any(&mut self, depth: usize, union: bool) -> String {
        let choice = self.take();
        let leaf = |name: &str, logical: &str| {
            if choice & 0x20 == 0 {
                format!(r#""{name}""#)
            } else {
                format!(r#"{{"type":"{name}","logicalType":"{logical}"}}"#)
            }
        };
        match choice & 0x1f {
            0 => leaf("int", "date"),
            1 => leaf("long", "timestamp-micros"),
            2 => leaf("long", "time-micros"),
            3 => leaf("int", "time-millis"),
            4 => r#""boolean""#.to_owned(),
            5 => r#""float""#.to_owned(),
            6 => r#""double""#.to_owned(),
            7 => r#""string""#.to_owned(),
            8 => r#""bytes""#.to_owned(),
            9 => r#""null""#.to_owned(),
            10 => {
                let (id, size) = (self.id(), self.take() % 20);
                format!(r#"{{"type":"fixed","name":"f{id}","size":{size}}}"#)
            }
            11 => {
                let id = self.id();
                format!(r#"{{"type":"enum","name":"e{id}","symbols":["A","B","C"]}}"#)
            }
            12 => r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#.to_owned(),
            13 => {
                let id = self.id();
                format!(
                    r#"{{"type":"fixed","name":"d{id}","size":8,"logicalType":"decimal","precision":18,"scale":3}}"#
                )
            }
            14..=17 if union => {
                let inner = self.any(depth, false);
                match choice & 3 {
                    0 => format!(r#"[{inner},"null"]"#),
                    _ if inner == r#""null""# => inner,
                    _ => format!(r#"["null",{inner}]"#),
                }
            }
            18..=20 if depth < DEEPEST => {
                let id = self.id();
                let items = self.any(depth + 1, true);
                format!(r#"{{"type":"array","items":{items},"element-id":{id}}}"#)
            }
            21..=22 if depth < DEEPEST => {
                let (key, value) = (self.id(), self.id());
                let values = self.any(depth + 1, true);
                format!(r#"{{"type":"map","values":{values},"key-id":{key},"value-id":{value}}}"#)
            }
            23..=24 if depth < DEEPEST => {
                let (pair, key, value) = (self.id(), self.id(), self.id());
                let values = self.any(depth + 1, true);
                format!(
                    r#"{{"type":"array","logicalType":"map","items":{{"type":"record","name":"p{pair}","fields":[{{"name":"key","type":"int","field-id":{key}}},{{"name":"value","type":{values},"field-id":{value}}}]}}}}"#
                )
            }
            25..=28 if depth < DEEPEST => self.record(depth, 4),
            _ => leaf("long", "timestamp-nanos"),
        }
    }
}

fn long(value: i64) -> Vec<u8> {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [long(bytes.len() as i64), bytes.to_vec()].concat()
}
