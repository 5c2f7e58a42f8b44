//! Which entries of a block did one stage of planning drop?
//!
//! In: the entries that earlier stages kept. Out: for each, the test that dropped it, or that it was kept.
//!
//! Invariant: a dropped entry stays dropped, and is counted for the first test that dropped it.

/// Earlier stages dropped it.
const ABSENT: u32 = 0;
const KEPT: u32 = 1;
/// The first number for entries that a test dropped.
const DROPPED: u32 = 2;

/// A column over the entries of a block.
#[derive(Debug)]
pub(crate) struct PruneMask {
    of: Vec<u32>,
    /// The tests that dropped entries: the number of a test, and the reason.
    drops: Vec<(usize, &'static str)>,
}

impl PruneMask {
    /// Nothing is dropped yet of the entries that earlier stages kept; `None` is all of `len` entries.
    pub fn new(kept: Option<Vec<bool>>, len: usize) -> Self {
        let of = match kept {
            None => vec![KEPT; len],
            Some(kept) => kept.into_iter().map(|kept| if kept { KEPT } else { ABSENT }).collect(),
        };
        Self { of, drops: Vec::new() }
    }

    /// Is an entry still kept?
    pub fn keeps(&self, row: usize) -> bool {
        self.of[row] == KEPT
    }

    /// The entries that are still kept, in order.
    pub fn kept(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|row| self.keeps(*row)).collect()
    }

    /// Drops an entry by the test of a number. An entry that was dropped before does not change.
    pub fn drop(&mut self, row: usize, test: usize, reason: &'static str) {
        if self.of[row] != KEPT {
            return;
        }
        // Tests run one after the other, so the newest reasons are the likely ones.
        let found = self.drops.iter().rposition(|known| *known == (test, reason));
        let number = found.unwrap_or_else(|| {
            self.drops.push((test, reason));
            self.drops.len() - 1
        });
        self.of[row] = DROPPED + number as u32;
    }

    /// How many came in.
    pub fn entered(&self) -> usize {
        self.of.iter().filter(|verdict| **verdict != ABSENT).count()
    }

    /// The tests that dropped entries, and how many each dropped.
    pub fn counts(&self) -> impl Iterator<Item = (usize, &'static str, u64)> {
        let mut counts = vec![0_u64; self.drops.len()];
        for verdict in self.of.iter().filter(|verdict| **verdict >= DROPPED) {
            counts[(verdict - DROPPED) as usize] += 1;
        }
        self.drops.iter().zip(counts).map(|((test, reason), count)| (*test, *reason, count))
    }

    /// The entries that were dropped, with the test and why.
    pub fn dropped(&self) -> impl Iterator<Item = (usize, usize, &'static str)> {
        let dropped = self.of.iter().enumerate().filter(|(_, verdict)| **verdict >= DROPPED);
        dropped.map(|(row, verdict)| {
            let (test, reason) = self.drops[(verdict - DROPPED) as usize];
            (row, test, reason)
        })
    }

    /// Which entries are kept.
    pub fn into_mask(self) -> Vec<bool> {
        self.of.into_iter().map(|verdict| verdict == KEPT).collect()
    }
}
