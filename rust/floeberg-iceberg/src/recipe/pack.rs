//! How is a recipe made small enough to be sent to every worker?
//!
//! In: JSON. Out: one zstandard frame of its text, and back.
//!
//! Invariant: never more memory than the limit, whatever the bytes claim.

use floeberg_core::{Error, ErrorKind, Result};
use serde_json::Value as Json;

use crate::wire::read_bounded;

/// A fast level: the text is written once and read once.
const LEVEL: i32 = 3;
/// The text of a recipe, at most: about two million tasks.
const LARGEST: usize = 1 << 30;

/// The bytes of a recipe.
pub(super) fn pack(recipe: &Json) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(recipe)
        .map_err(|error| Error::internal("writing a read recipe").caused_by(error))?;
    if text.len() > LARGEST {
        return Err(Error::limit(format!(
            "a group of tasks takes {} bytes, more than {LARGEST}: split the plan into more groups",
            text.len()
        )));
    }
    zstd::bulk::compress(&text, LEVEL)
        .map_err(|error| Error::internal("compressing a read recipe").caused_by(error))
}

/// The recipe of the bytes. Errors: `InvalidInput` for other bytes, `LimitExceeded` for too many.
pub(super) fn unpack(bytes: &[u8]) -> Result<Json> {
    let damaged = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::invalid_input("a read recipe is damaged").caused_by(error)
    };
    // A fuzzer writes the text, not its compressed form.
    if cfg!(fuzzing) && bytes.starts_with(b"{") {
        return serde_json::from_slice(bytes).map_err(|error| damaged(error.into()));
    }
    let stream = zstd::stream::read::Decoder::new(bytes).map_err(|error| damaged(error.into()))?;
    let mut text = Vec::new();
    match read_bounded(stream, LARGEST, "a read recipe", &mut text) {
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err(damaged(error.into())),
        read => read?,
    }
    serde_json::from_slice(&text).map_err(|error| damaged(error.into()))
}
