//! What is a SQL expression of values?
//!
//! Invariant: chains of AND, OR, `||` and of arithmetic are n-ary, and the parser bounds the depth of all else, so that
//! recursion over a tree is bounded.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_arith::temporal::DatePart;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, TimeUnit};

use super::operator::Operator;
use super::raw_literal::RawLiteral;
use crate::variant::VariantPath;

/// A SQL expression of values: arithmetic, comparisons, CASE, COALESCE, CAST and functions of numbers, texts and dates.
///
/// The guide's table of the SQL language has all of it, and what null, NaN, decimals and overflows do. Two are equal that have the
/// same text.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueExpression {
    pub(in crate::expr) text: Arc<str>,
    pub(in crate::expr) tree: Arc<Node>,
}

/// A number, a text or bytes as written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::expr) struct Literal {
    /// As filters have it.
    pub(in crate::expr) raw: RawLiteral,
    /// A number as it is written, with its sign.
    pub(in crate::expr) digits: String,
}

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
    /// `INTERVAL '3' DAY`, of one unit: a term of a sum alone.
    Interval(IntervalMonthDayNano),
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
    /// `[TRY_]VARIANT_GET(a, '$.b', 'type')`
    VariantGet {
        /// The variants.
        of: Box<Node>,
        /// The way to the field.
        path: VariantPath,
        /// The type of its values.
        kind: SqlType,
        /// Does a value of another kind become null?
        fails_as_null: bool,
    },
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
    /// A part of a date or of a time, as a number.
    Part(DatePart),
    /// The moment where the unit of a moment begins.
    Truncate(DateUnit),
    /// The date on which the unit of a date begins.
    TruncateDate(DateUnit),
    /// So many days later.
    AddDays,
    /// So many days earlier.
    SubtractDays,
    /// So many months later; the last day of the month where it is shorter.
    AddMonths,
    /// The days from the second to the first.
    DaysBetween,
    /// The last day of the month.
    LastDay,
    /// The date of a year, a month and a day.
    MakeDate,
    /// The days from 1970-01-01.
    UnixDate,
}

/// The units that dates and moments are truncated to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expr) enum DateUnit {
    /// From January 1.
    Year,
    /// From the first day of January, April, July or October.
    Quarter,
    /// From its first day.
    Month,
    /// From Monday.
    Week,
    /// From midnight.
    Day,
    /// 60 minutes.
    Hour,
    /// 60 seconds.
    Minute,
    /// 1000 milliseconds.
    Second,
    /// 1000 microseconds.
    Millisecond,
    /// The unit of timestamps.
    Microsecond,
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
    pub(in crate::expr) fn data_type(&self) -> DataType {
        match self {
            Self::Of(kind) => kind.clone(),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Uuid => DataType::FixedSizeBinary(16),
        }
    }
}

impl ValueExpression {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dotted names of all columns, ascending, each once.
    pub fn columns(&self) -> Vec<&str> {
        self.tree.columns()
    }

    /// Is a comparison of two columns all that the expression is, and one of them that of a name?
    pub(in crate::expr) fn compares_with(&self, name: &str) -> bool {
        let Kind::Compare(_, left, right) = &self.tree.kind else { return false };
        match (&left.kind, &right.kind) {
            (Kind::Column(_), Kind::Column(right)) => right == name,
            _ => false,
        }
    }
}

impl Node {
    /// May it be true, false or null? Sums, texts and their like never are.
    pub(in crate::expr) fn may_be_condition(&self) -> bool {
        match &self.kind {
            Kind::Null | Kind::Literal(_) | Kind::Interval(_) | Kind::Negative(_) | Kind::Arithmetic(..) => {
                false
            }
            Kind::Call(function, _) => matches!(function, Function::Coalesce | Function::NullIf),
            _ => true,
        }
    }

    /// The dotted names of all columns, ascending, each once.
    pub(in crate::expr) fn columns(&self) -> Vec<&str> {
        let mut found = BTreeSet::new();
        self.visit(&mut |node| {
            if let Kind::Column(name) = &node.kind {
                found.insert(name.as_str());
            }
        });
        found.into_iter().collect()
    }

    /// Does every part that uses a column give it a type, or ask whether it is null?
    pub(in crate::expr) fn gives_type(&self, name: &str) -> bool {
        let is_it = |node: &Self| matches!(&node.kind, Kind::Column(own) if own == name);
        let (mut uses, mut typed) = (0, 0);
        self.visit(&mut |node| {
            uses += usize::from(is_it(node));
            if let Kind::Cast(of, ..) | Kind::VariantGet { of, .. } | Kind::Is(of, Is::Null, _) = &node.kind {
                typed += usize::from(is_it(of));
            }
        });
        uses == typed
    }

    /// The first NULL that something is compared with, by `=` and its like, IN or BETWEEN.
    pub(in crate::expr) fn compared_null(&self) -> Option<&Self> {
        let mut found = None;
        self.visit(&mut |node| {
            let is_null = |side: &&Self| side.kind == Kind::Null;
            let null = match &node.kind {
                Kind::Compare(_, left, right) => [&**left, right].into_iter().find(is_null),
                Kind::Between(of, low, high, _) => [&**of, low, high].into_iter().find(is_null),
                Kind::In(of, list, _) => std::iter::once(&**of).chain(list).find(is_null),
                _ => None,
            };
            found = found.or(null);
        });
        found
    }

    /// Calls a function with this part and all parts of it.
    pub(in crate::expr) fn visit<'a>(&'a self, found: &mut impl FnMut(&'a Self)) {
        found(self);
        match &self.kind {
            Kind::Column(_) | Kind::Null | Kind::Boolean(_) | Kind::Literal(_) | Kind::Interval(_) => {}
            Kind::Negative(of)
            | Kind::Not(of)
            | Kind::Is(of, ..)
            | Kind::Cast(of, ..)
            | Kind::VariantGet { of, .. }
            | Kind::Like { of, .. } => {
                of.visit(found);
            }
            Kind::Compare(_, left, right) | Kind::Distinct(left, right, _) => {
                left.visit(found);
                right.visit(found);
            }
            Kind::All(parts) | Kind::Any(parts) | Kind::Call(_, parts) => {
                for part in parts {
                    part.visit(found);
                }
            }
            Kind::Arithmetic(first, rest) => {
                first.visit(found);
                for (_, part) in rest {
                    part.visit(found);
                }
            }
            Kind::In(of, list, _) => {
                of.visit(found);
                for part in list {
                    part.visit(found);
                }
            }
            Kind::Between(of, low, high, _) => {
                for part in [of, low, high] {
                    part.visit(found);
                }
            }
            Kind::Case(of, branches, otherwise) => {
                for part in of.iter().chain(otherwise) {
                    part.visit(found);
                }
                for (condition, value) in branches {
                    condition.visit(found);
                    value.visit(found);
                }
            }
        }
    }
}
