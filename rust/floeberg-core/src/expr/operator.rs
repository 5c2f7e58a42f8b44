//! What are the negation, the mirror image, the null rule and the literals of each test?
//!
//! Spec: Expressions specification, Tests and Comparisons.

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

impl Operator {
    /// The test that is true exactly where this one is false, null and NaN included, if there is one.
    pub fn complement(self) -> Option<Self> {
        match self {
            Self::IsNull => Some(Self::NotNull),
            Self::NotNull => Some(Self::IsNull),
            Self::IsNan => Some(Self::NotNan),
            Self::NotNan => Some(Self::IsNan),
            Self::StartsWith => Some(Self::NotStartsWith),
            Self::NotStartsWith => Some(Self::StartsWith),
            Self::In => Some(Self::NotIn),
            Self::NotIn => Some(Self::In),
            Self::Eq => Some(Self::NotEq),
            Self::NotEq => Some(Self::Eq),
            Self::Lt | Self::LtEq | Self::Gt | Self::GtEq => None,
        }
    }

    /// The test with its sides exchanged: `5 < x` is `x > 5`. Only comparisons have one.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
            other => other,
        }
    }

    /// Is the test true where the tested value is null?
    pub fn holds_for_null(self) -> bool {
        matches!(self, Self::IsNull | Self::NotNan | Self::NotStartsWith | Self::NotIn | Self::NotEq)
    }

    /// Does the test take no literal?
    pub fn is_unary(self) -> bool {
        matches!(self, Self::IsNull | Self::NotNull | Self::IsNan | Self::NotNan)
    }

    /// Does the test take a set of literals?
    pub fn is_set(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }

    /// Is the test by order: `<`, `<=`, `>` or `>=`?
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::Lt | Self::LtEq | Self::Gt | Self::GtEq)
    }

    /// As SQL writes it.
    pub fn sql(self) -> &'static str {
        match self {
            Self::IsNull => "IS NULL",
            Self::NotNull => "IS NOT NULL",
            Self::IsNan => "IS NAN",
            Self::NotNan => "IS NOT NAN",
            Self::StartsWith => "STARTS WITH",
            Self::NotStartsWith => "NOT STARTS WITH",
            Self::In => "IN",
            Self::NotIn => "NOT IN",
            Self::Eq => "=",
            Self::NotEq => "!=",
            Self::Lt => "<",
            Self::LtEq => "<=",
            Self::Gt => ">",
            Self::GtEq => ">=",
        }
    }

    /// As the REST catalog's JSON writes it.
    pub fn json_name(self) -> &'static str {
        match self {
            Self::IsNull => "is-null",
            Self::NotNull => "not-null",
            Self::IsNan => "is-nan",
            Self::NotNan => "not-nan",
            Self::StartsWith => "starts-with",
            Self::NotStartsWith => "not-starts-with",
            Self::In => "in",
            Self::NotIn => "not-in",
            Self::Eq => "eq",
            Self::NotEq => "not-eq",
            Self::Lt => "lt",
            Self::LtEq => "lt-eq",
            Self::Gt => "gt",
            Self::GtEq => "gt-eq",
        }
    }

    /// The test of a JSON name.
    pub fn from_json_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|op| op.json_name() == name)
    }
}

/// Every test, in the order of the specification's tables.
pub(super) const ALL: [Operator; 14] = [
    Operator::IsNull,
    Operator::NotNull,
    Operator::IsNan,
    Operator::NotNan,
    Operator::StartsWith,
    Operator::NotStartsWith,
    Operator::In,
    Operator::NotIn,
    Operator::Eq,
    Operator::NotEq,
    Operator::Lt,
    Operator::LtEq,
    Operator::Gt,
    Operator::GtEq,
];
