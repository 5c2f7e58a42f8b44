//! Which of many ranges overlap one?
//!
//! In: numbered ranges, whose ends may be open. Out: the numbers of the ranges that share a value with one.
//!
//! Invariant: the result is that of a test of each range. A look-up costs the logarithm of the number of ranges, plus the size of
//! the result.

use std::cmp::Ordering;

/// Ranges sorted by their lower ends, as a balanced tree: the middle of a part of the order is its root.
///
/// The ranges themselves are not stored here: a look-up passes them again.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    /// The numbers of the ranges, by lower end.
    order: Vec<u32>,
    /// For each position in the order, the number of the range that ends last in the subtree below it.
    last: Vec<u32>,
}

/// The lower and the upper end of a range, both inside; `None` is open.
pub(crate) type Ends<T> = (Option<T>, Option<T>);

impl Intervals {
    /// Sorts the ranges of these numbers.
    pub fn new<T: Ord + Copy>(mut numbers: Vec<u32>, ends: impl Fn(u32) -> Ends<T>) -> Self {
        // An open lower end is `None`, which comes first.
        numbers.sort_by_key(|number| ends(*number).0);
        let mut intervals = Self { last: numbers.clone(), order: numbers };
        intervals.find_last(0, intervals.order.len(), &ends);
        intervals
    }

    /// Returns the numbers of the ranges that share a value with a range, in no particular order.
    pub fn touching<T: Ord + Copy>(
        &self,
        range: &Ends<T>,
        ends: impl Fn(u32) -> Ends<T>,
        mut found: impl FnMut(u32),
    ) {
        self.look(0, self.order.len(), range, &ends, &mut found);
    }

    /// Do two ranges share a value?
    pub fn touch<T: Ord + Copy>(one: &Ends<T>, other: &Ends<T>) -> bool {
        !is_above(one.0, other.1) && !is_above(other.0, one.1)
    }

    fn find_last<T: Ord + Copy>(
        &mut self,
        from: usize,
        to: usize,
        ends: &impl Fn(u32) -> Ends<T>,
    ) -> Option<u32> {
        let root = middle(from, to)?;
        let mut last = self.order[root];
        for part in [self.find_last(from, root, ends), self.find_last(root + 1, to, ends)] {
            if let Some(other) = part
                && compare_upper(ends(other).1, ends(last).1) == Ordering::Greater
            {
                last = other;
            }
        }
        self.last[root] = last;
        Some(last)
    }

    fn look<T: Ord + Copy>(
        &self,
        from: usize,
        to: usize,
        range: &Ends<T>,
        ends: &impl Fn(u32) -> Ends<T>,
        found: &mut impl FnMut(u32),
    ) {
        let Some(root) = middle(from, to) else { return };
        if is_above(range.0, ends(self.last[root]).1) {
            return;
        }
        self.look(from, root, range, ends, found);
        let (lower, upper) = ends(self.order[root]);
        if is_above(lower, range.1) {
            return;
        }
        if !is_above(range.0, upper) {
            found(self.order[root]);
        }
        self.look(root + 1, to, range, ends, found);
    }
}

fn middle(from: usize, to: usize) -> Option<usize> {
    (from < to).then(|| from + (to - from) / 2)
}

/// Is a lower end above an upper one?
fn is_above<T: Ord + Copy>(lower: Option<T>, upper: Option<T>) -> bool {
    matches!((lower, upper), (Some(lower), Some(upper)) if lower > upper)
}

fn compare_upper<T: Ord + Copy>(left: Option<T>, right: Option<T>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}
