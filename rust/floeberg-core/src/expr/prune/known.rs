//! Which questions does a test have for the statistics of a set of rows?
//!
//! In: literals in the form of the statistics. Out: answers that hold for every value that is neither
//! null nor NaN.
//!
//! Invariant: single sets and columns of many sets answer the same questions, so one rule decides for both.

use std::cmp::Ordering;

use crate::expr::Share;

/// The statistics that one test reads, for one set of rows. Literals are of the tested type.
pub(super) trait Known<Literal> {
    /// Which values are null?
    fn nulls(&self) -> Share;

    /// Which values are NaN?
    fn nans(&self) -> Share;

    /// How does the lower bound compare with a literal? `None` where that is not known.
    fn lower_to(&self, literal: &Literal) -> Option<Ordering>;

    /// How does the upper bound compare with a literal? `None` where that is not known.
    fn upper_to(&self, literal: &Literal) -> Option<Ordering>;

    /// Is a literal outside of the bounds, so that no value equals it?
    fn exclude(&self, literal: &Literal) -> bool {
        self.exclude_by_order(literal)
    }

    /// Are all of a sorted set's literals outside of the bounds?
    fn exclude_all(&self, literals: &[Literal]) -> bool {
        self.exclude_all_by_order(literals)
    }

    /// Is a literal on the outer side of a bound?
    fn exclude_by_order(&self, literal: &Literal) -> bool {
        self.lower_to(literal) == Some(Ordering::Greater) || self.upper_to(literal) == Some(Ordering::Less)
    }

    /// Is each of a sorted set's literals on the outer side of a bound?
    fn exclude_all_by_order(&self, literals: &[Literal]) -> bool {
        // The first literal that is not below the lower bound is the only one that needs a look at the upper bound.
        let first = literals.partition_point(|literal| self.lower_to(literal) == Some(Ordering::Greater));
        literals.get(first).is_none_or(|literal| self.upper_to(literal) == Some(Ordering::Less))
    }

    /// Do the bounds prove that all values are one, and is it in a sorted set?
    fn are_one_of(&self, literals: &[Literal]) -> bool;

    /// Does no value start with a prefix? False for a literal that is not a string.
    fn exclude_prefix(&self, prefix: &Literal) -> bool;

    /// Do all values start with a prefix? False for a literal that is not a string.
    fn share_prefix(&self, prefix: &Literal) -> bool;
}
