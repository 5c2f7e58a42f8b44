//! May a row group have a value?
//!
//! In: the values of a row group, as numbers or bytes. Out: a filter that finds each of them again, and few others.
//! Spec: ORC v1, Bloom Filter Index.
//!
//! Invariant: a value that was added is always found. The hash is that of the format: Murmur3 with its seed for bytes, an integer
//! hash for numbers.

/// The seed of the hash.
const SEED: u64 = 104_729;
/// The most bytes of a filter that is read.
const MOST_BYTES: usize = 64 << 20;

/// A bloom filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BloomFilter {
    words: Vec<u64>,
    hashes: u32,
}

impl BloomFilter {
    /// An empty filter for this many values, which finds this share of others.
    pub(crate) fn new(values: u32, wrong_share: f64) -> Self {
        let values = f64::from(values.max(1));
        let ln_2 = std::f64::consts::LN_2;
        let bits = (-values * wrong_share.ln() / (ln_2 * ln_2)) as u64;
        // A multiple of 64, and one more where it already is.
        let bits = bits + (64 - bits % 64);
        let hashes = ((bits as f64 / values * ln_2).round() as u32).max(1);
        Self { words: vec![0; (bits / 64) as usize], hashes }
    }

    /// A filter that was read; `None` for one that cannot be used.
    pub(crate) fn of_bytes(hashes: u32, bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<8>();
        let is_sound = !words.is_empty() && rest.is_empty() && bytes.len() <= MOST_BYTES;
        (is_sound && (1..=256).contains(&hashes))
            .then(|| Self { words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(), hashes })
    }

    /// The number of hashes, and the bits.
    pub(crate) fn to_bytes(&self) -> (u32, Vec<u8>) {
        (self.hashes, self.words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    pub(crate) fn add_number(&mut self, value: i64) {
        self.add(hash_number(value));
    }

    pub(crate) fn add_bytes(&mut self, value: &[u8]) {
        self.add(hash_bytes(value));
    }

    pub(crate) fn may_have_number(&self, value: i64) -> bool {
        self.may_have(hash_number(value))
    }

    pub(crate) fn may_have_bytes(&self, value: &[u8]) -> bool {
        self.may_have(hash_bytes(value))
    }

    fn add(&mut self, hash: u64) {
        let bits = self.words.len() as u64 * 64;
        for place in places(hash, self.hashes, bits) {
            self.words[(place / 64) as usize] |= 1 << (place % 64);
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        let bits = self.words.len() as u64 * 64;
        places(hash, self.hashes, bits)
            .all(|place| self.words[(place / 64) as usize] & 1 << (place % 64) != 0)
    }
}

/// The bits of a value: of two halves of its hash, as signed numbers.
fn places(hash: u64, hashes: u32, bits: u64) -> impl Iterator<Item = u64> {
    let (first, second) = (hash as i32, (hash >> 32) as i32);
    (1..=hashes as i32).map(move |number| {
        let combined = first.wrapping_add(number.wrapping_mul(second));
        let positive = if combined < 0 { !combined } else { combined };
        positive as u64 % bits
    })
}

fn hash_number(value: i64) -> u64 {
    let mut key = (!value).wrapping_add(value << 21);
    key ^= key >> 24;
    key = key.wrapping_add(key << 3).wrapping_add(key << 8);
    key ^= key >> 14;
    key = key.wrapping_add(key << 2).wrapping_add(key << 4);
    key ^= key >> 28;
    key.wrapping_add(key << 31) as u64
}

fn hash_bytes(value: &[u8]) -> u64 {
    let mixed = |word: u64| {
        word.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31).wrapping_mul(0x4cf5_ad43_2745_937f)
    };
    let (words, rest) = value.as_chunks::<8>();
    let mut hash = SEED;
    for word in words {
        hash ^= mixed(u64::from_le_bytes(*word));
        hash = hash.rotate_left(27).wrapping_mul(5).wrapping_add(0x52dc_e729);
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash ^= mixed(u64::from_le_bytes(word));
    }
    hash ^= value.len() as u64;
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_those_of_the_reference_writer() {
        let filter = BloomFilter::new(10_000, 0.05);
        assert_eq!((filter.words.len() * 64, filter.hashes), (62_400, 4));
        assert_eq!(BloomFilter::of_bytes(0, &[0; 8]), None);
        assert_eq!(BloomFilter::of_bytes(3, &[0; 7]), None);
        assert_eq!(BloomFilter::of_bytes(3, &[]), None);
    }

    #[test]
    fn few_other_values_are_found() {
        let mut filter = BloomFilter::new(10_000, 0.05);
        (0..10_000).for_each(|value| filter.add_number(value));
        let found = (10_000..20_000).filter(|value| filter.may_have_number(*value)).count();
        assert!(found < 1_000, "{found}");
        let mut filter = BloomFilter::new(10_000, 0.01);
        (0..10_000).for_each(|value: i32| filter.add_bytes(value.to_string().as_bytes()));
        let other = |value: &i32| filter.may_have_bytes(value.to_string().as_bytes());
        assert!((10_000..20_000).filter(other).count() < 300);
    }

    proptest! {
        #[test]
        fn what_was_added_is_found(numbers: Vec<i64>, texts: Vec<Vec<u8>>) {
            let mut filter = BloomFilter::new(100, 0.05);
            for number in &numbers {
                filter.add_number(*number);
            }
            for text in &texts {
                filter.add_bytes(text);
            }
            let (hashes, bytes) = filter.to_bytes();
            let read = BloomFilter::of_bytes(hashes, &bytes).unwrap();
            prop_assert!(numbers.iter().all(|number| read.may_have_number(*number)));
            prop_assert!(texts.iter().all(|text| read.may_have_bytes(text)));
        }
    }
}
