//! Which literal is compared with floats of 16 bits?
//!
//! Their columns are floats for a filter. A literal means the nearest value of its column, as for all floats.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_schema::DataType;

use super::{BoundCondition, BoundExpr, BoundPredicate, ConditionColumn, Operator};
use crate::value::Value;

type HalfFloat = <Float16Type as ArrowPrimitiveType>::Native;

/// The nearest float of 16 bits. A finite number beyond the largest one stays what it is.
fn nearest_half_float(number: f32) -> f32 {
    let half = HalfFloat::from_f32(number).to_f32();
    if half.is_infinite() { number } else { half }
}

impl BoundExpr {
    /// The filter for columns of which some, by their field ids, are floats of 16 bits.
    #[must_use]
    pub fn with_half_floats(self, is_half_float: &impl Fn(i32) -> bool) -> Self {
        let each =
            |children: Vec<Self>| children.into_iter().map(|child| child.with_half_floats(is_half_float));
        match self {
            Self::And(children) => Self::And(each(children).collect()),
            Self::Or(children) => Self::Or(each(children).collect()),
            Self::Predicate(test) if is_half_float(test.column.id) => test.with_half_floats(),
            Self::Condition(condition) => Self::Condition(condition.with_half_floats(is_half_float)),
            other => other,
        }
    }
}

impl BoundCondition {
    /// Literals beside half floats are read in the type of the values.
    fn with_half_floats(self, is_half_float: &impl Fn(i32) -> bool) -> Self {
        let columns = self.columns.iter().map(|each| {
            if is_half_float(each.column.id) {
                ConditionColumn { data_type: DataType::Float16, ..each.clone() }
            } else {
                each.clone()
            }
        });
        Self { columns: columns.collect(), ..self }
    }
}

impl BoundPredicate {
    fn with_half_floats(self) -> BoundExpr {
        let literals = self.literals.iter().map(|literal| match literal {
            Value::Float(number) => Value::Float(nearest_half_float(*number)),
            other => other.clone(),
        });
        let literals: Vec<_> = literals.collect();
        match self.op {
            Operator::In | Operator::NotIn => Self::set(self.op, self.column, self.transform, literals),
            _ => BoundExpr::Predicate(Self { literals: Arc::from(literals), ..self }),
        }
    }
}
