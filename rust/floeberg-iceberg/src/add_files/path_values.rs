//! Which values do the folders of a file say?
//!
//! In: a location, such as `s3://b/sales/region=eu/day=2026-01-01/a.parquet`. Out: names and values, as texts.
//!
//! Spec: none: Hive's layout. Names and values are percent-decoded, and null has a name of its own.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};

/// The value of null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Values by name; `None` is null.
pub(super) type PathValues = BTreeMap<String, Option<String>>;

/// The values of the folders that a file is in. Errors: `InvalidInput` for a name with two values, and for bytes that are not UTF-8.
pub(super) fn path_values(location: &str) -> Result<PathValues> {
    let mut values = PathValues::new();
    let Some((folders, _)) = location.rsplit_once('/') else { return Ok(values) };
    for (name, value) in folders.split('/').filter_map(|folder| folder.split_once('=')) {
        let (name, value) = (decoded(name)?, decoded(value)?);
        let value = Some(value).filter(|value| value != NULL);
        match values.get(&name) {
            Some(known) if *known != value => {
                return Err(Error::invalid_input(format!(
                    "the folders of a file to add have two values of {name:?}: expected one"
                )));
            }
            _ => drop(values.insert(name, value)),
        }
    }
    Ok(values)
}

/// Decodes `%XX`. A `%` without two hexadecimal digits after it stays.
fn decoded(text: &str) -> Result<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, digit(0), digit(1)) {
            decoded.push((high * 16 + low) as u8);
            rest = after.get(2..).unwrap_or_default();
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    String::from_utf8(decoded).map_err(|_| {
        Error::invalid_input(format!("expected UTF-8 in the folder of a partition, found {text:?}"))
    })
}
