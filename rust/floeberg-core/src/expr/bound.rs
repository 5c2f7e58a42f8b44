//! What is a filter that is bound to a schema?
//!
//! Invariant: a bound expression has no `Not`: binding pushes it down to the tests, where the types are known.
//! What it means is exact in two-valued logic, NaN included (`NOT (d < 5)` is `d >= 5 OR d IS NAN OR d IS NULL`).

use std::sync::Arc;

use arrow_schema::DataType;

use super::operator::Operator;
use super::value_tree::ValueExpression;
use crate::schema::Type;
use crate::transform::Transform;
use crate::value::Value;

/// A predicate over the columns of a schema.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundExpr {
    /// Every row.
    True,
    /// No row.
    False,
    /// All of them.
    And(Vec<BoundExpr>),
    /// Any of them.
    Or(Vec<BoundExpr>),
    /// A test of one column.
    Predicate(BoundPredicate),
    /// An expression of values.
    Condition(BoundCondition),
}

/// A test of one column with literals of the tested type.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundPredicate {
    /// The test.
    pub op: Operator,
    /// The column.
    pub column: Arc<BoundColumn>,
    /// The transform that is applied to it before the test.
    pub transform: Option<Transform>,
    /// Of the tested type. None for unary tests, one for comparisons; for `In` and `NotIn` at least two, sorted
    /// and without repeats.
    pub literals: Arc<[Value]>,
}

/// The rows for which an expression of values is true; or all others, if it is negated.
///
/// Statistics and partition values never decide it.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundCondition {
    /// The expression.
    pub expression: ValueExpression,
    /// Its columns, at least one, by ascending name.
    pub columns: Arc<[ConditionColumn]>,
    /// Is it the two-valued opposite: the rows for which the expression is false or null?
    pub negated: bool,
}

/// A column of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionColumn {
    /// The name that the expression has for it.
    pub name: String,
    /// The column.
    pub column: Arc<BoundColumn>,
    /// The type in which its values are computed with.
    pub data_type: DataType,
}

/// A column that a test reads.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundColumn {
    /// The field id (of a partition field, when the expression is a projection to partition values).
    pub id: i32,
    /// The full dotted name, for messages.
    pub name: String,
    /// The field ids from the top down to the column, its own last. All but the last are structs.
    pub path: Vec<i32>,
    /// The type of the column, before a transform.
    pub field_type: Type,
    /// Is the column and all above it required?
    pub required: bool,
}
