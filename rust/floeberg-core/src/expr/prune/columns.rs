//! Why can none of the rows match, for many sets of rows at once?
//!
//! In: a bound filter and statistics in columns. Out: for each set what rules it out, if anything does.
//! Spec: Scan Planning; Data File Fields (counts and bounds).
//!
//! Invariant: for each set the answer is that of [`super::explain_mismatch`]. What is read as columns allocates nothing for
//! a set; tests of a transform, and of types whose bounds are not compared as numbers or bytes, are asked set by set.

use super::may_match::{excluded, excluded_by};
use super::mismatch::MismatchReason;
use super::typed::{Literals, Typed};
use crate::expr::{BoundExpr, BoundPredicate, Share, Stats};
use crate::schema::Type;

/// Statistics of many sets of rows.
pub trait StatsColumns {
    /// The statistics of one column.
    type Column<'a>: StatsColumn
    where
        Self: 'a;

    /// What [`Self::set`] says of a column, without a value made for each set. `None` where only that can tell.
    fn column(&self, id: i32, field_type: &Type) -> Option<Self::Column<'_>>;

    /// The statistics of one set, by its number.
    fn set(&self, number: usize) -> impl Stats + '_;
}

/// Statistics of one column in many sets of rows, each by the number of the set.
pub trait StatsColumn {
    /// Which values are null?
    fn nulls(&self, number: usize) -> Share;

    /// Which values are NaN?
    fn nans(&self, number: usize) -> Share;

    /// The lower bound, in the binary single-value form. What cannot be decoded is unknown.
    fn lower(&self, number: usize) -> Option<&[u8]>;

    /// The upper bound, likewise.
    fn upper(&self, number: usize) -> Option<&[u8]>;
}

/// Why no row of a set can match, for each of the sets of these numbers, in their order; `None` where one may.
pub fn explain_mismatches(
    expr: &BoundExpr,
    stats: &impl StatsColumns,
    sets: &[usize],
) -> Vec<Option<MismatchReason>> {
    match expr {
        BoundExpr::True => vec![None; sets.len()],
        BoundExpr::False => vec![Some(MismatchReason::Never); sets.len()],
        BoundExpr::And(children) => {
            let mut found = vec![None; sets.len()];
            for child in children {
                ask_again(child, stats, sets, &mut found, Option::is_none, |_, new| new);
            }
            found
        }
        BoundExpr::Or(children) => {
            let Some((first, others)) = children.split_first() else { return vec![None; sets.len()] };
            let mut found = explain_mismatches(first, stats, sets);
            for child in others {
                // Where every alternative is ruled out, the first says why.
                ask_again(child, stats, sets, &mut found, Option::is_some, |old, new| new.and(old));
            }
            found
        }
        BoundExpr::Predicate(test) => excluded_sets(test, stats, sets),
    }
}

/// Asks another filter of the sets whose answer is open, and joins both answers.
fn ask_again(
    expr: &BoundExpr,
    stats: &impl StatsColumns,
    sets: &[usize],
    found: &mut [Option<MismatchReason>],
    is_open: impl Fn(&Option<MismatchReason>) -> bool,
    join: impl Fn(Option<MismatchReason>, Option<MismatchReason>) -> Option<MismatchReason>,
) {
    let open: Vec<usize> = (0..sets.len()).filter(|place| is_open(&found[*place])).collect();
    let asked: Vec<usize> = open.iter().map(|place| sets[*place]).collect();
    for (place, new) in open.into_iter().zip(explain_mismatches(expr, stats, &asked)) {
        found[place] = join(found[place], new);
    }
}

fn excluded_sets(
    test: &BoundPredicate,
    stats: &impl StatsColumns,
    sets: &[usize],
) -> Vec<Option<MismatchReason>> {
    let column = stats.column(test.column.id, &test.column.field_type);
    let (Some(column), Some(literals)) = (column, Literals::of(test)) else {
        return sets.iter().map(|number| excluded(test, &stats.set(*number))).collect();
    };
    match literals {
        Literals::Integers(primitive, literals) => {
            each(sets, |number| excluded_by(test, &literals, &Typed::integers(primitive, &column, number)))
        }
        Literals::Floats(primitive, literals) => {
            each(sets, |number| excluded_by(test, &literals, &Typed::floats(primitive, &column, number)))
        }
        Literals::Decimals(literals) => {
            each(sets, |number| excluded_by(test, &literals, &Typed::decimals(&column, number)))
        }
        Literals::Bytes(primitive, literals) => {
            each(sets, |number| excluded_by(test, &literals, &Typed::bytes(primitive, &column, number)))
        }
    }
}

fn each(sets: &[usize], ask: impl Fn(usize) -> Option<MismatchReason>) -> Vec<Option<MismatchReason>> {
    sets.iter().map(|number| ask(*number)).collect()
}
