//! How do values become variants?
//!
//! In: values, row by row. Out: a column of variants.
//! Spec: Parquet `VariantEncoding.md`.
//!
//! Invariant: metadata holds the names of its value alone, sorted; a number is of the narrowest type that holds it. What is
//! built passes [`Checker`](super::Checker).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};

use super::MOST_DEPTH;
use super::bytes::Bytes;
use super::encode::{self, Entry, Primitive, close_array, close_object, primitive};
use super::value::NULL;
use crate::error::{Error, Result};

/// A value of a variant.
#[derive(Debug, Clone, PartialEq)]
pub enum VariantValue {
    /// Variant's null.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number of 64 bits with a fraction.
    Double(f64),
    /// An exact number of at most 38 digits: `unscaled` / 10^`scale`.
    Decimal {
        /// Its digits.
        unscaled: i128,
        /// How many of them are behind the point.
        scale: u8,
    },
    /// Days since 1970.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since 1970, of a clock without a zone.
    Timestamp(i64),
    /// Microseconds since 1970 in UTC.
    Timestamptz(i64),
    /// Nanoseconds since 1970, of a clock without a zone.
    TimestampNanos(i64),
    /// Nanoseconds since 1970 in UTC.
    TimestamptzNanos(i64),
    /// Bytes.
    Binary(Vec<u8>),
    /// Text.
    String(String),
    /// A UUID.
    Uuid([u8; 16]),
    /// Values in order.
    Array(Vec<VariantValue>),
    /// Values by name.
    Object(BTreeMap<String, VariantValue>),
}

impl VariantValue {
    /// Its metadata and its value. Errors: as [`Variants::append`].
    pub fn encode(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        let mut names = BTreeSet::new();
        self.collect_names(&mut names, 0)?;
        let names: Vec<_> = names.into_iter().collect();
        let mut metadata = Vec::new();
        encode::sorted_names(&mut metadata, &names)?;
        let ids: HashMap<_, _> = names.into_iter().enumerate().map(|(id, name)| (name, id)).collect();
        let mut value = Vec::new();
        self.write(&mut value, &ids)?;
        Ok((metadata, value))
    }

    fn collect_names<'a>(&'a self, names: &mut BTreeSet<&'a str>, depth: usize) -> Result<()> {
        if depth > MOST_DEPTH {
            return Err(Error::limit(format!("the values of a variant nest deeper than {MOST_DEPTH}")));
        }
        match self {
            Self::Array(elements) => {
                elements.iter().try_for_each(|element| element.collect_names(names, depth + 1))
            }
            Self::Object(fields) => fields.iter().try_for_each(|(name, value)| {
                names.insert(name);
                value.collect_names(names, depth + 1)
            }),
            _ => Ok(()),
        }
    }

    fn write(&self, out: &mut Vec<u8>, ids: &HashMap<&str, usize>) -> Result<()> {
        use Primitive as P;
        match self {
            Self::Null => out.extend_from_slice(NULL),
            Self::Boolean(true) => primitive(out, P::True, &[]),
            Self::Boolean(false) => primitive(out, P::False, &[]),
            Self::Integer(number) => integer(out, *number),
            Self::Double(number) => primitive(out, P::Double, &number.to_le_bytes()),
            Self::Decimal { unscaled, scale } => decimal(out, *unscaled, *scale)?,
            Self::Date(days) => primitive(out, P::Date, &days.to_le_bytes()),
            Self::Time(micros) => primitive(out, P::Time, &micros.to_le_bytes()),
            Self::Timestamp(micros) => primitive(out, P::Timestamp, &micros.to_le_bytes()),
            Self::Timestamptz(micros) => primitive(out, P::Timestamptz, &micros.to_le_bytes()),
            Self::TimestampNanos(nanos) => primitive(out, P::TimestampNanos, &nanos.to_le_bytes()),
            Self::TimestamptzNanos(nanos) => primitive(out, P::TimestamptzNanos, &nanos.to_le_bytes()),
            Self::Binary(bytes) => encode::sized(out, P::Binary, bytes)?,
            Self::String(text) => encode::string(out, text.as_bytes())?,
            Self::Uuid(bytes) => primitive(out, P::Uuid, bytes),
            Self::Array(elements) => {
                let start = out.len();
                let mut offsets = Vec::with_capacity(elements.len());
                for element in elements {
                    offsets.push(out.len() - start);
                    element.write(out, ids)?;
                }
                close_array(out, start, &offsets)?;
            }
            Self::Object(fields) => {
                let start = out.len();
                let mut entries = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let id = ids.get(name.as_str()).copied();
                    let id = id.ok_or_else(|| Error::internal("a name of a variant was not collected"))?;
                    entries.push(Entry { name: name.as_bytes(), id, offset: out.len() - start });
                    value.write(out, ids)?;
                }
                close_object(out, start, &mut entries)?;
            }
        }
        Ok(())
    }
}

fn integer(out: &mut Vec<u8>, number: i64) {
    if let Ok(number) = i8::try_from(number) {
        primitive(out, Primitive::Int8, &number.to_le_bytes());
    } else if let Ok(number) = i16::try_from(number) {
        primitive(out, Primitive::Int16, &number.to_le_bytes());
    } else if let Ok(number) = i32::try_from(number) {
        primitive(out, Primitive::Int32, &number.to_le_bytes());
    } else {
        primitive(out, Primitive::Int64, &number.to_le_bytes());
    }
}

fn decimal(out: &mut Vec<u8>, unscaled: i128, scale: u8) -> Result<()> {
    const MOST_DIGITS: u32 = 38;
    let digits = unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
    if digits > MOST_DIGITS || u32::from(scale) > MOST_DIGITS {
        return Err(Error::invalid_input(format!(
            "a decimal has {digits} digits, {scale} of them after the point: a variant allows up to {MOST_DIGITS}"
        )));
    }
    encode::decimal(out, digits.max(u32::from(scale)) as u8, scale as i8, unscaled)
}

/// A column of variants that grows.
pub struct Variants {
    metadata: Bytes,
    values: Bytes,
    nulls: NullBufferBuilder,
}

impl Default for Variants {
    fn default() -> Self {
        Self { metadata: Bytes::new(), values: Bytes::new(), nulls: NullBufferBuilder::new(0) }
    }
}

impl Variants {
    /// Appends a row, `None` for null.
    ///
    /// Errors: `InvalidInput` for a decimal of too many digits, `LimitExceeded` for values that nest too deep, and for more bytes than
    /// one column holds.
    pub fn append(&mut self, value: Option<&VariantValue>) -> Result<()> {
        let (metadata, bytes) = value.unwrap_or(&VariantValue::Null).encode()?;
        self.metadata.append(&metadata)?;
        self.values.append(&bytes)?;
        self.nulls.append(value.is_some());
        Ok(())
    }

    /// The column.
    pub fn finish(mut self) -> Result<StructArray> {
        let fields: Fields =
            ["metadata", "value"].into_iter().map(|name| Field::new(name, DataType::Binary, false)).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(self.metadata.finish()?), Arc::new(self.values.finish()?)];
        StructArray::try_new(fields, columns, self.nulls.finish())
            .map_err(|error| Error::internal("variants do not fit into a column").caused_by(error))
    }
}
