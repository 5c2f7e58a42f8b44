//! What is a filter, before it is bound to a schema?
//!
//! Spec: Expressions specification, Predicates; the REST catalog's `Expression` schemas.
//!
//! Meaning is two-valued: `x != 5` is true where x is null. The SQL parser adds the `IS NOT NULL` that SQL's
//! three-valued meaning needs, so that one tree has one meaning (DESIGN decision 16).
//!
//! Invariant: `And` and `Or` are n-ary and the depth of a tree is limited where trees are made (parser, JSON,
//! Python), so that recursion over one is bounded.

use super::operator::Operator;
use super::raw_literal::RawLiteral;
use super::value_tree::ValueExpression;
use crate::transform::Transform;

/// The deepest tree that is accepted.
pub const MAX_DEPTH: usize = 256;

/// An unbound predicate.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Every row.
    True,
    /// No row.
    False,
    /// All of them.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
    /// The two-valued opposite.
    Not(Box<Expr>),
    /// A test of one term.
    Predicate(Predicate),
    /// An expression of values; the rows for which it is true. It is neither true nor false for some rows, as in SQL: its
    /// three-valued opposite is another expression.
    Condition(ValueExpression),
}

/// A test of one term against literals.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// The test.
    pub op: Operator,
    /// What is tested.
    pub term: Term,
    /// None for the unary tests, one for comparisons, any number for `In` and `NotIn`.
    pub literals: Vec<RawLiteral>,
}

/// What is tested: a column, or a transform of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// The column's name; nested ones are dotted. An exact name wins over a nested path.
    pub name: String,
    /// The transform applied, if any.
    pub transform: Option<Transform>,
}
