//! Which partitions can hold a row that matches?
//!
//! In: a filter on columns and partition fields. Out: a filter on partition values that is true for the partition of
//! every row that matches.
//! Spec: Scan Planning (inclusive projection); Partition Transforms.
//!
//! Invariant: row matches implies partition matches. What a transform can not say is `TRUE`.

use super::PartitionColumn;
use super::discrete::{after, before};
use crate::expr::{BoundExpr, BoundPredicate, Operator};
use crate::transform::Transform;
use crate::value::Value;

/// Projects a filter to partition values; the result tests partition field ids.
pub fn project_inclusive(expr: &BoundExpr, fields: &[PartitionColumn]) -> BoundExpr {
    expr.map_predicates(&mut |test| predicate_inclusive(test, fields))
}

/// All that the partition fields say about one test.
pub(super) fn predicate_inclusive(test: &BoundPredicate, fields: &[PartitionColumn]) -> BoundExpr {
    let of_column = fields.iter().filter(|field| field.source_id == test.column.id);
    BoundExpr::all_of(of_column.filter_map(|field| through(test, field)))
}

fn through(test: &BoundPredicate, field: &PartitionColumn) -> Option<BoundExpr> {
    if matches!(field.transform, Transform::Void | Transform::Unknown(_)) {
        return None;
    }
    if matches!(test.op, Operator::IsNull | Operator::NotNull) {
        return field.test(test.op, Vec::new());
    }
    if test.transform.as_ref() == Some(&field.transform)
        || test.transform.is_none() && field.transform == Transform::Identity
    {
        return field.test(test.op, test.literals.to_vec());
    }
    if test.transform.is_some() {
        return None;
    }
    match (test.op, &*test.literals) {
        (Operator::Eq, [literal]) => field.test(Operator::Eq, vec![field.apply(literal)?]),
        (Operator::In, literals) => {
            let values = literals.iter().map(|literal| field.apply(literal)).collect::<Option<_>>()?;
            field.test(Operator::In, values)
        }
        (op, [Value::String(prefix)]) if matches!(op, Operator::StartsWith | Operator::NotStartsWith) => {
            prefix_test(op, prefix, field)
        }
        (op, [literal]) if field.transform.is_order_preserving() => ordered(op, literal, field),
        _ => None,
    }
}

/// `x < 10` holds only where the transform of x is at most the transform of 9.
fn ordered(op: Operator, literal: &Value, field: &PartitionColumn) -> Option<BoundExpr> {
    match op {
        Operator::Lt => {
            if let Some(value) = before(literal).and_then(|literal| field.apply(&literal)) {
                return field.test(Operator::LtEq, vec![value]);
            }
            let value = field.apply(literal)?;
            // A text that is not cut: the transform of what is smaller is smaller.
            let op = if value == *literal { Operator::Lt } else { Operator::LtEq };
            field.test(op, vec![value])
        }
        Operator::LtEq => field.test(Operator::LtEq, vec![field.apply(literal)?]),
        Operator::Gt => {
            let value =
                after(literal).and_then(|literal| field.apply(&literal)).or_else(|| field.apply(literal));
            field.test(Operator::GtEq, vec![value?])
        }
        Operator::GtEq => field.test(Operator::GtEq, vec![field.apply(literal)?]),
        _ => None,
    }
}

/// A text is cut to a number of code points: a prefix no longer than that is seen whole.
fn prefix_test(op: Operator, prefix: &str, field: &PartitionColumn) -> Option<BoundExpr> {
    let Transform::Truncate(width) = field.transform else { return None };
    let fits = prefix.chars().count() <= width as usize;
    let value = field.apply(&Value::String(prefix.to_owned()))?;
    match op {
        _ if fits => field.test(op, vec![value]),
        Operator::StartsWith => field.test(Operator::Eq, vec![value]),
        _ => None,
    }
}
