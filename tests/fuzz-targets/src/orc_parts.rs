//! The parts of an ORC file, each without those around it.

use floeberg_orc::testing;

use crate::judge::decoded;

/// So many values are asked for: some runs, and no more than a fuzzer has time for.
const VALUES: usize = 1024;

/// A first byte chooses the part.
pub(crate) fn orc_parts(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let choice = *choice;
    match choice % 8 {
        0 => {
            decoded(testing::postscript(bytes));
        }
        1 => {
            decoded(testing::footer(bytes));
        }
        2 => {
            decoded(testing::stripe_footer(bytes));
        }
        3 => bytes_and_bits(bytes),
        4 | 5 => {
            let (signed, second) = (choice & 0x10 != 0, choice % 8 == 5);
            if let Some(values) = longest(bytes, |count| testing::integers(bytes, signed, second, count)) {
                let half = values.len() / 2;
                let first = testing::integers(bytes, signed, second, half).expect("half of what was read");
                assert_eq!(first, values[..half]);
            }
        }
        7 => {
            decoded(testing::indexes(bytes));
        }
        _ => {
            let limit = 1 << 20;
            if let Some(inflated) = decoded(testing::inflated(bytes, choice >> 4, 1 << 16, limit)) {
                assert!(inflated.len() <= limit);
            }
        }
    }
}

/// Bits are those of the bytes, in whatever pieces they are asked for.
fn bytes_and_bits(stored: &[u8]) {
    let Some(bytes) = longest(stored, |count| testing::bytes(stored, count)) else { return };
    let expected: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).map(move |place| byte >> (7 - place) & 1 == 1)).collect();
    for piece in [1, 3, 8, 13, 64] {
        assert_eq!(testing::bits(stored, expected.len(), piece).expect("the bits are there"), expected);
    }
}

/// As many values as there are, up to a number.
fn longest<T>(stored: &[u8], read: impl Fn(usize) -> floeberg_core::Result<Vec<T>>) -> Option<Vec<T>> {
    let mut count = VALUES.min(stored.len() * 8);
    loop {
        match decoded(read(count)) {
            Some(values) => {
                assert_eq!(values.len(), count);
                return Some(values);
            }
            None if count == 0 => return None,
            None => count /= 2,
        }
    }
}
