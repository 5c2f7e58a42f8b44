//! Are these bytes a variant?
//!
//! In: metadata and value. Out: nothing, or what is wrong with them.
//! Spec: Parquet `VariantEncoding.md`.
//!
//! Invariant: what passes is read to its last part: names are text, in order where they must be, and there; strings are
//! text; values nest no deeper than they are read.

use super::MOST_DEPTH;
use super::dictionary::Dictionary;
use super::encode::Primitive;
use super::scalar::Scalar;
use super::value::Container;
use super::value::{Kind, check_one, damaged};
use crate::error::{Error, Result};
use crate::value::datetime::MICROS_PER_DAY;

/// Checks variants one after the other, of which many may have the same metadata.
#[derive(Debug, Default)]
pub struct Checker<'a> {
    names: Option<(&'a [u8], Dictionary<'a>)>,
}

impl<'a> Checker<'a> {
    /// Errors: `InvalidData` for bytes that are no variant, `Unsupported` for types that are not known, `LimitExceeded` for values
    /// that nest too deep.
    pub fn check(&mut self, metadata: &'a [u8], value: &'a [u8]) -> Result<()> {
        let names = match self.names {
            Some((known, names)) if known == metadata => names,
            _ => Dictionary::checked(metadata)?,
        };
        self.names = Some((metadata, names));
        check_one(value)?;
        let mut values = vec![(value, 0)];
        while let Some((value, depth)) = values.pop() {
            if depth > MOST_DEPTH {
                return Err(Error::limit(format!("the values of a variant nest deeper than {MOST_DEPTH}")));
            }
            match value.first().map(|header| Kind::of(*header)) {
                Some(Kind::Object) => {
                    let mut fields = Vec::new();
                    for field in Container::new(value)?.fields() {
                        let (id, value) = field?;
                        fields.push(names.name(id)?);
                        values.push((value, depth + 1));
                    }
                    if !are_sorted(&fields) {
                        return Err(damaged("the fields of an object are not in the order of their names"));
                    }
                }
                Some(Kind::Array) => {
                    for element in Container::new(value)?.elements() {
                        values.push((element?, depth + 1));
                    }
                }
                _ => check_scalar(value)?,
            }
        }
        Ok(())
    }
}

/// In the order of their bytes, or of UTF-16, which Java's writers take for it.
fn are_sorted(names: &[&[u8]]) -> bool {
    let is_below = |one: &[u8], other: &[u8]| match (str::from_utf8(one), str::from_utf8(other)) {
        (Ok(one), Ok(other)) => one.encode_utf16().lt(other.encode_utf16()),
        _ => false,
    };
    names.is_sorted_by(|one, other| one < other) || names.is_sorted_by(|one, other| is_below(one, other))
}

fn check_scalar(value: &[u8]) -> Result<()> {
    let Some(scalar) = Scalar::of(value)? else {
        return match value {
            [0] => Ok(()),
            _ => Err(Error::unsupported("a variant holds a value of an unknown type")),
        };
    };
    scalar.decimal()?;
    match scalar.kind {
        Primitive::String if str::from_utf8(scalar.data).is_err() => {
            Err(damaged("a string is not valid UTF-8"))
        }
        Primitive::Time if !is_time(scalar.data) => Err(damaged("a time is not within a day")),
        _ => Ok(()),
    }
}

fn is_time(data: &[u8]) -> bool {
    data.try_into().is_ok_and(|bytes| (0..MICROS_PER_DAY).contains(&i64::from_le_bytes(bytes)))
}
