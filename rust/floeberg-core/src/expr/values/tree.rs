//! What is a SQL expression of values?
//!
//! Invariant: chains of AND, OR, `||` and of arithmetic are n-ary, and the parser bounds the depth of all else, so that
//! recursion over a tree is bounded.

use std::ops::Range;

use arrow_schema::{DataType, TimeUnit};

use super::Literal;
use crate::expr::Operator;

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expr) struct Node {
    /// What it is.
    pub(in crate::expr) kind: Kind,
    /// Its bytes in the text, for errors.
    pub(in crate::expr) span: Range<usize>,
}

/// What a part of an expression is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expr) enum Kind {
    /// A column by its dotted name.
    Column(String),
    /// `NULL`
    Null,
    /// `TRUE`, `FALSE`
    Boolean(bool),
    /// A number, a text or bytes.
    Literal(Literal),
    /// `-a`
    Negative(Box<Node>),
    /// `NOT a`
    Not(Box<Node>),
    /// `a AND b AND c`
    All(Vec<Node>),
    /// `a OR b OR c`
    Any(Vec<Node>),
    /// `a + b - c`, or `a * b / c`, from left to right.
    Arithmetic(Box<Node>, Vec<(Arithmetic, Node)>),
    /// `a = b`
    Compare(Operator, Box<Node>, Box<Node>),
    /// `a IS [NOT] NULL`; whether NOT is written.
    Is(Box<Node>, Is, bool),
    /// `a IS [NOT] DISTINCT FROM b`; whether they are to be distinct.
    Distinct(Box<Node>, Box<Node>, bool),
    /// `a [NOT] IN (b, c)`; whether NOT is written.
    In(Box<Node>, Vec<Node>, bool),
    /// `a [NOT] BETWEEN b AND c`; whether NOT is written.
    Between(Box<Node>, Box<Node>, Box<Node>, bool),
    /// `a [NOT] [I]LIKE 'x%'`; whether NOT is written.
    Like {
        /// The texts.
        of: Box<Node>,
        /// The pattern.
        pattern: String,
        /// The character that makes the next one of the pattern literal.
        escape: char,
        /// Does case count?
        case_sensitive: bool,
        /// Is NOT written?
        negated: bool,
    },
    /// `CASE [of] WHEN .. THEN .. ELSE .. END`
    Case(Option<Box<Node>>, Vec<(Node, Node)>, Option<Box<Node>>),
    /// `[TRY_]CAST(a AS type)`; whether a value that cannot be cast becomes null.
    Cast(Box<Node>, SqlType, bool),
    /// A function.
    Call(Function, Vec<Node>),
}

/// The operators of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expr) enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: integers and decimals divide as doubles.
    Divide,
    /// `%`, with the sign of the first.
    Remainder,
}

/// The tests of `IS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expr) enum Is {
    /// `IS NULL`
    Null,
    /// `IS NAN`
    Nan,
    /// `IS TRUE`
    True,
    /// `IS FALSE`
    False,
}

/// The functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expr) enum Function {
    /// The first that is not null.
    Coalesce,
    /// Null where both are equal, else the first.
    NullIf,
    /// Texts joined; null where one of them is.
    Concat,
    /// In upper case.
    Upper,
    /// In lower case.
    Lower,
    /// The number of characters.
    Length,
    /// Without spaces at both ends.
    Trim,
    /// Without spaces at the beginning.
    TrimStart,
    /// Without spaces at the end.
    TrimEnd,
    /// Characters from a number on, 1 the first.
    Substring,
    /// Without its sign.
    Abs,
    /// The largest whole number that is not larger.
    Floor,
    /// The least whole number that is not smaller.
    Ceil,
    /// To so many digits behind the point, half away from zero.
    Round,
}

/// A type that values are cast to.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expr) enum SqlType {
    /// A type of Arrow.
    Of(DataType),
    /// `TIMESTAMP`: without a zone; a literal has the zone and the digits that it is written with.
    Timestamp,
    /// `UUID`
    Uuid,
}

impl SqlType {
    /// The type of values that are cast to it, but of literals of `TIMESTAMP`.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Of(kind) => kind.clone(),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Uuid => DataType::FixedSizeBinary(16),
        }
    }
}
