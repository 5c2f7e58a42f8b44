//! What is a filter that is bound to a schema?
//!
//! Invariant: a bound expression has no `Not`: binding pushes it down to the tests, where the types are known.
//! What it means is exact in two-valued logic, NaN included (`NOT (d < 5)` is `d >= 5 OR d IS NAN OR d IS NULL`).

use std::sync::Arc;

use arrow_schema::DataType;

use super::operator::Operator;
use super::value_tree::ValueExpression;
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;
use crate::variant::VariantPath;

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
/// Partition values never decide it, and statistics by the tests alone that it implies.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundCondition {
    /// The expression.
    pub expression: ValueExpression,
    /// Its columns, at least one, by ascending name.
    pub columns: Arc<[ConditionColumn]>,
    /// Tests that every row passes for which the expression is true.
    pub implied: Arc<[Implied]>,
    /// Is it the two-valued opposite: the rows for which the expression is false or null?
    pub negated: bool,
}

/// A test that every row passes for which an expression is true.
#[derive(Debug, Clone, PartialEq)]
pub enum Implied {
    /// Of a field of variants.
    Field(FieldTest),
}

/// A test of a field of variants, which the bounds of the field may decide.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldTest {
    /// The field.
    pub field: VariantField,
    /// Tests of one column, which has the values of the field.
    pub expr: BoundExpr,
}

/// A field of a column of variants, whose values are read as one type.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantField {
    /// The column of variants.
    pub column: Arc<BoundColumn>,
    /// The names on the way to the field.
    pub names: Vec<String>,
    /// The same as the normalized path of bounds.
    pub path: String,
    /// The type of the values. Values of other kinds are null.
    pub primitive: PrimitiveType,
}

impl VariantField {
    /// What distinguishes the fields of a filter.
    pub fn key(&self) -> (i32, String, String) {
        (self.column.id, self.path.clone(), self.primitive.to_string())
    }
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
    /// Of a column of variants the way to the field that the name means; the variant itself without one.
    pub inside: VariantPath,
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
