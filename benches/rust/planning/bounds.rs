//! Between which values lie the columns of a file?
//!
//! In: the file's number, its day and random numbers. Out: bounds of 12 columns, in single-value serialization.

use std::collections::BTreeMap;

use super::random::Random;

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;

/// Lower and upper bounds by column.
pub(super) type Bounds = (BTreeMap<i32, Vec<u8>>, BTreeMap<i32, Vec<u8>>);

pub(super) fn bounds(number: u64, day: i32, random: &mut Random) -> Bounds {
    let (number, midnight) = (number as i64, i64::from(day) * MICROSECONDS_PER_DAY);
    let pairs = [
        longs(number * 100_000, number * 100_000 + random.between(1, 99_999)),
        longs(
            midnight + random.between(0, 1_000_000_000),
            midnight + MICROSECONDS_PER_DAY - random.between(1, 1_000_000_000),
        ),
        ints(day, day),
        longs(random.between(0, 1000), random.between(9_000_000, 10_000_000)),
        ints(1, random.between(50, 100) as i32),
        doubles(random.fraction(), 900.0 + random.fraction()),
        floats(0.0, random.fraction() as f32),
        (vec![0], (random.between(1_000_000, 8_000_000) as i32).to_be_bytes().to_vec()),
        texts(random, 2),
        texts(random, 12),
        texts(random, 16),
        (vec![0], vec![1]),
    ];
    let by_column = || 1_i32..;
    let (lower, upper): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    (by_column().zip(lower).collect(), by_column().zip(upper).collect())
}

fn longs(low: i64, high: i64) -> (Vec<u8>, Vec<u8>) {
    (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec())
}

fn ints(low: i32, high: i32) -> (Vec<u8>, Vec<u8>) {
    (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec())
}

fn doubles(low: f64, high: f64) -> (Vec<u8>, Vec<u8>) {
    (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec())
}

fn floats(low: f32, high: f32) -> (Vec<u8>, Vec<u8>) {
    (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec())
}

fn texts(random: &mut Random, length: usize) -> (Vec<u8>, Vec<u8>) {
    let (one, other) = (random.letters(length), random.letters(length));
    if one < other { (one, other) } else { (other, one) }
}
