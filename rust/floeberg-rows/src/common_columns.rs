//! In which columns are rows of two tables compared?
//!
//! In: the columns of both, by their names. Out: for each column of the second table the type that values of both have.
//! Spec: Schema Evolution (int to long, float to double, wider decimals, date to timestamp).
//!
//! Invariant: a value of either table has the same meaning in the common type. Forms of storage, such as dictionaries, large texts and
//! lists of one length, are no difference. A column, and a part of a struct, that the first table lacks is null there.

use std::sync::Arc;

use arrow_array::{ArrayRef, new_null_array};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use floeberg_core::schema::from_arrow::written_out;
use floeberg_core::{Error, Result};

use crate::cast::{cast_known, element, entries, extension, field_type_name, quoted, without_extension};

/// A column of both tables, as it is compared. It may be null.
///
/// Errors: `InvalidInput`, with the name and both types, where one value has another meaning in the other type.
pub(crate) fn common_column(before: &Field, after: &Field) -> Result<Field> {
    let found = common_field(after.name(), before, after, true)
        .map_err(|part| part.named(&[field_type_name(before), field_type_name(after)]))?;
    Ok(found.with_nullable(true))
}

/// A column that the first table lacks, as it is compared.
pub(crate) fn new_column(after: &Field) -> Field {
    let plain = with_type(after, plain(after.data_type()));
    plain.with_nullable(true)
}

/// Have a column the same type and nulls in both tables?
pub(crate) fn is_same_column(before: &Field, after: &Field) -> bool {
    let same_parts = |one: &Fields, other: &Fields| {
        one.len() == other.len()
            && other
                .iter()
                .all(|field| one.find(field.name()).is_some_and(|(_, own)| is_same_column(own, field)))
    };
    let is_other = matches!((extension(before), extension(after)), (Some(one), Some(other)) if one != other);
    if is_other || before.is_nullable() != after.is_nullable() {
        return false;
    }
    match (written_out(before.data_type()), written_out(after.data_type())) {
        (DataType::Struct(one), DataType::Struct(other)) => same_parts(one, other),
        (one, other) => match (element(one), element(other), entries(one), entries(other)) {
            (Some(one), Some(other), ..) => is_same_column(one, other),
            (.., Some(one), Some(other)) => {
                one.into_iter().zip(other).all(|(one, other)| is_same_column(one, other))
            }
            _ => one == other || stored_alike(one, other).is_some(),
        },
    }
}

/// Part of a column whose types have different meanings.
struct OtherType {
    /// The full name.
    name: String,
    types: [String; 2],
}

impl OtherType {
    fn named(self, whole: &[String; 2]) -> Error {
        let [before, after] = if self.name.contains('.') { &self.types } else { whole };
        Error::invalid_input(format!(
            "the column {} is of type {before} in one table, and of type {after} in the other: select other columns",
            quoted(&self.name)
        ))
    }
}

fn common_field(name: &str, before: &Field, after: &Field, is_top: bool) -> Result<Field, OtherType> {
    let other =
        || OtherType { name: name.to_owned(), types: [field_type_name(before), field_type_name(after)] };
    if matches!((extension(before), extension(after)), (Some(one), Some(other)) if one != other) {
        return Err(other());
    }
    let (one, two) = (written_out(before.data_type()), written_out(after.data_type()));
    let kind = match (one, two) {
        (DataType::Struct(given), DataType::Struct(wanted)) => {
            let part = |field: &FieldRef| {
                let full = format!("{name}.{}", field.name());
                match given.find(field.name()) {
                    Some((_, known)) => common_field(&full, known, field, false).map(Arc::new),
                    None => Ok(Arc::new(new_column(field))),
                }
            };
            DataType::Struct(wanted.iter().map(part).collect::<Result<Fields, _>>()?)
        }
        _ => match (element(one), element(two), entries(one), entries(two)) {
            (Some(given), Some(wanted), ..) => {
                let full = format!("{name}.element");
                DataType::List(Arc::new(common_field(&full, given, wanted, false)?))
            }
            (.., Some([key, value]), Some([own_key, own_value])) => {
                let key = common_field(&format!("{name}.key"), key, own_key, false)?;
                let value = common_field(&format!("{name}.value"), value, own_value, false)?;
                map_of(two, key, value).ok_or_else(other)?
            }
            _ => common_type(one, two, is_top).ok_or_else(other)?,
        },
    };
    let nullable = before.is_nullable() || after.is_nullable();
    Ok(with_type(after, kind).with_nullable(nullable))
}

/// A field of another type, whose extension goes with another storage.
fn with_type(field: &Field, kind: DataType) -> Field {
    let keeps = kind == *field.data_type() || kind.is_nested() || !field.data_type().is_numeric();
    let named = if keeps { field.clone() } else { without_extension(field) };
    named.with_data_type(kind)
}

fn map_of(like: &DataType, key: Field, value: Field) -> Option<DataType> {
    let DataType::Map(pairs, _) = like else { return None };
    let parts = DataType::Struct(vec![key.with_nullable(false), value].into());
    Some(DataType::Map(Arc::new(pairs.as_ref().clone().with_data_type(parts)), false))
}

/// A type with values written out, and lists of any length.
fn plain(kind: &DataType) -> DataType {
    let part = |field: &FieldRef| Arc::new(with_type(field, plain(field.data_type())));
    match written_out(kind) {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(part).collect()),
        other => match (element(other), entries(other)) {
            (Some(field), _) => DataType::List(part(field)),
            (_, Some([key, value])) => {
                let both = [key, value].map(|field| part(field).as_ref().clone());
                let [key, value] = both;
                map_of(other, key, value).unwrap_or_else(|| other.clone())
            }
            _ => other.clone(),
        },
    }
}

/// The type of the second table, where both only store the same values in two ways.
fn stored_alike(before: &DataType, after: &DataType) -> Option<DataType> {
    use DataType as T;
    match (before, after) {
        (T::Utf8 | T::LargeUtf8 | T::Utf8View, T::Utf8 | T::LargeUtf8 | T::Utf8View)
        | (T::Binary | T::LargeBinary | T::BinaryView, T::Binary | T::LargeBinary | T::BinaryView) => {
            Some(after.clone())
        }
        (T::Timestamp(one, Some(_)), T::Timestamp(other, Some(_))) if one == other => Some(after.clone()),
        _ => None,
    }
}

/// The type that values of both have; `None` where there is none. A date becomes a timestamp in a column of its own alone.
fn common_type(before: &DataType, after: &DataType, is_top: bool) -> Option<DataType> {
    use DataType as T;
    if before == after {
        return Some(after.clone());
    }
    if let Some(alike) = stored_alike(before, after) {
        return Some(alike);
    }
    match (before, after) {
        (T::Null, other) | (other, T::Null) => Some(other.clone()),
        _ if before.is_integer() && after.is_integer() => common_integer(before, after),
        _ if before.is_floating() && after.is_floating() => {
            let width = |kind: &T| kind.primitive_width();
            Some(if width(before) > width(after) { before.clone() } else { after.clone() })
        }
        // Iceberg has no integers of 64 bits without a sign: a migration makes decimals of them.
        (T::UInt64, T::Decimal128(20, 0)) => Some(after.clone()),
        (T::Decimal128(20, 0), T::UInt64) => Some(before.clone()),
        _ => match (decimal(before), decimal(after)) {
            (Some((one, scale)), Some((other, own_scale))) if scale == own_scale => {
                let most = one.max(other);
                Some(if most > 38 { T::Decimal256(most, scale) } else { T::Decimal128(most, scale) })
            }
            _ => common_time(before, after, is_top),
        },
    }
}

fn decimal(kind: &DataType) -> Option<(u8, i8)> {
    use DataType as T;
    match kind {
        T::Decimal32(digits, scale)
        | T::Decimal64(digits, scale)
        | T::Decimal128(digits, scale)
        | T::Decimal256(digits, scale) => Some((*digits, *scale)),
        _ => None,
    }
}

/// Times of seconds and milliseconds, which Iceberg does not have, are times of the finer unit up to microseconds.
fn common_time(before: &DataType, after: &DataType, is_top: bool) -> Option<DataType> {
    use DataType as T;
    let finer = |one: TimeUnit, other: TimeUnit| {
        let place = |unit| match unit {
            TimeUnit::Second => Some(0),
            TimeUnit::Millisecond => Some(1),
            TimeUnit::Microsecond => Some(2),
            TimeUnit::Nanosecond => None,
        };
        Some(if place(one)? > place(other)? { one } else { other })
    };
    match (before, after) {
        (T::Timestamp(one, zone), T::Timestamp(other, own)) if zone.is_some() == own.is_some() => {
            Some(T::Timestamp(finer(*one, *other)?, own.clone()))
        }
        (T::Time32(one) | T::Time64(one), T::Time32(other) | T::Time64(other)) => {
            Some(match finer(*one, *other)? {
                unit @ TimeUnit::Microsecond => T::Time64(unit),
                unit => T::Time32(unit),
            })
        }
        (T::Date32 | T::Date64, T::Date32 | T::Date64) => Some(T::Date32),
        (T::Date32, T::Timestamp(_, None)) if is_top => Some(after.clone()),
        (T::Timestamp(_, None), T::Date32) if is_top => Some(before.clone()),
        _ => None,
    }
}

fn common_integer(before: &DataType, after: &DataType) -> Option<DataType> {
    use DataType as T;
    let bits = |kind: &T| kind.primitive_width().map(|bytes| bytes * 8);
    let (one, other) = (bits(before)?, bits(after)?);
    if before.is_signed_integer() == after.is_signed_integer() {
        return Some(if one > other { before.clone() } else { after.clone() });
    }
    let (signed, unsigned) = if before.is_signed_integer() { (one, other) } else { (other, one) };
    match signed.max(unsigned * 2) {
        16 => Some(T::Int16),
        32 => Some(T::Int32),
        64 => Some(T::Int64),
        _ => None,
    }
}

/// The values of a column of one of the tables, as they are compared; `None` is a column that it lacks.
///
/// Errors: `InvalidInput` for a value that the common type does not hold.
pub(crate) fn common_values(
    column: Option<(&ArrayRef, &Field)>,
    to: &Field,
    rows: usize,
) -> Result<ArrayRef> {
    let Some((values, from)) = column else { return Ok(new_null_array(to.data_type(), rows)) };
    let is_date = matches!(written_out(from.data_type()), DataType::Date32);
    if is_date && matches!(to.data_type(), DataType::Timestamp(..)) {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        return cast_with_options(values, to.data_type(), &options).map_err(|failure| {
            Error::invalid_input("a date does not fit into a timestamp")
                .with("column", to.name())
                .caused_by(failure)
        });
    }
    cast_known(to.name(), values, from, to)
}

#[cfg(test)]
mod tests;
