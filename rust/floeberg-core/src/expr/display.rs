//! How is a filter written for a person?
//!
//! Out: SQL text. [`super::parse`] reads back the same filter, except that SQL is three-valued: a negated test (`x != 5`,
//! `NOT (..)`) then has an additional `IS NOT NULL`.

use std::fmt;

use super::term_text::{quoted_text, write_term};
use super::value_tree::{Kind, ValueExpression};
use super::{BoundCondition, BoundExpr, BoundPredicate, Expr, Operator, Predicate, RawLiteral};
use crate::value::format_hex;

/// A set of a bound test is cut here: it is read by people only.
const MOST_LITERALS: usize = 10;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("TRUE"),
            Self::False => f.write_str("FALSE"),
            Self::And(children) => join(f, " AND ", children, |f, child| {
                within(f, child, matches!(child, Self::Or(_) | Self::And(_)))
            }),
            Self::Or(children) => {
                join(f, " OR ", children, |f, child| within(f, child, matches!(child, Self::Or(_))))
            }
            Self::Not(child) => match &**child {
                Self::Condition(expression) => write!(f, "({}) IS NOT TRUE", expression.text()),
                other => write!(f, "NOT ({other})"),
            },
            Self::Predicate(predicate) => predicate.fmt(f),
            Self::Condition(expression) => write_condition(f, expression),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_term(f, &self.term.name, self.term.transform.as_ref())?;
        write_test(f, self.op, &self.literals, usize::MAX)
    }
}

impl fmt::Display for BoundExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("TRUE"),
            Self::False => f.write_str("FALSE"),
            Self::And(children) => {
                join(f, " AND ", children, |f, child| within(f, child, matches!(child, Self::Or(_))))
            }
            Self::Or(children) => join(f, " OR ", children, |f, child| within(f, child, false)),
            Self::Predicate(predicate) => predicate.fmt(f),
            Self::Condition(condition) => condition.fmt(f),
        }
    }
}

impl fmt::Display for BoundPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_term(f, &self.column.name, self.transform.as_ref())?;
        write_test(f, self.op, &self.literals, MOST_LITERALS)
    }
}

/// `price * 2 > 10`, or its two-valued opposite, `(price * 2 > 10) IS NOT TRUE`
impl fmt::Display for BoundCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            write!(f, "({}) IS NOT TRUE", self.expression.text())
        } else {
            write_condition(f, &self.expression)
        }
    }
}

impl fmt::Display for RawLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(true) => f.write_str("TRUE"),
            Self::Boolean(false) => f.write_str("FALSE"),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) if number.is_infinite() => {
                f.write_str(if *number > 0.0 { "'Infinity'" } else { "'-Infinity'" })
            }
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Decimal { unscaled, scale } => write_decimal(f, *unscaled, *scale),
            Self::String(text) => f.write_str(&quoted_text(text)),
            Self::Binary(bytes) => write!(f, "X'{}'", format_hex(bytes)),
            Self::Typed(value) => value.fmt(f),
        }
    }
}

/// Beside AND and OR, chains of them stand in parentheses.
fn write_condition(f: &mut fmt::Formatter<'_>, expression: &ValueExpression) -> fmt::Result {
    within(f, &expression.text(), matches!(expression.tree.kind, Kind::All(_) | Kind::Any(_)))
}

/// All digits: plain where the scale is small, with an exponent otherwise.
pub(super) fn write_decimal(f: &mut dyn fmt::Write, unscaled: i128, scale: i32) -> fmt::Result {
    match u8::try_from(scale) {
        Ok(scale @ 1..=64) => f.write_str(&crate::value::decimal::format_decimal(unscaled, scale)),
        _ => write!(f, "{unscaled}e{}", -i64::from(scale)),
    }
}

fn write_test<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    op: Operator,
    literals: &[T],
    most: usize,
) -> fmt::Result {
    write!(f, " {}", op.sql())?;
    match literals {
        [literal] if !op.is_set() => write!(f, " {literal}"),
        _ if !op.is_set() => Ok(()),
        literals => {
            f.write_str(" (")?;
            join(f, ", ", &literals[..literals.len().min(most)], |f, literal| literal.fmt(f))?;
            if literals.len() > most {
                write!(f, ", .. {} in all", literals.len())?;
            }
            f.write_str(")")
        }
    }
}

fn join<T>(
    f: &mut fmt::Formatter<'_>,
    between: &str,
    items: &[T],
    write_item: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(between)?;
        }
        write_item(f, item)?;
    }
    Ok(())
}

fn within(f: &mut fmt::Formatter<'_>, child: &dyn fmt::Display, parenthesised: bool) -> fmt::Result {
    if parenthesised { write!(f, "({child})") } else { child.fmt(f) }
}
