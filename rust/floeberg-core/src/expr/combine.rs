//! How are filters combined?
//!
//! In: filters. Out: one filter.
//!
//! Invariant: the result is flat (no `And` directly in an `And`) and has no constant inside.

use super::{Expr, MAX_DEPTH, Operator, Predicate, RawLiteral, Term};
use crate::error::{Error, Result};

impl Expr {
    /// All of the filters; [`Expr::True`] without filters.
    pub fn all_of(terms: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term {
                Self::True => {}
                Self::False => return Self::False,
                Self::And(inner) if flat.is_empty() => flat = inner,
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single(flat)
            .unwrap_or_else(|several| if several.is_empty() { Self::True } else { Self::And(several) })
    }

    /// Any of the filters; [`Expr::False`] without filters.
    pub fn any_of(terms: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term {
                Self::False => {}
                Self::True => return Self::True,
                Self::Or(inner) if flat.is_empty() => flat = inner,
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single(flat)
            .unwrap_or_else(|several| if several.is_empty() { Self::False } else { Self::Or(several) })
    }

    /// Both filters.
    pub fn and(self, other: Expr) -> Self {
        Self::all_of([self, other])
    }

    /// Either filter.
    pub fn or(self, other: Expr) -> Self {
        Self::any_of([self, other])
    }

    /// The two-valued opposite. Tests that have an exact opposite are replaced by it; an ordered comparison is not
    /// (`NOT (x < 5)` holds for null and NaN, `x >= 5` does not).
    pub fn negate(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(inner) => *inner,
            Self::Predicate(predicate) => match predicate.op.complement() {
                Some(op) => Self::Predicate(Predicate { op, ..predicate }),
                None => Self::Not(Box::new(Self::Predicate(predicate))),
            },
            other => Self::Not(Box::new(other)),
        }
    }

    /// A test without a literal.
    pub fn unary(op: Operator, term: Term) -> Self {
        Self::Predicate(Predicate { op, term, literals: Vec::new() })
    }

    /// A test against one literal.
    pub fn comparison(op: Operator, term: Term, literal: RawLiteral) -> Self {
        Self::Predicate(Predicate { op, term, literals: vec![literal] })
    }

    /// A test against a set.
    pub fn set(op: Operator, term: Term, literals: Vec<RawLiteral>) -> Self {
        Self::Predicate(Predicate { op, term, literals })
    }

    /// The number of levels, 1 for a single test. Does not recurse.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut waiting = vec![(self, 1)];
        while let Some((expr, level)) = waiting.pop() {
            deepest = deepest.max(level);
            match expr {
                Self::And(children) | Self::Or(children) => {
                    waiting.extend(children.iter().map(|child| (child, level + 1)));
                }
                Self::Not(child) => waiting.push((child, level + 1)),
                Self::True | Self::False | Self::Predicate(_) | Self::Condition(_) => {}
            }
        }
        deepest
    }

    /// The names of the tested columns, as written and with repetitions. Does not recurse.
    pub fn column_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut waiting = vec![self];
        while let Some(expr) = waiting.pop() {
            match expr {
                Self::And(children) | Self::Or(children) => waiting.extend(children),
                Self::Not(child) => waiting.push(child),
                Self::Predicate(predicate) => names.push(predicate.term.name.as_str()),
                Self::Condition(expression) => names.extend(expression.columns()),
                Self::True | Self::False => {}
            }
        }
        names
    }

    /// Refuses a tree that is deeper than [`MAX_DEPTH`].
    ///
    /// Errors: `LimitExceeded`.
    pub fn check_depth(&self) -> Result<()> {
        let depth = self.depth();
        if depth > MAX_DEPTH { Err(too_deep()) } else { Ok(()) }
    }
}

impl Term {
    /// A column by name.
    pub fn column(name: impl Into<String>) -> Self {
        Self { name: name.into(), transform: None }
    }
}

/// The error for a tree that is deeper than [`MAX_DEPTH`].
pub(super) fn too_deep() -> Error {
    Error::limit(format!("a filter may be nested at most {MAX_DEPTH} levels deep"))
}

fn single(mut terms: Vec<Expr>) -> std::result::Result<Expr, Vec<Expr>> {
    if terms.len() == 1 { terms.pop().ok_or(terms) } else { Err(terms) }
}
