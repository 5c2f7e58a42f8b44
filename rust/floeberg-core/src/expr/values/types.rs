//! Which type do values of different types have in common?
//!
//! Beside a float, a decimal is the nearest double and an integer a double; a constant becomes that float. An integer
//! beside a decimal is a decimal. A time with a zone has no type in common with one without.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};

use super::Literal;
use super::cast::cast_values;
use super::kernels::to_type;
use super::kinds::{decimal_type, digits, is_bytes, is_decimal, is_float, is_text, shown};
use super::literal::decimal_of;
use super::operand::Operand;
use crate::error::{Error, Result};

/// Two operands in the types in which numbers are computed and compared.
pub(super) fn numbers_alike(one: &Operand, other: &Operand) -> Result<(Operand, Operand)> {
    let left = number_beside(one, other.data_type())?;
    let right = number_beside(other, one.data_type())?;
    if left.data_type() == right.data_type() {
        return Ok((left, right));
    }
    match widest(left.data_type(), right.data_type()) {
        Some(kind) => {
            Ok((left.map(|array| to_type(array, &kind))?, right.map(|array| to_type(array, &kind))?))
        }
        None => Ok((left, right)),
    }
}

/// The type of two types of integers, or of two types of floats; null beside anything is of its type.
fn widest(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType as D;
    match (one, other) {
        (D::Null, kind) | (kind, D::Null) => Some(kind.clone()),
        _ if is_float(one) && is_float(other) => {
            Some(if one == &D::Float64 || other == &D::Float64 { D::Float64 } else { D::Float32 })
        }
        _ if one.is_integer() && other.is_integer() => Some(integers(one, other)),
        _ => None,
    }
}

fn integers(one: &DataType, other: &DataType) -> DataType {
    use DataType as D;
    let bits = |kind: &DataType| kind.primitive_width().unwrap_or(8) * 8;
    if one.is_signed_integer() == other.is_signed_integer() {
        return if bits(one) >= bits(other) { one.clone() } else { other.clone() };
    }
    let (signed, unsigned) = if one.is_signed_integer() { (one, other) } else { (other, one) };
    if bits(signed) > bits(unsigned) {
        return signed.clone();
    }
    match bits(unsigned) {
        8 => D::Int16,
        16 => D::Int32,
        32 => D::Int64,
        _ => D::Decimal128(20, 0),
    }
}

/// A number in the type that it has beside a number of another type.
pub(super) fn number_beside(values: &Operand, other: &DataType) -> Result<Operand> {
    let own = values.data_type();
    if is_float(other) && is_decimal(own) {
        let kind = if values.is_constant() { other.clone() } else { DataType::Float64 };
        return values.map(|array| cast_values(array, &kind, false));
    }
    if is_float(other) && own.is_integer() {
        let kind = if values.is_constant() { other.clone() } else { DataType::Float64 };
        return values.map(|array| exact_floats(array, &kind));
    }
    if is_decimal(other) && own.is_integer() {
        if values.is_constant() && !values.array().is_null(0) {
            let number = to_type(values.array(), &DataType::Int64)?.as_primitive::<Int64Type>().value(0);
            let digits = number.unsigned_abs().to_string().len();
            return Ok(Operand::Constant(decimal_of(i256::from_i128(i128::from(number)), digits as u8, 0)?));
        }
        let digits = match own.primitive_width() {
            Some(1) => 3,
            Some(2) => 5,
            Some(4) => 10,
            _ => 20,
        };
        return values.map(|array| to_type(array, &DataType::Decimal128(digits, 0)));
    }
    Ok(values.clone())
}

/// Integers as floats; one that the float cannot hold is an error.
fn exact_floats(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    let made = to_type(array, kind)?;
    let double = to_type(&made, &DataType::Float64)?;
    let double = double.as_primitive::<arrow_array::types::Float64Type>();
    let whole = to_type(array, &DataType::Decimal128(20, 0))?;
    let whole = whole.as_primitive::<arrow_array::types::Decimal128Type>();
    for row in 0..array.len() {
        if whole.is_valid(row) && double.value(row) as i128 != whole.value(row) {
            return Err(Error::invalid_input(format!(
                "the integer {} cannot be held by a {}: cast it first",
                whole.value(row),
                shown(kind)
            )));
        }
    }
    Ok(made)
}

/// Values of several branches in one type, and the type.
///
/// `literals` says which of them are literals. Errors: `InvalidInput` where they have no type in common.
pub(super) fn common_type(
    values: Vec<Operand>,
    literals: &[Option<&Literal>],
) -> Result<(Vec<Operand>, DataType)> {
    let mut values = texts_beside(values, literals)?;
    let floats: Vec<_> = kinds(&values).into_iter().filter(is_float).collect();
    if let Some(first) = floats.first() {
        let widest = if floats.contains(&DataType::Float64) { DataType::Float64 } else { first.clone() };
        values = values.iter().map(|each| number_beside(each, &widest)).collect::<Result<_>>()?;
    } else if kinds(&values).iter().any(is_decimal) {
        let beside = DataType::Decimal128(1, 0);
        values = values.iter().map(|each| number_beside(each, &beside)).collect::<Result<_>>()?;
    }
    let kinds = kinds(&values);
    check_zones(&kinds)?;
    let Some(first) = kinds.first().cloned() else { return Ok((values, DataType::Null)) };
    let mut kind = first;
    for other in &kinds[1..] {
        kind = joined(&kind, other).ok_or_else(|| {
            let mut named: Vec<_> = kinds.iter().map(shown).collect();
            named.sort();
            named.dedup();
            Error::invalid_input(format!("the values have no type in common: {}", named.join(", ")))
        })?;
    }
    let values = values.into_iter().map(|each| each.map(|array| in_type(array, &kind)));
    Ok((values.collect::<Result<_>>()?, kind))
}

fn in_type(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    if array.data_type() == &DataType::Null {
        Ok(new_null_array(kind, array.len()))
    } else {
        to_type(array, kind)
    }
}

fn kinds(values: &[Operand]) -> Vec<DataType> {
    values.iter().map(|each| each.data_type().clone()).filter(|kind| kind != &DataType::Null).collect()
}

/// The type of two types, neither of which is null.
pub(super) fn joined(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType as D;
    if one == other {
        return Some(one.clone());
    }
    if let Some(kind) = widest(one, other) {
        return Some(kind);
    }
    match (one, other) {
        _ if is_text(one) && is_text(other) => Some(D::LargeUtf8),
        _ if is_bytes(one) && is_bytes(other) => Some(D::LargeBinary),
        _ if is_decimal(one) && is_decimal(other) => decimals(one, other),
        (D::Date32 | D::Date64, D::Date32 | D::Date64) => Some(D::Date32),
        (D::Date32 | D::Date64, D::Timestamp(unit, None))
        | (D::Timestamp(unit, None), D::Date32 | D::Date64) => Some(D::Timestamp(*unit, None)),
        (D::Timestamp(one, zone), D::Timestamp(other, of)) if zone.is_some() == of.is_some() => {
            Some(D::Timestamp(finer(*one, *other), zone.clone()))
        }
        (D::Time32(one) | D::Time64(one), D::Time32(other) | D::Time64(other)) => {
            let unit = finer(*one, *other);
            Some(if matches!(unit, TimeUnit::Second | TimeUnit::Millisecond) {
                D::Time32(unit)
            } else {
                D::Time64(unit)
            })
        }
        _ => None,
    }
}

fn finer(one: TimeUnit, other: TimeUnit) -> TimeUnit {
    one.max(other)
}

/// A decimal with room for all values of two types.
fn decimals(one: &DataType, other: &DataType) -> Option<DataType> {
    let ((one, scale), (other, of)) = (digits(one)?, digits(other)?);
    let fraction = scale.max(of);
    let whole = (i16::from(one) - i16::from(scale)).max(i16::from(other) - i16::from(of));
    let precision = u8::try_from(whole + i16::from(fraction)).ok()?.max(1);
    decimal_type(precision, fraction)
}

/// Literal texts in the type of the other values, where that is a time or bytes.
fn texts_beside(values: Vec<Operand>, literals: &[Option<&Literal>]) -> Result<Vec<Operand>> {
    let other = values.iter().zip(literals).find_map(|(each, literal)| {
        let kind = each.data_type();
        (literal.is_none() && kind != &DataType::Null).then(|| kind.clone())
    });
    let Some(kind) = other.filter(|kind| kind.is_temporal() || is_bytes(kind)) else { return Ok(values) };
    let typed = values.into_iter().zip(literals).map(|(each, literal)| match literal {
        Some(literal) if literal.text().is_some() => literal.of_type(&kind).map(Operand::Constant),
        _ => Ok(each),
    });
    typed.collect()
}

/// A time without a zone, or a date, is at another moment in each zone.
pub(super) fn check_zones(kinds: &[DataType]) -> Result<()> {
    let is_zoned = |kind: &&DataType| matches!(kind, DataType::Timestamp(_, Some(_)));
    let zoned = kinds.iter().find(is_zoned);
    let other = kinds.iter().find(|kind| kind.is_temporal() && !is_zoned(kind));
    match (zoned, other) {
        (Some(zoned), Some(other)) => Err(Error::invalid_input(format!(
            "values of types {} and {} are not comparable: one has a zone. Say which zone is meant: \
             CAST(... AS TIMESTAMPTZ) takes a time without one as UTC",
            shown(zoned),
            shown(other)
        ))),
        _ => Ok(()),
    }
}
