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

use super::kernels::{computing, to_type};
use super::kinds::{digits, is_decimal, is_float, is_number, shown};
use super::operand::Operand;
use super::types::{check_zones, joined, number_beside};
use super::{Comparison, Literal};
use crate::error::{Error, Result};
use crate::expr::convert::{Converted, convert};
use crate::expr::evaluate::tested;
use crate::expr::half_float::nearest_half_float;
use crate::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator, RawLiteral};
use crate::schema::Type;
use crate::value::Value;

impl Comparison {
    /// The comparison that has the same answer when its sides change places.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Eq => Self::Eq,
            Self::NotEq => Self::NotEq,
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
        }
    }

    /// Does it hold of two values in this order? `None` is the order of NaN.
    fn holds(self, order: Option<Ordering>) -> bool {
        match (self, order) {
            (Self::NotEq, order) => order != Some(Ordering::Equal),
            (_, None) => false,
            (Self::Eq, Some(order)) => order.is_eq(),
            (Self::Lt, Some(order)) => order.is_lt(),
            (Self::LtEq, Some(order)) => order.is_le(),
            (Self::Gt, Some(order)) => order.is_gt(),
            (Self::GtEq, Some(order)) => order.is_ge(),
        }
    }

    fn operator(self) -> Operator {
        match self {
            Self::Eq => Operator::Eq,
            Self::NotEq => Operator::NotEq,
            Self::Lt => Operator::Lt,
            Self::LtEq => Operator::LtEq,
            Self::Gt => Operator::Gt,
            Self::GtEq => Operator::GtEq,
        }
    }
}

/// Values compared with a literal, as a filter compares a column.
///
/// Errors: `InvalidInput` for a literal of another kind.
pub(super) fn with_literal(comparison: Comparison, values: &Operand, literal: &Literal) -> Result<Operand> {
    let kind = values.data_type().clone();
    if kind == DataType::Null {
        return Ok(Operand::null());
    }
    if let DataType::Time64(TimeUnit::Nanosecond) = kind {
        // No type of filters is so fine.
        let time = literal.of_type(&DataType::Time64(TimeUnit::Microsecond))?;
        return values_compared(comparison, values, &Operand::Constant(time));
    }
    let Some(target) = literal.compared_type(&kind) else {
        return values_compared(comparison, values, &Operand::Constant(literal.by_itself()?));
    };
    let column = Type::Primitive(target.clone());
    let answer = |operator, value| values.map(|array| masked(operator, array, &column, vec![value]));
    let fixed = |holds: bool| values.map(|array| Ok(for_all(array, holds)));
    let is_less = matches!(comparison, Comparison::Lt | Comparison::LtEq);
    match convert(&literal.raw, &target)? {
        Converted::Exact(value) => answer(comparison.operator(), nearest(value, &kind)),
        Converted::Between(below, _) if is_less => answer(Operator::LtEq, below),
        Converted::Between(_, above) if matches!(comparison, Comparison::Gt | Comparison::GtEq) => {
            answer(Operator::GtEq, above)
        }
        Converted::Between(..) => fixed(comparison == Comparison::NotEq),
        // NaN is in no order.
        Converted::Above if is_less && !is_float(&kind) => fixed(true),
        Converted::Below if matches!(comparison, Comparison::Gt | Comparison::GtEq) && !is_float(&kind) => {
            fixed(true)
        }
        Converted::Above | Converted::Below => fixed(comparison == Comparison::NotEq),
    }
}

/// Whether values are among literals, as a filter has it; `None` where not all of them are values of the type.
pub(super) fn among_literals(values: &Operand, literals: &[&Literal]) -> Result<Option<Operand>> {
    let mut found: Vec<Value> = Vec::new();
    let mut tested_as = None;
    if let DataType::Time64(TimeUnit::Nanosecond) = values.data_type() {
        return Ok(None);
    }
    for literal in literals {
        let Some(target) = literal.compared_type(values.data_type()) else { return Ok(None) };
        if tested_as.as_ref().is_some_and(|other| other != &target) {
            return Ok(None);
        }
        match convert(&literal.raw, &target)? {
            Converted::Exact(value) => found.push(nearest(value, values.data_type())),
            _ => return Ok(None),
        }
        tested_as = Some(target);
    }
    let Some(target) = tested_as.filter(|_| literals.len() > 1) else { return Ok(None) };
    let column = Type::Primitive(target);
    values.map(|array| masked(Operator::In, array, &column, found.clone())).map(Some)
}

/// A literal beside values of a type: the nearest of them.
fn nearest(value: Value, kind: &DataType) -> Value {
    match value {
        Value::Float(number) if kind == &DataType::Float16 => Value::Float(nearest_half_float(number)),
        other => other,
    }
}

/// The answer of a filter's test for each value; null for null.
fn masked(operator: Operator, array: &ArrayRef, column: &Type, literals: Vec<Value>) -> Result<ArrayRef> {
    let nulls = array.logical_nulls();
    let column = BoundColumn {
        id: 0,
        name: "value".to_owned(),
        path: Vec::new(),
        field_type: column.clone(),
        required: false,
    };
    let column = Arc::new(column);
    let test = match operator {
        Operator::In => BoundPredicate::set(operator, column, None, literals),
        _ => BoundExpr::Predicate(BoundPredicate {
            op: operator,
            column,
            transform: None,
            literals: literals.into(),
        }),
    };
    let BoundExpr::Predicate(test) = test else {
        return Err(Error::internal("a test of literals is no test"));
    };
    let bits = tested(&test, array)?;
    Ok(Arc::new(BooleanArray::new(bits, nulls)))
}

/// The same answer for each value; null for null.
fn for_all(array: &ArrayRef, holds: bool) -> ArrayRef {
    let bits =
        if holds { BooleanBuffer::new_set(array.len()) } else { BooleanBuffer::new_unset(array.len()) };
    Arc::new(BooleanArray::new(bits, array.logical_nulls()))
}

/// Two literals compared.
///
/// Errors: `InvalidInput` where one is a number and the other is a text.
pub(super) fn literals_compared(comparison: Comparison, one: &Literal, other: &Literal) -> Result<Operand> {
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
    values_compared(comparison, &Operand::Constant(one.by_itself()?), &Operand::Constant(other.by_itself()?))
}

/// Values compared, of types that have one in common.
///
/// Errors: `InvalidInput` for types that are not compared with each other.
pub(super) fn values_compared(comparison: Comparison, one: &Operand, other: &Operand) -> Result<Operand> {
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
        return Ok(answer(with_floats(comparison, one, other, rows)?));
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
    let compared = match comparison {
        Comparison::Eq => cmp::eq(&one, &other),
        Comparison::NotEq => cmp::neq(&one, &other),
        Comparison::Lt => cmp::lt(&one, &other),
        Comparison::LtEq => cmp::lt_eq(&one, &other),
        Comparison::Gt => cmp::gt(&one, &other),
        Comparison::GtEq => cmp::gt_eq(&one, &other),
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
fn with_floats(comparison: Comparison, one: &Operand, other: &Operand, rows: usize) -> Result<ArrayRef> {
    let (left, right) = (Number::of(one)?, Number::of(other)?);
    let nulls = NullBuffer::union(each_null(one, rows).as_ref(), each_null(other, rows).as_ref());
    let at = |operand: &Operand, row: usize| if operand.is_constant() { 0 } else { row };
    let bits = BooleanBuffer::collect_bool(rows, |row| {
        comparison.holds(left.order(at(one, row), &right, at(other, row)))
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
        super::cast::cast_values(operand.array(), &DataType::Float64, false).map(Self::Double)
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
