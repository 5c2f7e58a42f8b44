//! What is a partition field to a filter?
//!
//! Spec: Partition Specs; Partition Transforms.

use std::sync::Arc;

use crate::expr::convert::{Converted, convert};
use crate::expr::{BoundColumn, BoundExpr, BoundPredicate, Operator, RawLiteral};
use crate::schema::Type;
use crate::transform::Transform;
use crate::value::Value;

/// A partition field with a single source column.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionColumn {
    /// The id of the partition field.
    pub field_id: i32,
    /// Its name.
    pub name: String,
    /// The id of the source column.
    pub source_id: i32,
    /// How the partition value is made.
    pub transform: Transform,
    /// The type of the source column.
    pub source_type: Type,
    /// The type of the partition value.
    pub result_type: Type,
}

impl PartitionColumn {
    /// A test of the partition value; `None` if a literal is not a value of its type.
    pub(super) fn test(&self, op: Operator, literals: Vec<Value>) -> Option<BoundExpr> {
        let literals: Vec<Value> =
            literals.into_iter().map(|literal| self.as_result(literal)).collect::<Option<_>>()?;
        let column = Arc::new(self.as_column());
        Some(if op.is_set() {
            BoundPredicate::set(op, column, None, literals)
        } else {
            BoundExpr::Predicate(BoundPredicate { op, column, transform: None, literals: literals.into() })
        })
    }

    /// The partition value of a source value, or `None`.
    pub(super) fn apply(&self, value: &Value) -> Option<Value> {
        self.transform.apply(value).ok().flatten()
    }

    /// A filter's literal has the column's type now, a partition value that of its spec: an int may have become a long.
    fn as_result(&self, literal: Value) -> Option<Value> {
        let primitive = self.result_type.as_primitive()?;
        if literal.matches(primitive) {
            return Some(literal);
        }
        if matches!(literal, Value::Float(_) | Value::Double(_)) {
            // Converting would round, and a rounded literal proves nothing.
            return None;
        }
        match convert(&RawLiteral::Typed(literal), primitive) {
            Ok(Converted::Exact(value)) => Some(value),
            _ => None,
        }
    }

    fn as_column(&self) -> BoundColumn {
        BoundColumn {
            id: self.field_id,
            name: self.name.clone(),
            path: vec![self.field_id],
            field_type: self.result_type.clone(),
            required: false,
        }
    }
}
