//! Bytes in runs of equal ones and in literal lists.
//!
//! Spec: ORC v1, Byte Run Length Encoding.

use floeberg_core::Result;

use crate::read::stream::ByteStream;

/// The shortest run.
const SHORTEST: usize = 3;

/// Bytes, in order.
pub(crate) struct ByteRuns {
    stream: ByteStream,
    /// The byte that repeats; `None` within a literal list.
    repeats: Option<u8>,
    /// How many are left of the run or list.
    left: usize,
}

impl ByteRuns {
    pub(crate) fn new(stream: ByteStream) -> Self {
        Self { stream, repeats: None, left: 0 }
    }

    /// Appends this many bytes.
    pub(crate) fn append(&mut self, count: usize, out: &mut Vec<u8>) -> Result<()> {
        let mut wanted = count;
        while wanted > 0 {
            if self.left == 0 {
                self.start()?;
            }
            let length = self.left.min(wanted);
            match self.repeats {
                Some(byte) => out.resize(out.len() + length, byte),
                None => self.stream.append(length, out)?,
            }
            self.left -= length;
            wanted -= length;
        }
        Ok(())
    }

    fn start(&mut self) -> Result<()> {
        let header = self.stream.byte()?;
        if header < 0x80 {
            self.left = usize::from(header) + SHORTEST;
            self.repeats = Some(self.stream.byte()?);
        } else {
            self.left = 0x100 - usize::from(header);
            self.repeats = None;
        }
        Ok(())
    }
}
