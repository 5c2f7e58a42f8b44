//! Which operations change schema, settings, indices or what else a table is?
//!
//! In: the message of an operation. Out: its fields, and back.
//! Spec: Lance, `transaction.proto`.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::field::SchemaField;
use super::fragment::Fragment;
use super::index::IndexMetadata;
use super::manifest::BasePath;
use super::message::{Message, Value};
use super::structure::{Structure, Unknown};

/// Adds, replaces or removes indices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CreateIndex {
    /// Those that are new or changed.
    pub new_indices: Vec<IndexMetadata>,
    /// Those that they replace, or that are gone.
    pub removed_indices: Vec<IndexMetadata>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for CreateIndex {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.new_indices.push(value.message()?),
            2 => self.removed_indices.push(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.new_indices);
        out.messages(2, &self.removed_indices);
        out.raw(&self.unknown.0);
    }
}

/// Adds columns, or otherwise changes schema and files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merge {
    /// All fragments, as they are now.
    pub fragments: Vec<Fragment>,
    /// The new schema.
    pub schema: Vec<SchemaField>,
    /// Its metadata.
    pub schema_metadata: Vec<(String, Vec<u8>)>,
    /// Does no field forbid null that rows written meanwhile may lack?
    pub preserves_nullability: bool,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Merge {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.fragments.push(value.message()?),
            2 => self.schema.push(value.message()?),
            3 => value.bytes_entry(&mut self.schema_metadata)?,
            4 => self.preserves_nullability = value.flag()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.fragments);
        out.messages(2, &self.schema);
        out.map(3, &self.schema_metadata);
        out.number(4, self.preserves_nullability);
        out.raw(&self.unknown.0);
    }
}

/// Makes an old version the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restore {
    /// The version.
    pub version: u64,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Restore {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.version = value.number()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.version);
        out.raw(&self.unknown.0);
    }
}

/// Takes ids of fragments for later.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReserveFragments {
    /// How many.
    pub num_fragments: u32,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for ReserveFragments {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.num_fragments = value.small()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.num_fragments);
        out.raw(&self.unknown.0);
    }
}

/// Changes the schema alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// The new schema.
    pub schema: Vec<SchemaField>,
    /// Does no field forbid null that rows written meanwhile may lack?
    pub preserves_nullability: bool,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Project {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.schema.push(value.message()?),
            2 => self.preserves_nullability = value.flag()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.schema);
        out.number(2, self.preserves_nullability);
        out.raw(&self.unknown.0);
    }
}

/// Changes settings and metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateConfig {
    /// Settings.
    pub config_updates: Option<UpdateMap>,
    /// Metadata of the table.
    pub table_metadata_updates: Option<UpdateMap>,
    /// Metadata of the schema.
    pub schema_metadata_updates: Option<UpdateMap>,
    /// Metadata of fields, by id.
    pub field_metadata_updates: Vec<Vec<u8>>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for UpdateConfig {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            6 => self.config_updates = Some(value.message()?),
            7 => self.table_metadata_updates = Some(value.message()?),
            8 => self.schema_metadata_updates = Some(value.message()?),
            9 => self.field_metadata_updates.push(value.bytes()?.to_vec()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.some_message(6, self.config_updates.as_ref());
        out.some_message(7, self.table_metadata_updates.as_ref());
        out.some_message(8, self.schema_metadata_updates.as_ref());
        self.field_metadata_updates.iter().for_each(|bytes| out.some_bytes(9, Some(bytes)));
        out.raw(&self.unknown.0);
    }
}

/// Makes a table of the files of another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clone {
    /// Do the files stay where they are?
    pub is_shallow: bool,
    /// The branch or tag.
    pub ref_name: Option<String>,
    /// The version.
    pub ref_version: u64,
    /// The table.
    pub ref_path: String,
    /// The branch that was made.
    pub branch_name: Option<String>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Clone {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.is_shallow = value.flag()?,
            2 => self.ref_name = Some(value.text()?),
            3 => self.ref_version = value.number()?,
            4 => self.ref_path = value.text()?,
            5 => self.branch_name = Some(value.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.is_shallow);
        out.some_bytes(2, self.ref_name.as_ref());
        out.number(3, self.ref_version);
        out.bytes(4, &self.ref_path);
        out.some_bytes(5, self.branch_name.as_ref());
        out.raw(&self.unknown.0);
    }
}

/// Adds folders for files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateBases {
    /// The folders.
    pub new_bases: Vec<BasePath>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for UpdateBases {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.new_bases.push(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.new_bases);
        out.raw(&self.unknown.0);
    }
}

/// Changes of a map of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateMap {
    /// Keys with their new values; those without a value are removed.
    pub update_entries: Vec<(String, Option<String>)>,
    /// Is everything else removed?
    pub replace: bool,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for UpdateMap {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => {
                let (mut key, mut text) = (String::new(), None);
                for record in Message::new(value.bytes()?) {
                    let record = record?;
                    match record.tag {
                        1 => key = record.value.text()?,
                        2 => text = Some(record.value.text()?),
                        _ => {}
                    }
                }
                self.update_entries.push((key, text));
            }
            2 => self.replace = value.flag()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        for (key, text) in &self.update_entries {
            let mut entry = Encoder::default();
            entry.bytes(1, key);
            entry.some_bytes(2, text.as_ref());
            out.some_bytes(1, Some(entry.finish()));
        }
        out.number(2, self.replace);
        out.raw(&self.unknown.0);
    }
}
