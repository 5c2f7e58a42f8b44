//! How are many values tested in one call?
//!
//! Invariant: floats compare by IEEE 754: NaN equals nothing and is in no order, -0.0 equals 0.0. Arrow's own kernels
//! use the total order, in which neither holds.

use arrow_buffer::BooleanBuffer;

use crate::expr::Operator;

/// A set up to this size is searched from its beginning.
const SMALL_SET: usize = 8;

/// A comparison of every value with one literal, or a look-up in a sorted set.
pub(super) fn ordered<T: PartialOrd + Copy>(
    op: Operator,
    rows: usize,
    get: impl Fn(usize) -> T,
    literals: &[T],
) -> BooleanBuffer {
    match (op, literals) {
        (Operator::Eq, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) == literal),
        (Operator::NotEq, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) != literal),
        (Operator::Lt, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) < literal),
        (Operator::LtEq, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) <= literal),
        (Operator::Gt, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) > literal),
        (Operator::GtEq, &[literal]) => BooleanBuffer::collect_bool(rows, |row| get(row) >= literal),
        (Operator::In | Operator::NotIn, set) => {
            let wanted = op == Operator::In;
            if set.len() <= SMALL_SET {
                BooleanBuffer::collect_bool(rows, |row| set.contains(&get(row)) == wanted)
            } else {
                BooleanBuffer::collect_bool(rows, |row| is_in(set, get(row)) == wanted)
            }
        }
        _ => BooleanBuffer::new_unset(rows),
    }
}

fn is_in<T: PartialOrd + Copy>(set: &[T], value: T) -> bool {
    let at = set.partition_point(|literal| *literal < value);
    set.get(at).is_some_and(|literal| *literal == value)
}

/// Does every text begin with a prefix, or not?
pub(super) fn prefixed<'a>(
    op: Operator,
    rows: usize,
    get: impl Fn(usize) -> &'a [u8],
    prefix: &[u8],
) -> BooleanBuffer {
    let wanted = op == Operator::StartsWith;
    BooleanBuffer::collect_bool(rows, |row| get(row).starts_with(prefix) == wanted)
}

/// Is every value NaN, or not?
pub(super) fn is_nan<T: PartialOrd + Copy>(op: Operator, values: &[T]) -> BooleanBuffer {
    let wanted = op == Operator::IsNan;
    // Only NaN differs from itself.
    BooleanBuffer::collect_bool(values.len(), |row| {
        (values[row].partial_cmp(&values[row]).is_none()) == wanted
    })
}
