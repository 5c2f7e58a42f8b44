//! For many sets of rows at once: why can no row match, or must all match?
//!
//! In: a bound filter and statistics in columns. Out: for each set, the reason that rules it out, if any; or whether all its rows
//! match.
//! Spec: Scan Planning; Data File Fields (counts and bounds).
//!
//! Invariant: for each set the result is that of [`super::explain_mismatch`] and of [`super::must_match`]. Tests on columns allocate
//! nothing per set. Tests of a transform, and of types whose bounds are not compared as numbers or bytes, run set by set.

use super::known::Known;
use super::may_match::{excluded, excluded_by, is_ruled_out};
use super::mismatch_reason::MismatchReason;
use super::must_match::{all_pass, all_pass_by};
use super::typed::{Literals, Typed};
use crate::expr::{BoundExpr, BoundPredicate, Stats, StatsColumns};

/// Why no row of a set can match, for each of the numbered sets, in order; `None` if one may.
pub fn explain_mismatches(
    expr: &BoundExpr,
    stats: &impl StatsColumns,
    sets: &[usize],
) -> Vec<Option<MismatchReason>> {
    match expr {
        BoundExpr::True => vec![None; sets.len()],
        BoundExpr::Condition(condition) if condition.implied.is_empty() => vec![None; sets.len()],
        BoundExpr::Condition(condition) => {
            each(sets, |number| is_ruled_out(condition, &stats.set(number)).then_some(MismatchReason::Bounds))
        }
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
                // If every alternative is ruled out, the first gives the reason.
                ask_again(child, stats, sets, &mut found, Option::is_some, |old, new| new.and(old));
            }
            found
        }
        BoundExpr::Predicate(test) => asked::<Excluded>(test, stats, sets),
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

/// Must every row of a set match, for each of the sets of these numbers, in their order?
pub fn must_match_each(expr: &BoundExpr, stats: &impl StatsColumns, sets: &[usize]) -> Vec<bool> {
    match expr {
        BoundExpr::True => vec![true; sets.len()],
        BoundExpr::False | BoundExpr::Condition(_) => vec![false; sets.len()],
        BoundExpr::And(children) => joined(children, stats, sets, true, |all, also| all && also),
        BoundExpr::Or(children) => joined(children, stats, sets, false, |any, also| any || also),
        BoundExpr::Predicate(test) => asked::<Passed>(test, stats, sets),
    }
}

fn joined(
    children: &[BoundExpr],
    stats: &impl StatsColumns,
    sets: &[usize],
    none: bool,
    join: impl Fn(bool, bool) -> bool,
) -> Vec<bool> {
    let mut found = vec![none; sets.len()];
    for child in children {
        for (known, also) in found.iter_mut().zip(must_match_each(child, stats, sets)) {
            *known = join(*known, also);
        }
    }
    found
}

/// What is asked of a test and the statistics of a set of rows.
trait Question {
    type Answer;

    /// Of statistics in a form that literals are in too.
    fn by<L>(test: &BoundPredicate, literals: &[L], known: &impl Known<L>) -> Self::Answer;

    /// Of statistics as values.
    fn of(test: &BoundPredicate, stats: &dyn Stats) -> Self::Answer;
}

/// What proves that no row passes?
struct Excluded;

impl Question for Excluded {
    type Answer = Option<MismatchReason>;

    #[inline]
    fn by<L>(test: &BoundPredicate, literals: &[L], known: &impl Known<L>) -> Self::Answer {
        excluded_by(test, literals, known)
    }

    fn of(test: &BoundPredicate, stats: &dyn Stats) -> Self::Answer {
        excluded(test, stats)
    }
}

/// Do all rows pass?
struct Passed;

impl Question for Passed {
    type Answer = bool;

    #[inline]
    fn by<L>(test: &BoundPredicate, literals: &[L], known: &impl Known<L>) -> bool {
        all_pass_by(test, literals, known)
    }

    fn of(test: &BoundPredicate, stats: &dyn Stats) -> bool {
        all_pass(test, stats)
    }
}

fn asked<Q: Question>(test: &BoundPredicate, stats: &impl StatsColumns, sets: &[usize]) -> Vec<Q::Answer> {
    let column = stats.column(test.column.id, &test.column.field_type);
    let (Some(column), Some(literals)) = (column, Literals::of(test)) else {
        return sets.iter().map(|number| Q::of(test, &stats.set(*number))).collect();
    };
    match literals {
        Literals::Integers(primitive, literals) => {
            each(sets, |number| Q::by(test, &literals, &Typed::integers(primitive, &column, number)))
        }
        Literals::Floats(primitive, literals) => {
            each(sets, |number| Q::by(test, &literals, &Typed::floats(primitive, &column, number)))
        }
        Literals::Decimals(literals) => {
            each(sets, |number| Q::by(test, &literals, &Typed::decimals(&column, number)))
        }
        Literals::Bytes(primitive, literals) => {
            each(sets, |number| Q::by(test, &literals, &Typed::bytes(primitive, &column, number)))
        }
    }
}

fn each<A>(sets: &[usize], ask: impl Fn(usize) -> A) -> Vec<A> {
    sets.iter().map(|number| ask(*number)).collect()
}
