//! A writer of ORC files without compression, for tests: what the format allows and what it forbids.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_io::{MemoryStore, Store};

use crate::OrcFile;

/// Numbers of ORC's kinds.
pub(super) const INT: u64 = 3;
pub(super) const LONG: u64 = 4;
pub(super) const STRING: u64 = 7;
pub(super) const BINARY: u64 = 8;
pub(super) const TIMESTAMP: u64 = 9;
pub(super) const LIST: u64 = 10;
pub(super) const MAP: u64 = 11;
pub(super) const STRUCT: u64 = 12;
pub(super) const UNION: u64 = 13;
pub(super) const DECIMAL: u64 = 14;
pub(super) const CHAR: u64 = 17;
pub(super) const INSTANT: u64 = 18;

/// Numbers of the kinds of streams.
pub(super) const PRESENT: u64 = 0;
pub(super) const DATA: u64 = 1;
pub(super) const LENGTH: u64 = 2;
pub(super) const DICTIONARY: u64 = 3;
pub(super) const SECONDARY: u64 = 5;

/// A type.
#[derive(Clone, Default)]
pub(super) struct Type {
    pub(super) kind: u64,
    pub(super) parts: Vec<u64>,
    pub(super) names: Vec<&'static str>,
    pub(super) decimal: Option<(u64, u64)>,
    pub(super) attributes: Vec<(&'static str, &'static str)>,
}

pub(super) fn of(kind: u64) -> Type {
    Type { kind, ..Type::default() }
}

pub(super) fn row(names: &[&'static str], parts: &[u64]) -> Type {
    Type { names: names.to_vec(), parts: parts.to_vec(), ..of(STRUCT) }
}

pub(super) fn with(kind: u64, attributes: &[(&'static str, &'static str)]) -> Type {
    Type { attributes: attributes.to_vec(), ..of(kind) }
}

/// A file of one stripe.
#[derive(Clone, Default)]
pub(super) struct File {
    pub(super) types: Vec<Type>,
    pub(super) rows: u64,
    /// Column, kind and bytes.
    pub(super) streams: Vec<(u64, u64, Vec<u8>)>,
    /// Kind and entries of the dictionary; the second version where there is none.
    pub(super) encodings: Vec<(u64, u64)>,
    pub(super) zone: &'static str,
    /// Appended to the footer.
    pub(super) extra_footer: Vec<u8>,
    /// Appended to the postscript.
    pub(super) extra_postscript: Vec<u8>,
}

/// A number of variable length.
pub(super) fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field that is a number.
pub(super) fn numeric(tag: u64, value: u64) -> Vec<u8> {
    [number(tag << 3), number(value)].concat()
}

/// A field that is bytes.
pub(super) fn bytes(tag: u64, value: &[u8]) -> Vec<u8> {
    [number(tag << 3 | 2), number(value.len() as u64), value.to_vec()].concat()
}

/// Integers as values of the second version, up to 512.
pub(super) fn signed(values: &[i64]) -> Vec<u8> {
    unsigned(&values.iter().map(|value| ((value << 1) ^ (value >> 63)) as u64).collect::<Vec<_>>())
}

pub(super) fn unsigned(values: &[u64]) -> Vec<u8> {
    let length = values.len() - 1;
    let mut out = vec![0x40 | 0x3e | (length >> 8) as u8, length as u8];
    out.extend(values.iter().flat_map(|value| value.to_be_bytes()));
    out
}

/// Bits, as a list of bytes.
pub(super) fn bits(values: &[u8]) -> Vec<u8> {
    let packed: Vec<u8> = values
        .chunks(8)
        .map(|bits| bits.iter().enumerate().fold(0, |byte, (place, bit)| byte | bit << (7 - place)))
        .collect();
    [vec![0_u8.wrapping_sub(packed.len() as u8)], packed].concat()
}

impl Type {
    fn message(&self) -> Vec<u8> {
        let mut out = numeric(1, self.kind);
        out.extend(bytes(2, &self.parts.iter().flat_map(|part| number(*part)).collect::<Vec<_>>()));
        out.extend(self.names.iter().flat_map(|name| bytes(3, name.as_bytes())));
        if let Some((precision, scale)) = self.decimal {
            out.extend([numeric(5, precision), numeric(6, scale)].concat());
        }
        for (key, value) in &self.attributes {
            let pair = [bytes(1, key.as_bytes()), bytes(2, value.as_bytes())].concat();
            out.extend(bytes(7, &pair));
        }
        out
    }
}

impl File {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut file = b"ORC".to_vec();
        let mut stripe = Vec::new();
        for (column, kind, data) in &self.streams {
            file.extend(data);
            let stream = [numeric(1, *kind), numeric(2, *column), numeric(3, data.len() as u64)].concat();
            stripe.extend(bytes(1, &stream));
        }
        let data_length = file.len() as u64 - 3;
        for place in 0..self.types.len() {
            let (kind, entries) = self.encodings.get(place).copied().unwrap_or((2, 0));
            stripe.extend(bytes(2, &[numeric(1, kind), numeric(2, entries)].concat()));
        }
        stripe.extend(bytes(3, self.zone.as_bytes()));
        let stripe_length = stripe.len() as u64;
        file.extend(stripe);
        let place =
            [numeric(1, 3), numeric(3, data_length), numeric(4, stripe_length), numeric(5, self.rows)];
        let mut footer = bytes(3, &place.concat());
        footer.extend(self.types.iter().flat_map(|of| bytes(4, &of.message())));
        footer.extend(numeric(6, self.rows));
        footer.extend(&self.extra_footer);
        let mut postscript = numeric(1, footer.len() as u64);
        postscript.extend([numeric(2, 0), bytes(4, &[0, 12]), bytes(8000, b"ORC")].concat());
        postscript.extend(&self.extra_postscript);
        file.extend(footer);
        file.extend(&postscript);
        file.push(postscript.len() as u8);
        file
    }

    pub(super) fn open(&self) -> Result<OrcFile> {
        open(self.bytes())
    }

    /// The one batch of all columns.
    pub(super) fn read(&self) -> Result<RecordBatch> {
        let file = self.open()?;
        let batches: Vec<_> = file.read(0, &(0..100).collect(), 1000)?.collect::<Result<_>>()?;
        let [batch] = batches.try_into().expect("one batch");
        Ok(batch)
    }
}

/// Opens a file of such bytes.
pub(super) fn open(bytes: Vec<u8>) -> Result<OrcFile> {
    let store = MemoryStore::default();
    store.put("memory://test/file.orc", bytes);
    OrcFile::open(store.open("memory://test/file.orc").unwrap())
}

/// Reads all rows of all stripes; the number of rows, or an error.
pub(super) fn read_all(bytes: Vec<u8>) -> Result<usize> {
    let file = open(bytes)?;
    let all: BTreeSet<usize> = (0..1000).collect();
    let mut rows = 0;
    for stripe in 0..file.stripes().len() {
        for batch in file.read(stripe, &all, 1024)? {
            rows += batch?.num_rows();
        }
    }
    Ok(rows)
}

/// A column of one type below a row.
pub(super) fn column(of: Type, rows: u64, streams: Vec<(u64, Vec<u8>)>) -> File {
    File {
        types: vec![row(&["c"], &[1]), of],
        rows,
        streams: streams.into_iter().map(|(kind, bytes)| (1, kind, bytes)).collect(),
        ..File::default()
    }
}

/// The values of the one column, as a test compares them.
pub(super) fn values(file: &File) -> Result<Arc<dyn arrow_array::Array>> {
    file.read().map(|batch| Arc::clone(batch.column(0)))
}
