//! Where are the bytes of unshredded variants?

use arrow_array::cast::AsArray as _;
use arrow_array::{BinaryArray, StructArray};

use crate::error::{Error, Result};

/// The columns `metadata` and `value` of unshredded variants.
pub(super) fn parts(variants: &StructArray) -> Result<(&BinaryArray, &BinaryArray)> {
    let bytes = |name: &str| {
        let column = variants.column_by_name(name).and_then(|column| column.as_binary_opt());
        column.ok_or_else(|| Error::internal(format!("a column of variants has no bytes {name:?}")))
    };
    Ok((bytes("metadata")?, bytes("value")?))
}
