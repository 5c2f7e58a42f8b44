//! `bucket[16]` of ten million longs: the array kernel against a plain loop over the same hash, as C would have it.

use arrow_array::Int64Array;
use divan::{Bencher, black_box};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::transform::Transform;

const ROWS: i64 = 10_000_000;

#[divan::bench(sample_count = 5)]
fn kernel(bencher: Bencher<'_, '_>) {
    let (rows, long) = (Int64Array::from_iter_values(0..ROWS), Type::from(PrimitiveType::Long));
    bencher.bench_local(|| Transform::Bucket(16).apply_array(black_box(&rows), &long).unwrap());
}

#[divan::bench(sample_count = 5)]
fn plain_loop(bencher: Bencher<'_, '_>) {
    let rows: Vec<i64> = (0..ROWS).collect();
    let bucket = |row: &i64| (murmur3_of_long(*row) & i32::MAX) % 16;
    bencher.bench_local(|| black_box(&rows).iter().map(bucket).collect::<Vec<i32>>());
}

/// Murmur3 (32 bits, x86, seed 0) of eight bytes, written out.
fn murmur3_of_long(value: i64) -> i32 {
    let mut hash = 0_u32;
    for half in [value as u32, (value >> 32) as u32] {
        hash ^= half.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= 8;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    (hash ^ (hash >> 16)) as i32
}
