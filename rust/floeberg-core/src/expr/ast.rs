//! What is a filter, before it is bound to a schema?
//!
//! Spec: Expressions specification, Predicates; the REST catalog's `Expression` schemas.
//!
//! Meaning is two-valued: `x != 5` is true where x is null. The SQL parser adds the `IS NOT NULL` that SQL's
//! three-valued meaning needs, so that one tree has one meaning (DESIGN decision 16).
//!
//! Invariant: `And` and `Or` are n-ary and the depth of a tree is limited where trees are made (parser, JSON,
//! Python), so that recursion over one is bounded.

use crate::transform::Transform;
use crate::value::Value;

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

/// The tests. The order of the variants is the order of the specification's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `IS NULL`
    IsNull,
    /// `IS NOT NULL`
    NotNull,
    /// `IS NAN`
    IsNan,
    /// `IS NOT NAN`
    NotNan,
    /// `STARTS WITH`
    StartsWith,
    /// `NOT STARTS WITH`
    NotStartsWith,
    /// `IN`
    In,
    /// `NOT IN`
    NotIn,
    /// `=`
    Eq,
    /// `!=`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

/// A literal as it was written: it gets its type when it is bound to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum RawLiteral {
    /// `true` or `false`
    Boolean(bool),
    /// A whole number; for date, time and timestamp columns days, or the column's own unit.
    Integer(i128),
    /// A number with a fraction or an exponent, also "Infinity".
    Float(f64),
    /// A number with all its digits, for decimals: unscaled value and scale (may be negative).
    Decimal {
        /// The value times ten to the scale.
        unscaled: i128,
        /// Digits after the point.
        scale: i32,
    },
    /// A string; for columns of date, time, timestamp, uuid (and, from JSON, binary as hex) parsed at binding.
    String(String),
    /// Bytes, from `X'..'` or Python.
    Binary(Vec<u8>),
    /// A value that already has its type (`DATE '2020-01-01'`, a Python `datetime`).
    Typed(Value),
}
