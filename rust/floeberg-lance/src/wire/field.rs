//! How does a manifest write a field of its schema?
//!
//! Fields stand depth first in one list; each names its parent.
//! Spec: Lance, `file.proto`, `Field`.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::message::Value;
use super::structure::{Structure, Unknown};

/// A field of a schema, as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaField {
    /// 0 for a parent, 1 for a list, 2 for a leaf.
    pub kind: u64,
    /// The name.
    pub name: String,
    /// The id.
    pub id: i32,
    /// The id of the field that holds it; -1 for a column.
    pub parent_id: i32,
    /// The type, such as `int64`, `timestamp:us:UTC` or `list.struct`.
    pub logical_type: String,
    /// May it be null?
    pub nullable: bool,
    /// How files of version 0.1 store it.
    pub encoding: u64,
    /// Where files of version 0.1 keep its dictionary: a message as it is written.
    pub dictionary: Option<Vec<u8>>,
    /// The name of its extension type, where no metadata have it.
    pub extension_name: String,
    /// Its metadata.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// Is it part of the primary key that nobody enforces?
    pub unenforced_primary_key: bool,
    /// Its place in that key, from 1; 0 for the order of ids.
    pub unenforced_primary_key_position: u32,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for SchemaField {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.kind = value.number()?,
            2 => self.name = value.text()?,
            3 => self.id = value.signed()?,
            4 => self.parent_id = value.signed()?,
            5 => self.logical_type = value.text()?,
            6 => self.nullable = value.flag()?,
            7 => self.encoding = value.number()?,
            8 => self.dictionary = Some(value.bytes()?.to_vec()),
            9 => self.extension_name = value.text()?,
            10 => value.bytes_entry(&mut self.metadata)?,
            12 => self.unenforced_primary_key = value.flag()?,
            13 => self.unenforced_primary_key_position = value.small()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.kind);
        out.bytes(2, &self.name);
        out.signed(3, self.id);
        out.signed(4, self.parent_id);
        out.bytes(5, &self.logical_type);
        out.number(6, self.nullable);
        out.number(7, self.encoding);
        out.some_bytes(8, self.dictionary.as_ref());
        out.bytes(9, &self.extension_name);
        out.map(10, &self.metadata);
        out.number(12, self.unenforced_primary_key);
        out.number(13, self.unenforced_primary_key_position);
        out.raw(&self.unknown.0);
    }
}
