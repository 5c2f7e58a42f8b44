//! What do a column's bounds prove about its values?
//!
//! In: statistics of a column. Out: answers that hold for every value that is neither null nor NaN.
//! Spec: Data File Fields (`lower_bounds`, `upper_bounds`); Expressions specification, Comparisons.
//!
//! Invariant: bounds are not the smallest and the largest value, as strings and bytes are truncated. If both bounds are equal, all
//! values are equal to them: a truncated upper bound is rounded up, so it would differ. A NaN bound proves nothing, and neither
//! does the order of uuid bounds (Java's is signed).

use std::cmp::Ordering;

use super::known::Known;
use crate::expr::{BoundPredicate, ColumnStats, Share, Stats};
use crate::value::Value;
use crate::value::ordering::compare;

/// The statistics of what a test reads: of its column, seen through its transform.
pub(super) struct Bounds {
    /// Of the column, except that its bounds are those of the transformed values.
    pub(super) stats: ColumnStats,
}

impl Bounds {
    /// Looks up the statistics of a test.
    pub(super) fn of(test: &BoundPredicate, stats: &dyn Stats) -> Self {
        let mut found = stats.column(test.column.id, &test.column.field_type);
        if let Some(transform) = &test.transform {
            let through = |bound: Option<Value>| match bound {
                Some(bound) if transform.is_order_preserving() => transform.apply(&bound).ok().flatten(),
                _ => None,
            };
            let lower = found.lower.take();
            found.lower = through(lower.clone());
            let in_order = match (&lower, &found.lower) {
                (Some(source), Some(value)) => compare(value, source) != Some(Ordering::Greater),
                // Truncation wraps the least integers around: without a lower bound they may be there.
                _ => !matches!(found.upper, Some(Value::Int(_) | Value::Long(_))),
            };
            found.upper = through(found.upper).filter(|_| in_order);
            found.lower = found.lower.filter(|_| in_order);
        }
        Self { stats: found }
    }

    fn lower(&self) -> Option<&Value> {
        self.stats.lower.as_ref().filter(|bound| is_ordered(bound))
    }

    fn upper(&self) -> Option<&Value> {
        self.stats.upper.as_ref().filter(|bound| is_ordered(bound))
    }

    /// A uuid is outside only if it is in both orders, because the writer's is not known.
    fn exclude_uuid(&self, wanted: &[u8; 16]) -> bool {
        let (Some(Value::Uuid(lower)), Some(Value::Uuid(upper))) = (&self.stats.lower, &self.stats.upper)
        else {
            return false;
        };
        let outside_unsigned = wanted < lower || wanted > upper;
        let (wanted, lower, upper) = (signed(wanted), signed(lower), signed(upper));
        outside_unsigned && (wanted < lower || wanted > upper)
    }
}

impl Known<Value> for Bounds {
    fn nulls(&self) -> Share {
        self.stats.nulls
    }

    fn nans(&self) -> Share {
        self.stats.nans
    }

    fn lower_to(&self, literal: &Value) -> Option<Ordering> {
        compare(self.lower()?, literal)
    }

    fn upper_to(&self, literal: &Value) -> Option<Ordering> {
        compare(self.upper()?, literal)
    }

    fn exclude(&self, literal: &Value) -> bool {
        if let Value::Uuid(wanted) = literal {
            return self.exclude_uuid(wanted);
        }
        self.exclude_by_order(literal)
    }

    fn exclude_all(&self, literals: &[Value]) -> bool {
        if matches!(literals.first(), Some(Value::Uuid(_))) {
            return literals.iter().all(|literal| self.exclude(literal));
        }
        self.exclude_all_by_order(literals)
    }

    fn are_one_of(&self, literals: &[Value]) -> bool {
        // Uuids too: bounds that are equal are so in every order.
        let (Some(lower), Some(upper)) = (&self.stats.lower, &self.stats.upper) else { return false };
        let order = |literal: &Value| compare(literal, lower).unwrap_or(Ordering::Less);
        compare(lower, upper) == Some(Ordering::Equal) && literals.binary_search_by(order).is_ok()
    }

    fn exclude_prefix(&self, prefix: &Value) -> bool {
        let Value::String(prefix) = prefix else { return false };
        let beginning = |bound: Option<&Value>| match bound {
            Some(Value::String(bound)) => Some(beginning_to(bound.as_bytes(), prefix.as_bytes())),
            _ => None,
        };
        beginning(self.lower()) == Some(Ordering::Greater) || beginning(self.upper()) == Some(Ordering::Less)
    }

    fn share_prefix(&self, prefix: &Value) -> bool {
        let Value::String(prefix) = prefix else { return false };
        let begins =
            |bound: Option<&Value>| matches!(bound, Some(Value::String(bound)) if bound.starts_with(prefix));
        begins(self.lower()) && begins(self.upper())
    }
}

/// How does the beginning of a bound compare with a prefix?
pub(super) fn beginning_to(bound: &[u8], prefix: &[u8]) -> Ordering {
    bound[..bound.len().min(prefix.len())].cmp(prefix)
}

fn is_ordered(bound: &Value) -> bool {
    match bound {
        Value::Float(bound) => !bound.is_nan(),
        Value::Double(bound) => !bound.is_nan(),
        Value::Uuid(_) => false,
        _ => true,
    }
}

/// Java's order of uuids: both halves are signed.
fn signed(uuid: &[u8; 16]) -> (i64, i64) {
    let whole = u128::from_be_bytes(*uuid);
    ((whole >> 64) as i64, whole as i64)
}
