//! What do data files say of their columns, for a reader that is not ours?
//!
//! In: locations of Parquet files. Out: of each its size, and which of a few texts describes its columns.
//!
//! Invariant: a file that cannot be read is reported with its error, and does not stop the others.

use std::collections::HashMap;

use floeberg_core::{Cancel, Result};
use floeberg_exec::threads::ordered;
use floeberg_io::Store;
use floeberg_parquet::stored_shape;
use serde_json::json;

/// Footers that are read at a time: each is a wait for the store.
const AT_A_TIME: usize = 16;

/// What files say.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Of each file the number of its text, and its size in bytes.
    pub files: Vec<(usize, u64)>,
    /// The texts, as JSON; a text with `error` for files that could not be read.
    pub texts: Vec<String>,
}

/// Reads the footers of files.
///
/// Errors: `Cancelled`.
pub fn stored_shapes(store: &dyn Store, locations: &[String], cancel: &Cancel) -> Result<Shapes> {
    let read = ordered(locations, AT_A_TIME, cancel, |location| {
        let look = || -> Result<(String, u64)> {
            let source = store.open(location)?;
            Ok((stored_shape(source.as_ref())?, source.size()?))
        };
        Ok(look().unwrap_or_else(|error| (json!({ "error": error.to_string() }).to_string(), 0)))
    })?;
    let mut shapes = Shapes::default();
    let mut numbers = HashMap::new();
    for (text, size) in read {
        let next = shapes.texts.len();
        let number = *numbers.entry(text).or_insert_with_key(|text: &String| {
            shapes.texts.push(text.clone());
            next
        });
        shapes.files.push((number, size));
    }
    Ok(shapes)
}
