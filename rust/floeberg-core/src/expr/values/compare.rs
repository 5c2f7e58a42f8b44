//! How are values compared?
//!
//! Invariant: NaN equals nothing and is in no order, and -0.0 equals 0.0. An integer is compared with a double exactly.
//! A comparison with a literal is that of a row filter.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Datum, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_ord::cmp;
use arrow_schema::{DataType, TimeUnit};

use super::Literal;
use super::cast::cast_values;
use super::kernels::{computing, to_type};
use super::kinds::{digits, is_decimal, is_float, is_number, shown};
use super::operand::Operand;
use super::types::{check_zones, joined, number_beside};
use crate::error::{Error, Result};
use crate::expr::column_test::{bind_to_column, evaluate_values};
use crate::expr::{BoundColumn, Operator, Predicate, RawLiteral, Term};
use crate::schema::Type;

/// Does a comparison hold of two values in this order? `None` is the order of NaN.
fn holds(operator: Operator, order: Option<Ordering>) -> bool {
    match (operator, order) {
        (Operator::NotEq, order) => order != Some(Ordering::Equal),
        (Operator::Eq, Some(order)) => order.is_eq(),
        (Operator::Lt, Some(order)) => order.is_lt(),
        (Operator::LtEq, Some(order)) => order.is_le(),
        (Operator::Gt, Some(order)) => order.is_gt(),
        (Operator::GtEq, Some(order)) => order.is_ge(),
        _ => false,
    }
}

/// Values tested against literals, as a filter tests a column: compared with one, or looked for among many.
///
/// `None` where the literals have no type of filters in common, or where filters have no type as fine as that of the
/// values. Errors: `InvalidInput` for a literal of another kind, naming what is tested.
pub(super) fn with_literals(
    operator: Operator,
    values: &Operand,
    literals: &[&Literal],
    written: &str,
) -> Result<Option<Operand>> {
    let kind = values.data_type();
    if kind == &DataType::Time64(TimeUnit::Nanosecond) {
        return Ok(None);
    }
    let mut types = literals.iter().map(|literal| literal.compared_type(kind));
    let Some(Some(first)) = types.next() else { return Ok(None) };
    if types.any(|other| other.as_ref() != Some(&first)) {
        return Ok(None);
    }
    let column = BoundColumn {
        id: 0,
        name: written.to_owned(),
        path: Vec::new(),
        field_type: Type::Primitive(first),
        required: false,
    };
    let term = Term::column(written);
    let raw = literals.iter().map(|literal| literal.raw.clone()).collect();
    let bound = bind_to_column(&Predicate { op: operator, term, literals: raw }, Arc::new(column), false)?;
    let bound = bound.with_half_floats(&|_| kind == &DataType::Float16);
    let answers = values.map(|array| {
        // A filter is true or false for null, and a comparison is null.
        Ok(Arc::new(BooleanArray::new(evaluate_values(&bound, array)?, array.logical_nulls())) as ArrayRef)
    });
    answers.map(Some)
}

/// Values compared with a literal.
///
/// Errors: `InvalidInput` for a literal of another kind.
pub(super) fn with_literal(
    operator: Operator,
    values: &Operand,
    literal: &Literal,
    written: &str,
) -> Result<Operand> {
    if values.data_type() == &DataType::Null {
        return Ok(Operand::null());
    }
    if let Some(found) = with_literals(operator, values, &[literal], written)? {
        return Ok(found);
    }
    let other = match values.data_type() {
        DataType::Time64(TimeUnit::Nanosecond) => {
            literal.of_type(&DataType::Time64(TimeUnit::Microsecond))?
        }
        _ => literal.by_itself()?,
    };
    values_compared(operator, values, &Operand::Constant(other))
}

/// Two literals compared.
///
/// Errors: `InvalidInput` where one is a number and the other is a text.
pub(super) fn literals_compared(operator: Operator, one: &Literal, other: &Literal) -> Result<Operand> {
    let same_kind = match (&one.raw, &other.raw) {
        (RawLiteral::String(_), RawLiteral::String(_)) | (RawLiteral::Binary(_), RawLiteral::Binary(_)) => {
            true
        }
        (RawLiteral::String(_) | RawLiteral::Binary(_), _)
        | (_, RawLiteral::String(_) | RawLiteral::Binary(_)) => false,
        _ => true,
    };
    if !same_kind {
        return Err(Error::invalid_input(format!(
            "the number and the text cannot be compared: {} and {}",
            one.shown(),
            other.shown()
        )));
    }
    values_compared(operator, &Operand::Constant(one.by_itself()?), &Operand::Constant(other.by_itself()?))
}

/// Values compared, of types that have one in common.
///
/// Errors: `InvalidInput` for types that are not compared with each other.
pub(super) fn values_compared(operator: Operator, one: &Operand, other: &Operand) -> Result<Operand> {
    let (left, right) = (one.data_type().clone(), other.data_type().clone());
    let rows = if one.is_constant() { other.array().len() } else { one.array().len() };
    let answer = |array: ArrayRef| {
        if one.is_constant() && other.is_constant() { Operand::Constant(array) } else { Operand::Rows(array) }
    };
    if left == DataType::Null || right == DataType::Null {
        return Ok(answer(new_null_array(&DataType::Boolean, rows)));
    }
    check_zones(&[left.clone(), right.clone()])?;
    let not_compared = || {
        Error::invalid_input(format!(
            "values of types {} and {} cannot be compared",
            shown(&left),
            shown(&right)
        ))
    };
    if is_number(&left) != is_number(&right) || left.is_nested() || right.is_nested() {
        return Err(not_compared());
    }
    if is_number(&left) && (is_float(&left) || is_float(&right)) {
        return Ok(answer(with_floats(operator, one, other, rows)?));
    }
    let (one, other) = if is_decimal(&left) || is_decimal(&right) {
        (number_beside(one, &right)?, number_beside(other, &left)?)
    } else {
        (one.clone(), other.clone())
    };
    let kind = if is_decimal(one.data_type()) {
        common_decimal(one.data_type(), other.data_type())
    } else {
        joined(one.data_type(), other.data_type())
    };
    let kind = kind.ok_or_else(not_compared)?;
    let (one, other) = (one.map(|array| to_type(array, &kind))?, other.map(|array| to_type(array, &kind))?);
    let compared = match operator {
        Operator::Eq => cmp::eq(&one, &other),
        Operator::NotEq => cmp::neq(&one, &other),
        Operator::Lt => cmp::lt(&one, &other),
        Operator::LtEq => cmp::lt_eq(&one, &other),
        Operator::Gt => cmp::gt(&one, &other),
        Operator::GtEq => cmp::gt_eq(&one, &other),
        other => return Err(Error::internal(format!("{} is not a comparison", other.sql()))),
    };
    Ok(answer(Arc::new(compared.map_err(computing)?)))
}

/// A decimal in which two are compared: of 256 bits where 128 lack room for both.
fn common_decimal(one: &DataType, other: &DataType) -> Option<DataType> {
    joined(one, other).or_else(|| {
        let scale = digits(one)?.1.max(digits(other)?.1);
        Some(DataType::Decimal256(arrow_schema::DECIMAL256_MAX_PRECISION, scale))
    })
}

/// Numbers compared, of which one or both are floats.
fn with_floats(operator: Operator, one: &Operand, other: &Operand, rows: usize) -> Result<ArrayRef> {
    let (left, right) = (Number::of(one)?, Number::of(other)?);
    let nulls = NullBuffer::union(each_null(one, rows).as_ref(), each_null(other, rows).as_ref());
    let at = |operand: &Operand, row: usize| if operand.is_constant() { 0 } else { row };
    let bits = BooleanBuffer::collect_bool(rows, |row| {
        holds(operator, left.order(at(one, row), &right, at(other, row)))
    });
    Ok(Arc::new(BooleanArray::new(bits, nulls)))
}

fn each_null(operand: &Operand, rows: usize) -> Option<NullBuffer> {
    let (array, is_constant) = operand.get();
    match is_constant {
        true if array.is_null(0) => Some(NullBuffer::new_null(rows)),
        true => None,
        false => array.logical_nulls(),
    }
}

/// Doubles, or integers in 128 bits.
enum Number {
    Double(ArrayRef),
    Whole(ArrayRef),
}

impl Number {
    /// Decimals beside floats are the nearest doubles.
    fn of(operand: &Operand) -> Result<Self> {
        if operand.data_type().is_integer() {
            return to_type(operand.array(), &DataType::Decimal128(20, 0)).map(Self::Whole);
        }
        cast_values(operand.array(), &DataType::Float64, false).map(Self::Double)
    }

    fn order(&self, row: usize, other: &Self, of: usize) -> Option<Ordering> {
        match (self, other) {
            (Self::Double(one), Self::Double(other)) => double(one, row).partial_cmp(&double(other, of)),
            (Self::Whole(one), Self::Double(other)) => beside_double(whole(one, row), double(other, of)),
            (Self::Double(one), Self::Whole(other)) => {
                beside_double(whole(other, of), double(one, row)).map(Ordering::reverse)
            }
            (Self::Whole(one), Self::Whole(other)) => Some(whole(one, row).cmp(&whole(other, of))),
        }
    }
}

fn double(array: &ArrayRef, row: usize) -> f64 {
    array.as_primitive::<Float64Type>().value(row)
}

fn whole(array: &ArrayRef, row: usize) -> i128 {
    array.as_primitive::<Decimal128Type>().value(row)
}

/// The order of an integer and a double, exactly.
fn beside_double(whole: i128, double: f64) -> Option<Ordering> {
    // Beyond all integers of 64 bits; infinity too.
    const BEYOND: f64 = 1e30;
    if double.is_nan() {
        None
    } else if double.abs() > BEYOND {
        Some(if double > 0.0 { Ordering::Less } else { Ordering::Greater })
    } else {
        let floor = double.floor();
        Some(whole.cmp(&(floor as i128)).then(if double > floor { Ordering::Less } else { Ordering::Equal }))
    }
}
