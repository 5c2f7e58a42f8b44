//! Are runs of integers, bits and bytes read back?

use arrow_buffer::BooleanBuffer;
use bytes::Bytes;
use proptest::prelude::*;

use crate::read::rle::{Bits as ReadBits, Integers as ReadIntegers};
use crate::read::stream::{Blocks, ByteStream};
use crate::wire::Compression;
use crate::write::bits::Bits;
use crate::write::integers::Integers;

fn plain(stored: Vec<u8>) -> ByteStream {
    ByteStream::new(Blocks::new(Bytes::from(stored), Compression::None, 0))
}

fn written(values: &[i64], signed: bool) -> Vec<u8> {
    let mut integers = Integers::new(signed);
    integers.extend(values.iter().copied());
    integers.end_runs();
    integers.output.into_bytes()
}

fn assert_read(values: &[i64], signed: bool) -> usize {
    let stored = written(values, signed);
    let length = stored.len();
    let found = ReadIntegers::new(plain(stored), signed, true).read(values.len()).unwrap();
    assert_eq!(found, values);
    length
}

#[test]
fn what_repeats_or_rises_evenly_is_short() {
    assert_eq!(assert_read(&[7; 512], true), 4);
    assert_eq!(assert_read(&[7; 9], true), 2);
    assert_eq!(assert_read(&(0..512).collect::<Vec<_>>(), true), 4);
    assert_eq!(assert_read(&(0..512).map(|value| -3 * value).collect::<Vec<_>>(), true), 4);
    let squares: Vec<i64> = (0..512).map(|value| value * value).collect();
    assert!(assert_read(&squares, true) < 512 * 2);
    assert_read(&[i64::MIN, i64::MAX, 0, -1, 1], true);
    assert_read(&[i64::MAX, i64::MIN], true);
    assert_read(&[5, 5, 4, 3], true);
    assert_read(&[5, 5, 6, 9], true);
    assert_read(&[0; 3], false);
    assert_eq!(assert_read(&[], true), 0);
}

/// The bytes of the examples of the specification.
#[test]
fn the_examples_of_the_specification_are_written() {
    assert_eq!(written(&[10_000; 10], false), [0x0f, 0x27, 0x10]);
    assert_eq!(
        written(&[23_713, 43_806, 57_005, 48_879], false),
        [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef]
    );
    let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
    // The specification packs the differences into four bits, where three are enough.
    assert_eq!(written(&primes, false), [0xc4, 0x09, 0x02, 0x02, 0x4a, 0x28, 0xa6]);
}

/// Integers as columns have them: of all widths, with repeats and steps.
fn integers() -> impl Strategy<Value = Vec<i64>> {
    let run = prop_oneof![
        (any::<i64>(), 1_usize..30).prop_map(|(value, count)| vec![value; count]),
        (0_u32..64, proptest::collection::vec(any::<i64>(), 1..40))
            .prop_map(|(shift, values)| values.into_iter().map(|value| value >> shift).collect()),
        (-1000_i64..1000, -9_i64..9, 1_usize..700)
            .prop_map(|(start, step, count)| (0..count as i64).map(|place| start + place * step).collect()),
    ];
    proptest::collection::vec(run, 0..8).prop_map(|runs| runs.concat())
}

proptest! {
    #[test]
    fn integers_are_read_back(values in integers()) {
        assert_read(&values, true);
        let positive: Vec<i64> = values.iter().map(|value| value & i64::MAX).collect();
        assert_read(&positive, false);
    }

    #[test]
    fn bits_are_read_back(
        pieces in proptest::collection::vec((any::<bool>(), proptest::collection::vec(any::<bool>(), 0..90)), 0..9),
    ) {
        let (mut bits, mut expected) = (Bits::default(), Vec::new());
        for (are_set, piece) in pieces {
            if are_set {
                bits.extend_set(piece.len());
                expected.extend(piece.iter().map(|_| true));
            } else {
                bits.extend(&BooleanBuffer::from_iter(piece.iter().copied()));
                expected.extend(piece);
            }
            bits.end_runs();
        }
        bits.finish();
        let found = ReadBits::new(plain(bits.output.into_bytes())).read(expected.len()).unwrap();
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }
}
