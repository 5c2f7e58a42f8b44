//! How is data for other processes compressed?
//!
//! In: JSON, piece by piece. Out: one zstandard frame of its text, and back.
//!
//! Invariant: never more memory than the limit, whatever the bytes claim; and in writing no more than the frame and a
//! few of its pieces.

use std::io::Write;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::read_bounded;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::stream::write::Encoder;

/// A fast level: the text is written once and read once.
const LEVEL: i32 = 3;
/// The most text that is sent: about two million tasks.
const LARGEST: usize = 1 << 30;
/// Text is compressed once it is this long. Most texts are shorter, and are compressed with tables of their size.
const AT_ONCE: usize = 1 << 20;

/// Writes the data.
#[derive(Default)]
pub(crate) struct Packing {
    /// Text that is not compressed yet.
    text: Vec<u8>,
    /// Text that is compressed already.
    passed: usize,
    encoder: Option<Encoder<'static, Vec<u8>>>,
}

impl Packing {
    /// Writes a piece of the text unchanged.
    pub fn text(&mut self, text: &[u8]) -> Result<()> {
        self.text.extend_from_slice(text);
        self.spill()
    }

    /// Writes a value.
    pub fn value(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.text, value)
            .map_err(|error| Error::internal("writing what is sent").caused_by(error))?;
        self.spill()
    }

    /// Writes values between brackets.
    pub fn list<T: Serialize>(&mut self, values: impl Iterator<Item = Result<T>>) -> Result<()> {
        self.text(b"[")?;
        for (position, value) in values.enumerate() {
            if position > 0 {
                self.text(b",")?;
            }
            self.value(&value?)?;
        }
        self.text(b"]")
    }

    /// The bytes.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let Some(mut encoder) = self.encoder.take() else {
            return zstd::bulk::compress(&self.text, LEVEL).map_err(compressing);
        };
        encoder.write_all(&self.text).map_err(compressing)?;
        encoder.finish().map_err(compressing)
    }

    fn spill(&mut self) -> Result<()> {
        if self.text.len() < AT_ONCE {
            return Ok(());
        }
        self.passed += self.text.len();
        if self.passed > LARGEST {
            return Err(Error::limit(format!(
                "the tasks take more than {LARGEST} bytes to send: split them into more groups"
            )));
        }
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert(Encoder::new(Vec::new(), LEVEL).map_err(compressing)?),
        };
        encoder.write_all(&self.text).map_err(compressing)?;
        self.text.clear();
        Ok(())
    }
}

fn compressing(error: std::io::Error) -> Error {
    Error::internal("compressing what is sent").caused_by(error)
}

/// The data, called `what` in errors. Errors: `InvalidInput` for other bytes, `LimitExceeded` for too many.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T> {
    let damaged = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::invalid_input(format!("{what} is damaged")).caused_by(error)
    };
    // A fuzzer writes the text, not its compressed form.
    if cfg!(fuzzing) && bytes.starts_with(b"{") {
        return serde_json::from_slice(bytes).map_err(|error| damaged(error.into()));
    }
    let stream = zstd::stream::read::Decoder::new(bytes).map_err(|error| damaged(error.into()))?;
    let mut text = Vec::new();
    match read_bounded(stream, LARGEST, what, &mut text) {
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err(damaged(error.into())),
        read => read?,
    }
    serde_json::from_slice(&text).map_err(|error| damaged(error.into()))
}
