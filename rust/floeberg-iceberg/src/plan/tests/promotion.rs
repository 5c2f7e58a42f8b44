//! Columns that were promoted, at random: what was written before, and what it reads as.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Float32Array, Int32Array};
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator, evaluate_row};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use proptest::prelude::*;

/// The type that a column had when it was written, and the one that it has.
#[derive(Debug, Clone)]
pub(crate) struct Promotion {
    from: PrimitiveType,
    pub(crate) to: PrimitiveType,
}

impl Promotion {
    /// Old values of numbers.
    pub(crate) fn all(&self, numbers: &[Option<i32>]) -> Vec<Option<Value>> {
        numbers.iter().map(|number| number.map(|number| self.old(number))).collect()
    }

    /// A test of column 1, which has the new type.
    pub(crate) fn test(&self, op: Operator, literal: Value) -> BoundExpr {
        let field_type = Type::from(self.to.clone());
        let column = BoundColumn { id: 1, name: "c".to_owned(), path: vec![1], field_type, required: false };
        let (column, literals) = (Arc::new(column), [literal].into());
        BoundExpr::Predicate(BoundPredicate { op, column, transform: None, literals })
    }

    /// How many old values a filter wants.
    pub(crate) fn matching(&self, filter: &BoundExpr, values: &[Option<Value>]) -> usize {
        let matches = |value: &&Option<Value>| {
            let value = value.as_ref().map(|value| self.new_value(value));
            evaluate_row(filter, &|_| value.clone()).unwrap()
        };
        values.iter().filter(matches).count()
    }

    /// A value of the old type, from a number of 32 bits.
    pub(crate) fn old(&self, number: i32) -> Value {
        match &self.from {
            PrimitiveType::Int => Value::Int(number),
            PrimitiveType::Float => Value::Float(number as f32 / 4.0),
            PrimitiveType::Date => Value::Date(number % 100_000),
            _ => Value::Decimal { unscaled: i128::from(number), scale: 2 },
        }
    }

    pub(crate) fn new_value(&self, old: &Value) -> Value {
        match (old, &self.to) {
            (Value::Int(value), PrimitiveType::Long) => Value::Long(i64::from(*value)),
            (Value::Float(value), PrimitiveType::Double) => Value::Double(f64::from(*value)),
            (Value::Date(days), PrimitiveType::Timestamp) => {
                Value::Timestamp(i64::from(*days) * 86_400_000_000)
            }
            (Value::Date(days), PrimitiveType::TimestampNs) => {
                Value::TimestampNs(i64::from(*days) * 86_400_000_000_000)
            }
            (other, _) => other.clone(),
        }
    }

    /// The values as the file stores them.
    pub(crate) fn stored(&self, values: &[Option<Value>]) -> ArrayRef {
        let int = |value: &Option<Value>| match value {
            Some(Value::Int(value) | Value::Date(value)) => Some(*value),
            _ => None,
        };
        let float = |value: &Option<Value>| match value {
            Some(Value::Float(value)) => Some(*value),
            _ => None,
        };
        let unscaled = |value: &Option<Value>| match value {
            Some(Value::Decimal { unscaled, .. }) => Some(*unscaled),
            _ => None,
        };
        match &self.from {
            PrimitiveType::Int => Arc::new(values.iter().map(int).collect::<Int32Array>()),
            PrimitiveType::Date => Arc::new(values.iter().map(int).collect::<Date32Array>()),
            PrimitiveType::Float => Arc::new(values.iter().map(float).collect::<Float32Array>()),
            PrimitiveType::Decimal { precision, .. } => {
                let decimals = values.iter().map(unscaled).collect::<Decimal128Array>();
                Arc::new(decimals.with_precision_and_scale(*precision, 2).unwrap())
            }
            other => panic!("{other} is not promoted"),
        }
    }
}

pub(crate) fn promotion() -> impl Strategy<Value = Promotion> {
    let decimal = |precision| PrimitiveType::Decimal { precision, scale: 2 };
    prop_oneof![
        Just(Promotion { from: PrimitiveType::Int, to: PrimitiveType::Long }),
        Just(Promotion { from: PrimitiveType::Float, to: PrimitiveType::Double }),
        Just(Promotion { from: PrimitiveType::Date, to: PrimitiveType::Timestamp }),
        Just(Promotion { from: PrimitiveType::Date, to: PrimitiveType::TimestampNs }),
        (10_u8..=38).prop_map(move |wide| Promotion { from: decimal(10), to: decimal(wide) }),
    ]
}

pub(crate) fn numbers() -> impl Strategy<Value = Vec<Option<i32>>> {
    let number = prop_oneof![4 => -300_i32..300, 1 => any::<i32>()];
    proptest::collection::vec(proptest::option::of(number), 1..60)
}

pub(crate) fn operator() -> impl Strategy<Value = Operator> {
    use Operator as O;
    prop_oneof![Just(O::Lt), Just(O::LtEq), Just(O::Gt), Just(O::GtEq), Just(O::Eq), Just(O::NotEq)]
}

/// A value of the new type near an old one, that no old one may equal.
pub(crate) fn near(value: Value, offset: i8) -> Value {
    let offset = i64::from(offset);
    match value {
        Value::Long(value) => Value::Long(value.saturating_add(offset)),
        Value::Timestamp(value) => Value::Timestamp(value + offset),
        Value::TimestampNs(value) => Value::TimestampNs(value + offset),
        Value::Double(value) => Value::Double(value + offset as f64 / 16.0),
        Value::Decimal { unscaled, scale } => {
            Value::Decimal { unscaled: unscaled + i128::from(offset), scale }
        }
        other => other,
    }
}
