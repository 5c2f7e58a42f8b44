//! How does a manifest write of indices?
//!
//! They are read to be shown and carried; nobody here uses an index.
//! Spec: Lance, `table.proto`, `IndexSection`, `IndexMetadata`.

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{Records, Single as _, message};
use roaring::RoaringBitmap;

message! {
    /// An id.
    pub struct Uuid {
        /// 16 bytes.
        bytes: Vec<u8> = 1,
    }
}

message! {
    /// An index, as a manifest describes it.
    pub struct IndexMetadata {
        /// Its id.
        uuid: Uuid = 1,
        /// The fields that it is of.
        fields: Vec<i32> = 2,
        /// Its name.
        name: String = 3,
        /// The version of the table that it was made of.
        dataset_version: u64 = 4,
        /// The fragments that it covers, as a Roaring bitmap.
        fragment_bitmap: Vec<u8> = 5,
        /// What kind it is: a message with the name of its type.
        details: Option<Vec<u8>> = 6,
        /// The version of its files.
        index_version: Option<i32> = 7,
        /// When it was made, in milliseconds since 1970.
        created_at: Option<u64> = 8,
        /// The base that it is below; `None` is the table's own.
        base_id: Option<u32> = 9,
        /// Fields whose values it carries.
        covering_fields: Vec<i32> = 11,
        ..unknown
    }
}

impl IndexMetadata {
    /// The indices of a section. Errors: `InvalidData`.
    pub fn parse_section(section: &Bytes) -> Result<Vec<Self>> {
        let mut indices = Vec::new();
        for record in Records::new(section) {
            let record = record.context("message", "IndexSection")?;
            if record.number == 1 {
                indices.push(Self::of(record.value).context("message", "IndexMetadata")?);
            }
        }
        Ok(indices)
    }

    /// The name of the type of its details, such as `BTreeIndexDetails`.
    pub fn kind(&self) -> Result<String> {
        for record in Records::new(self.details.as_deref().unwrap_or_default()) {
            let record = record?;
            if record.number == 1 {
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
