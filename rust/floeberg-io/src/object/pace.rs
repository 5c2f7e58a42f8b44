//! How fast does a store answer?
//!
//! In: the times of its answers. Out: what a request costs, in bytes that could be transferred meanwhile, and when an answer is
//! late.
//!
//! Invariant: a guess only decides how often a store is asked, never what is read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The largest gap between two ranges, in bytes, that is read too: as long as nothing is known, and where the store is far.
const MOST_GAP: u64 = 1 << 20;

/// The same for a store that answers at once.
const LEAST_GAP: u64 = 64 << 10;

/// A shorter answer, in bytes, says nothing about the rate.
const MEASURED: u64 = 256 << 10;

/// How much slower than others an answer is that is late.
const LATE: u32 = 10;

/// Averages of the last answers. 0 is unknown.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Microseconds until an answer begins.
    begin: AtomicU64,
    /// Bytes a millisecond, from then on.
    rate: AtomicU64,
}

impl Pace {
    /// An answer began after so much time.
    pub(super) fn began(&self, after: Duration) {
        average(&self.begin, u64::try_from(after.as_micros()).unwrap_or(u64::MAX));
    }

    /// The bytes of an answer came within so much time.
    pub(super) fn transferred(&self, bytes: u64, within: Duration) {
        if bytes >= MEASURED {
            average(&self.rate, bytes.saturating_mul(1000) / (within.as_micros() as u64).max(1));
        }
    }

    /// The largest gap between two ranges, in bytes, that costs less than a second request.
    pub(super) fn gap(&self) -> u64 {
        let (begin, rate) = (self.begin.load(Ordering::Relaxed), self.rate.load(Ordering::Relaxed));
        if begin == 0 || rate == 0 {
            return MOST_GAP;
        }
        (begin.saturating_mul(rate) / 1000).clamp(LEAST_GAP, MOST_GAP)
    }

    /// When an answer that has not begun is late: after `least`, or where all take long, much later than they.
    pub(super) fn late(&self, least: Duration) -> Duration {
        least.max(Duration::from_micros(self.begin.load(Ordering::Relaxed)) * LATE)
    }
}

/// Moves an average by an eighth of the difference. Of two threads at once, one counts.
fn average(average: &AtomicU64, next: u64) {
    let before = average.load(Ordering::Relaxed);
    let after = if before == 0 { next } else { before - before / 8 + next / 8 };
    average.store(after.max(1), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn a_gap_costs_as_much_as_a_request() {
        let pace = Pace::default();
        assert_eq!(pace.gap(), MOST_GAP);
        pace.began(4 * MILLISECOND);
        assert_eq!(pace.gap(), MOST_GAP);
        pace.transferred(1, MILLISECOND);
        assert_eq!(pace.gap(), MOST_GAP, "a short answer says nothing");
        pace.transferred(10_000_000, 200 * MILLISECOND);
        assert_eq!(pace.gap(), 200_000, "50 MB a second for 4 ms");
        pace.began(Duration::from_secs(60));
        assert_eq!(pace.gap(), MOST_GAP);
        (0..99).for_each(|_| pace.began(Duration::ZERO));
        assert_eq!(pace.gap(), LEAST_GAP);
    }

    #[test]
    fn an_answer_is_late_where_others_are_not() {
        let pace = Pace::default();
        assert_eq!(pace.late(MILLISECOND), MILLISECOND);
        pace.began(5 * MILLISECOND);
        assert_eq!(pace.late(MILLISECOND), 50 * MILLISECOND);
        assert_eq!(pace.late(80 * MILLISECOND), 80 * MILLISECOND);
    }
}
