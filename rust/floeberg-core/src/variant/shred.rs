//! How are variants shredded?
//!
//! In: variants, as structs of the bytes `metadata` and `value`, and a shape. Out: their columns in a file.
//! Spec: Parquet `VariantShredding.md`, Value Shredding.
//!
//! Invariant: a value that the typed column cannot hold exactly, including its type, is in `value`. Only an object may be in both,
//! and each of its fields in one. Metadata is shared, not copied. Everything that is shredded is checked.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, StructArray};

use super::Shape;
use super::dictionary::Dictionary;
use super::shredded_columns::{Row, ShreddedColumns};
use super::unshredded::parts;
use super::value::check_one;
use crate::error::{Error, Result};

/// Variants, shredded.
#[derive(Debug)]
pub struct Shredded {
    /// The columns of [`Shape::fields`].
    pub columns: StructArray,
    /// For each place, in the order of the columns `value`: does it have values of another type, nulls aside?
    pub mixed: Vec<bool>,
}

impl Shape {
    /// Shreds variants.
    ///
    /// Errors: `InvalidData` for bytes that are not a variant, as far as they are read; `Unsupported` for an unknown
    /// type in the shredded part; `LimitExceeded` for more bytes than 32-bit offsets allow.
    pub fn shred(&self, variants: &StructArray) -> Result<Shredded> {
        let (metadata, values) = parts(variants)?;
        let mut root = ShreddedColumns::new(&self.0);
        let mut known: Option<(&[u8], Dictionary<'_>)> = None;
        for row in 0..variants.len() {
            if variants.is_null(row) {
                root.skip();
                continue;
            }
            let value = values.value(row);
            check_one(value)?;
            // Often that of the row before. Readers read all names, so no row may have a damaged one.
            let bytes = metadata.value(row);
            let names = match known {
                Some((same, names)) if same == bytes => names,
                _ => Dictionary::checked(bytes)?,
            };
            known = Some((bytes, names));
            root.append(value, &mut Row::new(names))?;
        }
        let mut mixed = Vec::new();
        root.add_mixed(&mut mixed);
        let metadata: ArrayRef = Arc::new(metadata.clone());
        let columns = [metadata].into_iter().chain(root.finish()?).collect();
        let columns = StructArray::try_new(self.fields(), columns, variants.nulls().cloned())
            .map_err(|error| Error::internal(format!("variants do not fit into a column: {error}")))?;
        Ok(Shredded { columns, mixed })
    }
}
