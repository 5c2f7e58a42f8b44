//! Which operations change rows or the files that hold them?
//!
//! In: the message of an operation. Out: its fields, and back.
//! Spec: Lance, `transaction.proto`.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::field::SchemaField;
use super::fragment::{DataFile, Fragment};
use super::manifest::BasePath;
use super::message::Value;
use super::structure::{Structure, Unknown};

/// Adds fragments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Append {
    /// The new fragments, without ids.
    pub fragments: Vec<Fragment>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Append {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.fragments.push(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.fragments);
        out.raw(&self.unknown.0);
    }
}

/// Deletes rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delete {
    /// Fragments with another deletion file.
    pub updated_fragments: Vec<Fragment>,
    /// Fragments that are gone.
    pub deleted_fragment_ids: Vec<u64>,
    /// Which rows were to go.
    pub predicate: String,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Delete {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.updated_fragments.push(value.message()?),
            2 => value.numbers(&mut self.deleted_fragment_ids, Value::number)?,
            3 => self.predicate = value.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.updated_fragments);
        out.packed(2, self.deleted_fragment_ids.iter().copied());
        out.bytes(3, &self.predicate);
        out.raw(&self.unknown.0);
    }
}

/// Replaces everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overwrite {
    /// The new fragments, without ids.
    pub fragments: Vec<Fragment>,
    /// The new schema.
    pub schema: Vec<SchemaField>,
    /// Its metadata.
    pub schema_metadata: Vec<(String, Vec<u8>)>,
    /// Settings to set.
    pub config_upsert_values: Vec<(String, String)>,
    /// Other folders for files.
    pub initial_bases: Vec<BasePath>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Overwrite {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.fragments.push(value.message()?),
            2 => self.schema.push(value.message()?),
            3 => value.bytes_entry(&mut self.schema_metadata)?,
            4 => value.text_entry(&mut self.config_upsert_values)?,
            5 => self.initial_bases.push(value.message()?),
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
        out.map(4, &self.config_upsert_values);
        out.messages(5, &self.initial_bases);
        out.raw(&self.unknown.0);
    }
}

/// Fragments that others replace, with the same rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewriteGroup {
    /// Those that are gone.
    pub old_fragments: Vec<Fragment>,
    /// Those that are new, with ids that were reserved.
    pub new_fragments: Vec<Fragment>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for RewriteGroup {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.old_fragments.push(value.message()?),
            2 => self.new_fragments.push(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.old_fragments);
        out.messages(2, &self.new_fragments);
        out.raw(&self.unknown.0);
    }
}

/// Writes the same rows into other fragments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// As writers of old said it.
    pub old_fragments: Vec<Fragment>,
    /// As writers of old said it.
    pub new_fragments: Vec<Fragment>,
    /// Fragments and what replaces them.
    pub groups: Vec<RewriteGroup>,
    /// Indices that were written anew.
    pub rewritten_indices: Vec<Vec<u8>>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Rewrite {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.old_fragments.push(value.message()?),
            2 => self.new_fragments.push(value.message()?),
            3 => self.groups.push(value.message()?),
            4 => self.rewritten_indices.push(value.bytes()?.to_vec()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.old_fragments);
        out.messages(2, &self.new_fragments);
        out.messages(3, &self.groups);
        self.rewritten_indices.iter().for_each(|bytes| out.some_bytes(4, Some(bytes)));
        out.raw(&self.unknown.0);
    }
}

/// Changes rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// Fragments all of whose rows moved.
    pub removed_fragment_ids: Vec<u64>,
    /// Fragments with other deletes or files.
    pub updated_fragments: Vec<Fragment>,
    /// Fragments with the changed rows.
    pub new_fragments: Vec<Fragment>,
    /// The fields that changed.
    pub fields_modified: Vec<u32>,
    /// Fields by which indices keep new fragments.
    pub fields_for_preserving_frag_bitmap: Vec<u32>,
    /// 0 where rows were written again, 1 where columns were.
    pub update_mode: u64,
    /// Keys of rows that were added.
    pub inserted_rows: Option<Vec<u8>>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for Update {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => value.numbers(&mut self.removed_fragment_ids, Value::number)?,
            2 => self.updated_fragments.push(value.message()?),
            3 => self.new_fragments.push(value.message()?),
            4 => value.numbers(&mut self.fields_modified, Value::small)?,
            6 => value.numbers(&mut self.fields_for_preserving_frag_bitmap, Value::small)?,
            7 => self.update_mode = value.number()?,
            8 => self.inserted_rows = Some(value.bytes()?.to_vec()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.packed(1, self.removed_fragment_ids.iter().copied());
        out.messages(2, &self.updated_fragments);
        out.messages(3, &self.new_fragments);
        out.packed(4, self.fields_modified.iter().map(|number| u64::from(*number)));
        out.packed(6, self.fields_for_preserving_frag_bitmap.iter().map(|number| u64::from(*number)));
        out.number(7, self.update_mode);
        out.some_bytes(8, self.inserted_rows.as_ref());
        out.raw(&self.unknown.0);
    }
}

/// A file that replaces others of a fragment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataReplacementGroup {
    /// The fragment.
    pub fragment_id: u64,
    /// The file.
    pub new_file: Option<DataFile>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for DataReplacementGroup {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.fragment_id = value.number()?,
            2 => self.new_file = Some(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.number(1, self.fragment_id);
        out.some_message(2, self.new_file.as_ref());
        out.raw(&self.unknown.0);
    }
}

/// Replaces files of fragments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataReplacement {
    /// The files.
    pub replacements: Vec<DataReplacementGroup>,
    /// What this version does not know.
    pub unknown: Unknown,
}

impl Structure for DataReplacement {
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool> {
        match tag {
            1 => self.replacements.push(value.message()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unknown(&mut self) -> &mut Unknown {
        &mut self.unknown
    }

    fn write(&self, out: &mut Encoder) {
        out.messages(1, &self.replacements);
        out.raw(&self.unknown.0);
    }
}
