//! How long are the ends of the files of a table, where their metadata lies?
//!
//! In: what readers needed of earlier files. Out: how much to ask for at once of the next.
//!
//! Invariant: never more than [`LONGEST`].

use std::sync::atomic::{AtomicU64, Ordering};

/// The longest end, in bytes, that is asked for without need. A longer one is a second request.
const LONGEST: u64 = 1 << 20;

/// The longest end so far, in bytes, that is not too long.
#[derive(Debug, Default)]
pub(crate) struct Ends(AtomicU64);

impl Ends {
    /// The last bytes of a file were needed, so many.
    pub(crate) fn needed(&self, bytes: u64) {
        if bytes <= LONGEST {
            self.0.fetch_max(bytes, Ordering::Relaxed);
        }
    }

    /// How many bytes to ask for: at least so many.
    pub(crate) fn expected(&self, least: u64) -> u64 {
        // The next file may have a little more metadata.
        let longest = self.0.load(Ordering::Relaxed);
        least.max((longest + longest / 16).min(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_end_is_expected_again() {
        let ends = Ends::default();
        assert_eq!(ends.expected(100), 100);
        ends.needed(1600);
        ends.needed(160);
        assert_eq!(ends.expected(100), 1700);
        assert_eq!(ends.expected(5000), 5000);
        ends.needed(LONGEST);
        assert_eq!(ends.expected(100), LONGEST);
    }

    #[test]
    fn one_huge_end_is_not_expected_of_all() {
        let ends = Ends::default();
        ends.needed(LONGEST + 1);
        assert_eq!(ends.expected(100), 100);
    }
}
