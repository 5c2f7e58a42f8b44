//! What is tested? A column or a transform of one, with the type of the compared values.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator};
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;

/// A bound term.
pub(super) struct Test {
    pub(super) column: Arc<BoundColumn>,
    pub(super) transform: Option<Transform>,
    /// Of the column, or of the transform's result.
    pub(super) tested_type: Type,
}

impl Test {
    /// A test of the term.
    pub(super) fn predicate(&self, op: Operator, literals: Vec<Value>) -> BoundExpr {
        BoundExpr::Predicate(BoundPredicate {
            op,
            column: Arc::clone(&self.column),
            transform: self.transform.clone(),
            literals: literals.into(),
        })
    }

    /// `In` or `NotIn` of values in any order.
    pub(super) fn set(&self, op: Operator, values: Vec<Value>) -> BoundExpr {
        BoundPredicate::set(op, Arc::clone(&self.column), self.transform.clone(), values)
    }

    /// A transform of a value is null where the value is null, and only there.
    pub(super) fn is_null(&self) -> BoundExpr {
        if self.column.required { BoundExpr::False } else { self.of_column(Operator::IsNull) }
    }

    /// The opposite of [`Test::is_null`].
    pub(super) fn not_null(&self) -> BoundExpr {
        if self.column.required { BoundExpr::True } else { self.of_column(Operator::NotNull) }
    }

    /// False for other types than floats.
    pub(super) fn is_nan(&self) -> BoundExpr {
        if self.is_float() { self.predicate(Operator::IsNan, Vec::new()) } else { BoundExpr::False }
    }

    /// Can what is tested be NaN?
    pub(super) fn is_float(&self) -> bool {
        matches!(self.tested_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double))
    }

    /// The type that literals get. Errors: `InvalidInput` for a type without comparisons.
    pub(super) fn comparable(&self) -> Result<&PrimitiveType> {
        match &self.tested_type {
            Type::Primitive(PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. }) => {
                Err(self.only_null())
            }
            Type::Primitive(primitive) => Ok(primitive),
            _ => Err(self.only_null()),
        }
    }

    fn only_null(&self) -> Error {
        Error::invalid_input(format!(
            "column {:?} of type {} can only be filtered by IS NULL and IS NOT NULL",
            self.column.name, self.tested_type
        ))
    }

    fn of_column(&self, op: Operator) -> BoundExpr {
        BoundExpr::Predicate(BoundPredicate {
            op,
            column: Arc::clone(&self.column),
            transform: None,
            literals: Arc::from([]),
        })
    }
}

/// `ts`, `day(ts)`
impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::expr::term_text::write_term(f, &self.column.name, self.transform.as_ref())
    }
}
