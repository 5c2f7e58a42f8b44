//! Does a file with a plaintext footer have encrypted columns?
//!
//! In: the bytes of a footer. Out: whether it names an encryption algorithm.
//! Spec: Parquet Modular Encryption, plaintext footer mode.
//!
//! ```text
//! footer of a plain file       FileMetaData, in Thrift's compact form, which ends with a zero
//! plaintext footer mode        FileMetaData with field 8, encryption_algorithm; nonce, 12 bytes; tag, 16 bytes
//! ```
//!
//! Invariant: the walk is bounded by the bytes and in depth; invalid Thrift is left to the decoder to report.

/// The field of `FileMetaData` that only encrypted files have.
const ENCRYPTION_ALGORITHM: i16 = 8;
/// The bytes of a footer's signature.
const SIGNATURE: usize = 12 + 16;
/// The end of a struct.
const STOP: u8 = 0;
/// The most levels of structs and lists: a footer needs a few.
const MAX_DEPTH: usize = 32;

/// Does a footer say that columns are encrypted?
pub(super) fn names_encryption(footer: &[u8]) -> bool {
    let end = footer.len().checked_sub(SIGNATURE + 1).and_then(|end| footer.get(end));
    // This excludes most footers of plain files without a walk.
    end == Some(&0) && Walk { bytes: footer }.finds(ENCRYPTION_ALGORITHM).unwrap_or(false)
}

/// The remaining bytes.
struct Walk<'a> {
    bytes: &'a [u8],
}

impl Walk<'_> {
    /// Does a struct have a field with an id? `None` if the bytes are not a struct.
    fn finds(&mut self, wanted: i16) -> Option<bool> {
        let mut id = 0;
        loop {
            match self.field(&mut id)? {
                STOP => return Some(false),
                _ if id == wanted => return Some(true),
                kind => self.skip(kind, MAX_DEPTH)?,
            }
        }
    }

    /// The type of the next field, or [`STOP`].
    fn field(&mut self, id: &mut i16) -> Option<u8> {
        let head = self.byte()?;
        if head == STOP {
            return Some(STOP);
        }
        *id = match head >> 4 {
            0 => {
                let zigzag = self.varint()?;
                i16::try_from((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)).ok()?
            }
            delta => id.checked_add(i16::from(delta))?,
        };
        Some(head & 0x0f)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // A boolean field's value is its type.
            1 | 2 => Some(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.varint().map(|_| ()),
            7 => self.take(8),
            8 => {
                let length = self.varint()?;
                self.take(usize::try_from(length).ok()?)
            }
            9 | 10 => self.skip_list(depth),
            12 => {
                let mut id = 0;
                loop {
                    match self.field(&mut id)? {
                        STOP => return Some(()),
                        kind => self.skip(kind, depth)?,
                    }
                }
            }
            // A footer has no maps.
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: usize) -> Option<()> {
        let head = self.byte()?;
        let length = match head >> 4 {
            15 => self.varint()?,
            short => u64::from(short),
        };
        for _ in 0..length {
            match head & 0x0f {
                1 | 2 => self.take(1)?,
                kind => self.skip(kind, depth)?,
            }
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<()> {
        self.bytes = self.bytes.get(length..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}
