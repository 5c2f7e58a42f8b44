//! Which number comes next? The same ones on every machine, by `SplitMix64`.

/// Numbers without a pattern, from a seed on.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From `low` to `high`, both of them possible.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// From 0 up to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// As many small letters.
    pub(super) fn letters(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| b'a' + (self.next() % 26) as u8).collect()
    }
}

/// The numbers below `count`, in an order without a pattern.
pub(super) fn shuffled(count: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    let mut random = Random::new(11);
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, (random.next() % (last as u64 + 1)) as usize);
    }
    numbers
}
