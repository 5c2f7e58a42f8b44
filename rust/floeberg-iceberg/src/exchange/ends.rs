//! Where do ranges of about equal numbers of rows end?
//!
//! In: keys of some rows of each group. Out: the first key of every range but the first, in ascending order.
//!
//! Invariant: equal keys are in one range, so that there may be fewer ranges than wanted.

use super::sample::KeySample;

/// The first keys of ranges after the first one: fewer than `ranges` of them.
pub fn range_ends(samples: Vec<KeySample>, ranges: usize) -> Vec<Vec<u8>> {
    let mut keys: Vec<(Vec<u8>, u128)> = Vec::new();
    for KeySample { keys: some, rows } in samples {
        // A key counts for as many rows as it was chosen among, in parts of a row.
        let weight = (u128::from(rows) << 20) / (some.len().max(1) as u128);
        keys.extend(some.into_iter().map(|key| (key, weight)));
    }
    keys.sort_unstable();
    let total = keys.iter().map(|(_, weight)| weight).sum::<u128>().max(1);
    let (mut ends, mut before, mut last) = (Vec::new(), 0_u128, 0_u128);
    let mut previous: Option<&[u8]> = None;
    for (key, weight) in &keys {
        let range = before * (ranges as u128) / total;
        // After a key of many rows, the next range ends where its share does.
        if range > last && previous.is_some_and(|previous| previous != key.as_slice()) {
            ends.push(key.clone());
            last = range;
        }
        previous = Some(key);
        before += weight;
    }
    ends
}

/// The number of the range that a key is in.
pub(super) fn range_of(ends: &[Vec<u8>], key: &[u8]) -> usize {
    ends.partition_point(|end| end.as_slice() <= key)
}
