//! Strings, stored as numbers of dictionary entries.
//!
//! Spec: ORC v1, String, Char, and Varchar Columns.
//!
//! Invariant: there are no more entries than the bytes of the dictionary allow.

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use floeberg_core::{Error, Result};

use super::bytes::{Form, MOST_BYTES, array};
use super::reader::{Decode, offsets, valued};
use crate::read::rle::Integers;
use crate::read::stream::Blocks;

/// The bytes of a dictionary, at most.
const MOST_DICTIONARY: usize = 256 << 20;

/// Texts with a dictionary.
pub(super) struct Dictionary {
    bytes: Vec<u8>,
    /// Where entries start and end.
    offsets: Vec<i32>,
    numbers: Integers,
    form: Form,
}

impl Dictionary {
    /// Reads the dictionary of a stripe.
    pub(super) fn read(
        entries: u32,
        blob: Blocks,
        mut lengths: Integers,
        numbers: Integers,
        form: Form,
    ) -> Result<Self> {
        let bytes = blob.read_all(MOST_DICTIONARY, "a dictionary")?;
        let entries = entries as usize;
        // Entries differ, so that one of them at most is empty.
        if entries > bytes.len() + 1 {
            return Err(Error::invalid_data(format!(
                "a dictionary of the ORC file claims {entries} entries, but has {} bytes",
                bytes.len()
            )));
        }
        let offsets = offsets(lengths.read(entries)?, None, bytes.len(), "bytes in a dictionary")?;
        Ok(Self { bytes, offsets, numbers, form })
    }

    fn entry(&self, number: i64) -> Result<&[u8]> {
        let number = usize::try_from(number).ok();
        let entry = number.and_then(|number| {
            let (start, end) = (self.offsets.get(number)?, self.offsets.get(number + 1)?);
            self.bytes.get(*start as usize..*end as usize)
        });
        entry.ok_or_else(|| Error::invalid_data("a string of the ORC file is missing from its dictionary"))
    }
}

impl Decode for Dictionary {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let numbers = self.numbers.read(valued(rows, nulls.as_ref()))?;
        let mut bytes = Vec::new();
        let mut lengths = Vec::with_capacity(numbers.len());
        for number in numbers {
            let entry = self.entry(number)?;
            if bytes.len() + entry.len() > MOST_BYTES {
                return Err(Error::limit(format!("a batch has more than {MOST_BYTES} bytes in a column")));
            }
            bytes.extend_from_slice(entry);
            lengths.push(entry.len() as i64);
        }
        let offsets = offsets(lengths, nulls.as_ref(), MOST_BYTES, "bytes in a column")?;
        array(offsets, bytes, nulls, self.form)
    }
}
