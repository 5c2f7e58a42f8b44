//! How are bound filters combined and simplified?
//!
//! Invariant: the result matches the same rows. It is flat, has no constant inside, and has `IS NOT NULL` for a column only if no
//! test next to it implies it.

use std::collections::HashSet;
use std::sync::Arc;

use super::{BoundColumn, BoundCondition, BoundExpr, BoundPredicate, Operator};
use crate::transform::Transform;
use crate::value::Value;
use crate::value::ordering::compare;

impl BoundExpr {
    /// All of the filters.
    pub fn all_of(terms: impl IntoIterator<Item = BoundExpr>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term {
                Self::True => {}
                Self::False => return Self::False,
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() > 1 {
            flat = without_null_again(flat);
            if flat.contains(&Self::False) {
                return Self::False;
            }
        }
        match flat.len() {
            0 => Self::True,
            1 => flat.remove(0),
            _ => Self::And(flat),
        }
    }

    /// Any of the filters.
    pub fn any_of(terms: impl IntoIterator<Item = BoundExpr>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term {
                Self::False => {}
                Self::True => return Self::True,
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::False,
            1 => flat.remove(0),
            _ => Self::Or(flat),
        }
    }

    /// The field ids that are tested, ascending, each once.
    pub fn column_ids(&self) -> Vec<i32> {
        let mut ids = Vec::new();
        self.each_column(&mut |column| ids.push(column.id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The columns that are tested, by ascending field id, each once.
    pub fn columns(&self) -> Vec<Arc<BoundColumn>> {
        let mut columns = Vec::new();
        self.each_column(&mut |column| columns.push(Arc::clone(column)));
        columns.sort_by_key(|column| column.id);
        columns.dedup_by_key(|column| column.id);
        columns
    }

    /// The filter without the tests of some columns. It matches every row that the filter matches.
    #[must_use]
    pub fn without_columns(&self, is_left_out: impl Fn(i32) -> bool) -> Self {
        self.map_leaves(
            &mut |test| {
                if is_left_out(test.column.id) { Self::True } else { Self::Predicate(test.clone()) }
            },
            &|condition| {
                let is_kept = !condition.columns.iter().any(|each| is_left_out(each.column.id));
                if is_kept { Self::Condition(condition.clone()) } else { Self::True }
            },
        )
    }

    /// Is a part of it an expression of values, which is computed row by row?
    pub fn computes(&self) -> bool {
        match self {
            Self::True | Self::False | Self::Predicate(_) => false,
            Self::And(children) | Self::Or(children) => children.iter().any(Self::computes),
            Self::Condition(_) => true,
        }
    }

    fn each_column(&self, visit: &mut impl FnMut(&Arc<BoundColumn>)) {
        match self {
            Self::True | Self::False => {}
            Self::And(children) | Self::Or(children) => {
                for child in children {
                    child.each_column(visit);
                }
            }
            Self::Predicate(predicate) => visit(&predicate.column),
            Self::Condition(condition) => condition.columns.iter().for_each(|each| visit(&each.column)),
        }
    }

    /// Replaces every test and every condition by what functions make of them, and puts the results together as they were.
    pub(super) fn map_leaves(
        &self,
        test: &mut impl FnMut(&BoundPredicate) -> BoundExpr,
        condition: &impl Fn(&BoundCondition) -> BoundExpr,
    ) -> Self {
        match self {
            Self::True => Self::True,
            Self::False => Self::False,
            Self::And(children) => {
                Self::all_of(children.iter().map(|child| child.map_leaves(test, condition)))
            }
            Self::Or(children) => {
                Self::any_of(children.iter().map(|child| child.map_leaves(test, condition)))
            }
            Self::Predicate(predicate) => test(predicate),
            Self::Condition(found) => condition(found),
        }
    }
}

impl BoundPredicate {
    /// `In` or `NotIn` of values in any order, repeats among them: none is a constant, one a comparison.
    pub(super) fn set(
        op: Operator,
        column: Arc<BoundColumn>,
        transform: Option<Transform>,
        mut values: Vec<Value>,
    ) -> BoundExpr {
        values.sort_by(|left, right| compare(left, right).unwrap_or(std::cmp::Ordering::Equal));
        values.dedup_by(|left, right| compare(left, right).is_some_and(std::cmp::Ordering::is_eq));
        let op = match (values.len(), op) {
            (0, Operator::In) => return BoundExpr::False,
            (0, _) => return BoundExpr::True,
            (1, Operator::In) => Operator::Eq,
            (1, _) => Operator::NotEq,
            (_, op) => op,
        };
        BoundExpr::Predicate(Self { op, column, transform, literals: values.into() })
    }
}

/// `(x >= 5 OR x IS NULL) AND x IS NOT NULL` means `x >= 5`.
fn without_null_again(children: Vec<BoundExpr>) -> Vec<BoundExpr> {
    let never_null: HashSet<i32> = children.iter().filter_map(rejects_null).collect();
    if never_null.is_empty() {
        return children;
    }
    let reduced: Vec<BoundExpr> = children
        .into_iter()
        .map(|child| match child {
            BoundExpr::Or(alternatives) => {
                BoundExpr::any_of(alternatives.into_iter().filter(|alternative| match alternative {
                    BoundExpr::Predicate(test) => {
                        test.op != Operator::IsNull || !never_null.contains(&test.column.id)
                    }
                    _ => true,
                }))
            }
            BoundExpr::Predicate(test)
                if test.op == Operator::IsNull && never_null.contains(&test.column.id) =>
            {
                BoundExpr::False
            }
            other => other,
        })
        .collect();
    let is_not_null =
        |child: &BoundExpr| matches!(child, BoundExpr::Predicate(test) if test.op == Operator::NotNull);
    let mut said: HashSet<i32> =
        reduced.iter().filter(|child| !is_not_null(child)).filter_map(rejects_null).collect();
    reduced
        .into_iter()
        .filter(|child| match child {
            BoundExpr::Predicate(test) if test.op == Operator::NotNull => said.insert(test.column.id),
            _ => true,
        })
        .collect()
}

/// The column that cannot be null if a test holds.
fn rejects_null(expr: &BoundExpr) -> Option<i32> {
    match expr {
        BoundExpr::Predicate(test) if !test.op.holds_for_null() => Some(test.column.id),
        _ => None,
    }
}
