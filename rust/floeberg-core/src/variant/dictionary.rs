//! Which field names are in a variant's metadata?
//!
//! In: the bytes of `metadata`. Out: names by their ids.
//! Spec: Parquet `VariantEncoding.md`, Metadata encoding.
//!
//! Invariant: every length is checked against the remaining bytes before it is used.

use super::value::unsigned;
use crate::error::{Error, Result};

/// The only version that there is.
pub(super) const VERSION: u8 = 1;

/// The names of one variant's metadata.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dictionary<'a> {
    offsets: &'a [u8],
    names: &'a [u8],
    width: usize,
    count: usize,
}

impl<'a> Dictionary<'a> {
    /// Errors: `InvalidData` for invalid metadata, `Unsupported` for another version.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let (header, rest) = bytes.split_first().ok_or_else(|| damaged("it is empty"))?;
        if header & 15 != VERSION {
            return Err(Error::unsupported(format!(
                "a variant is encoded in version {}, but only version {VERSION} can be read",
                header & 15
            )));
        }
        let width = usize::from(header >> 6) + 1;
        let (count, rest) = rest.split_at_checked(width).ok_or_else(|| damaged("its size is cut off"))?;
        let count = unsigned(count);
        let offsets = count.checked_add(1).and_then(|offsets| offsets.checked_mul(width));
        let (offsets, names) = offsets
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(|| damaged(&format!("it is too short for the {count} names that it claims")))?;
        Ok(Self { offsets, names, width, count })
    }

    /// The names at the beginning of bytes, and how many of these bytes they take.
    pub(super) fn at_start(bytes: &'a [u8]) -> Result<(Self, usize)> {
        let dictionary = Self::new(bytes)?;
        let last = dictionary.count * dictionary.width;
        let end = unsigned(&dictionary.offsets[last..last + dictionary.width]);
        let head = bytes.len() - dictionary.names.len();
        if end > dictionary.names.len() {
            return Err(damaged("its names are cut off"));
        }
        Ok((dictionary, head + end))
    }

    /// The same, with a check of every name. Errors: `InvalidData` for a name that is missing or not UTF-8.
    pub(super) fn checked(bytes: &'a [u8]) -> Result<Self> {
        let dictionary = Self::new(bytes)?;
        for id in 0..dictionary.len() {
            str::from_utf8(dictionary.name(id)?)
                .map_err(|_| damaged(&format!("the name of the id {id} is not valid UTF-8")))?;
        }
        Ok(dictionary)
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The name of an id.
    pub(super) fn name(&self, id: usize) -> Result<&'a [u8]> {
        if id >= self.count {
            return Err(damaged(&format!(
                "a field has the id {id}, but there are only {} names",
                self.count
            )));
        }
        let offset = |id: usize| unsigned(&self.offsets[id * self.width..(id + 1) * self.width]);
        let name = self.names.get(offset(id)..offset(id + 1));
        name.ok_or_else(|| damaged(&format!("the name of the id {id} lies outside of it")))
    }
}

fn damaged(why: &str) -> Error {
    Error::invalid_data(format!("the metadata of a variant is damaged: {why}"))
}
