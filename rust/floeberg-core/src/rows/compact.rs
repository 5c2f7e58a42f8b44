//! How do the values of kept rows move together?
//!
//! In: the values of all rows, and runs of rows. Out: the values of the runs, one after the other.
//!
//! Invariant: runs are in order and do not touch, so values only move down. Bytes that a block copies beyond the end of its run
//! land below the first value that has not moved yet.

use std::hint::black_box;
use std::ops::Range;

use arrow_buffer::BooleanBuffer;

/// Rows that follow each other: the first, and the one after the last.
pub(super) type Run = Range<usize>;

/// Values that are copied at once: a run between scattered deletes is a few of these.
const VALUES: usize = 8;
/// Bytes of strings that are copied at once.
const BYTES: usize = 32;

/// Moves the values of runs together and drops the others.
pub(super) fn compact_values<T: Copy>(values: &mut Vec<T>, runs: &[Run]) {
    let mut to = 0;
    for run in runs {
        move_down::<T, VALUES>(values, run, to, |value| value);
        to += run.len();
    }
    values.truncate(to);
}

/// Moves the bytes of runs together and drops the others. The bytes of row `i` are those from offset `i` to offset
/// `i + 1`, in bytes.
pub(super) fn compact_bytes(offsets: &mut Vec<i32>, bytes: &mut Vec<u8>, runs: &[Run]) {
    let mut row = 0;
    let mut to = 0;
    for run in runs {
        let first = offsets[run.start];
        let moved = first as usize..offsets[run.end] as usize;
        move_down::<u8, BYTES>(bytes, &moved, to, |byte| byte);
        // Checked subtraction would keep the compiler from doing a block at once; offsets only get smaller here.
        let down = first.wrapping_sub(to as i32);
        let ends = run.start + 1..run.end + 1;
        move_down::<i32, VALUES>(offsets, &ends, row + 1, |offset| offset.wrapping_sub(down));
        row += run.len();
        to += moved.len();
    }
    if let Some(first) = offsets.first_mut() {
        *first = 0;
    }
    offsets.truncate(row + 1);
    bytes.truncate(to);
}

/// Moves one run to a place that is not above it, each value changed.
fn move_down<T: Copy, const BLOCK: usize>(values: &mut [T], run: &Run, to: usize, change: impl Fn(T) -> T) {
    // The step is hidden from the compiler, and a block is assigned as an array: else it makes a call of `memmove` of
    // the run or of each block, which for runs as short as these costs more than the copy.
    let step = black_box(BLOCK);
    let mut moved = 0;
    if to + BLOCK <= run.start {
        while moved < run.len() {
            let Some(mut block) = values[run.start + moved..].first_chunk::<BLOCK>().copied() else { break };
            for value in &mut block {
                *value = change(*value);
            }
            let Some(place) = values[to + moved..].first_chunk_mut::<BLOCK>() else { break };
            *place = block;
            moved += step;
        }
    }
    for moved in moved..run.len() {
        values[to + moved] = change(values[run.start + moved]);
    }
}

/// The bits of runs, one after the other; `count` is how many.
pub(super) fn compact_bits(bits: &BooleanBuffer, runs: &[Run], count: usize) -> BooleanBuffer {
    let words: Vec<u64> = bits.bit_chunks().iter_padded().collect();
    let mut full = Vec::with_capacity(count / 64 + 1);
    let (mut pending, mut filled) = (0_u64, 0);
    for run in runs {
        let mut at = run.start;
        while at < run.end {
            let bit = at % 64;
            let taken = (run.end - at).min(64 - bit);
            let found = (words[at / 64] >> bit) & (u64::MAX >> (64 - taken));
            pending |= found << filled;
            filled += taken;
            if filled >= 64 {
                full.push(pending);
                filled -= 64;
                // All of what was found may have fitted: then nothing of it is left, and the shift is by 64 at most.
                pending = found.checked_shr((taken - filled) as u32).unwrap_or(0);
            }
            at += taken;
        }
    }
    full.push(pending);
    BooleanBuffer::new(full.into(), 0, count)
}
