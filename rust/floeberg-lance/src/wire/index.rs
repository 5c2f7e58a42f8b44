//! How does a manifest write of indices?
//!
//! They are read to be shown and carried; nobody here uses an index.
//! Spec: Lance, `table.proto`, `IndexSection`, `IndexMetadata`.

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use roaring::RoaringBitmap;

use super::encoder::Encoder;
use super::message::{Message, Value};
use super::structure::{Structure, Unknown};

/// An index, as a manifest describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexMetadata {
    /// Its id: 16 bytes.
    pub uuid: Vec<u8>,
    /// The fields that it is of.
    pub fields: Vec<i32>,
    /// Its name.
    pub name: String,
    /// The version of the table that it was made of.
    pub dataset_version: u64,
    /// The fragments that it covers, as a Roaring bitmap.
    pub fragment_bitmap: Vec<u8>,
    /// What kind it is: a message with the name of its type.
    pub details: Option<Vec<u8>>,
    /// The version of its files.
    pub index_version: Option<i32>,
    /// When it was made, in milliseconds since 1970.
    pub created_at: Option<u64>,
    /// The base that it is below; `None` is the table's own.
    pub base_id: Option<u32>,
    /// Fields whose values it carries.
    pub covering_fields: Vec<i32>,
    /// What this version does not know, its files among it.
    pub unknown: Unknown,
}

impl IndexMetadata {
    /// The indices of a section. Errors: `InvalidData`.
    pub fn parse_section(section: &Bytes) -> Result<Vec<Self>> {
        let mut indices = Vec::new();
        for record in Message::new(section) {
            let record = record.context("message", "IndexSection")?;
            if record.tag == 1 {
                indices.push(record.value.message::<Self>().context("message", "IndexMetadata")?);
            }
        }
        Ok(indices)
    }

    /// The name of the type of its details, such as `BTreeIndexDetails`.
    pub fn kind(&self) -> Result<String> {
        for record in Message::new(self.details.as_deref().unwrap_or_default()) {
            let record = record?;
            if record.tag == 1 {
                let name = record.value.text()?;
                return Ok(name.rsplit(['/', '.']).next().unwrap_or_default().to_owned());
            }
        }
        Ok(String::new())
    }

    /// The ids of the fragments that it covers. Errors: `InvalidData`.
    pub fn fragments(&self) -> Result<RoaringBitmap> {
        if self.fragment_bitmap.is_empty() {
            return Ok(RoaringBitmap::new());
        }
        RoaringBitmap::deserialize_from(self.fragment_bitmap.as_slice()).map_err(|error| {
            Error::invalid_data(format!(
                "expected a Roaring bitmap of the fragments of index {:?}",
                self.name
            ))
            .caused_by(error)
        })
    }
}

impl Structure for IndexMetadata {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => {
                for record in Message::new(value.bytes()?) {
                    let record = record?;
                    if record.tag == 1 {
                        self.uuid = record.value.bytes()?.to_vec();
                    }
                }
            }
            2 => value.numbers(&mut self.fields, Value::signed)?,
            3 => self.name = value.text()?,
            4 => self.dataset_version = value.number()?,
            5 => self.fragment_bitmap = value.bytes()?.to_vec(),
            6 => self.details = Some(value.bytes()?.to_vec()),
            7 => self.index_version = Some(value.signed()?),
            8 => self.created_at = Some(value.number()?),
            9 => self.base_id = Some(value.small()?),
            11 => value.numbers(&mut self.covering_fields, Value::signed)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        let mut uuid = Encoder::default();
        uuid.bytes(1, &self.uuid);
        out.some_bytes(1, Some(uuid.finish()));
        out.packed_signed(2, &self.fields);
        out.bytes(3, &self.name);
        out.number(4, self.dataset_version);
        out.bytes(5, &self.fragment_bitmap);
        out.some_bytes(6, self.details.as_ref());
        out.some_number(7, self.index_version.map(|version| i64::from(version) as u64));
        out.some_number(8, self.created_at);
        out.some_number(9, self.base_id);
        out.packed_signed(11, &self.covering_fields);
        out.raw(&self.unknown.0);
    }
}
