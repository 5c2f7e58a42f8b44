//! Integers in runs.
//!
//! Spec: ORC v1, Integer Run Length Encoding, version 2. Runs with patches are not written.
//!
//! Invariant: the reader's `Integers` read the values back; a run has at most [`LONGEST`] integers.

use super::stream::{Form, Output, Place};
use crate::read::rle::{width_code, written_width};

/// The longest run.
const LONGEST: usize = 512;
/// The fewest equal integers that are worth a run of their own.
const FEWEST: usize = 8;
/// The most equal integers of a short run.
const SHORT: usize = 10;

/// Integers that are being written.
#[derive(Debug)]
pub(super) struct Integers {
    pub(super) output: Output,
    signed: bool,
    waiting: Vec<i64>,
}

impl Integers {
    pub(super) fn new(signed: bool) -> Self {
        Self { output: Output::default(), signed, waiting: Vec::new() }
    }

    /// Appends integers.
    pub(super) fn extend(&mut self, values: impl Iterator<Item = i64>) {
        for value in values {
            self.waiting.push(value);
            if self.waiting.len() == LONGEST {
                self.end_runs();
            }
        }
    }

    /// Ends the run that was begun.
    pub(super) fn end_runs(&mut self) {
        encode(&self.waiting, self.signed, self.output.bytes());
        self.waiting.clear();
    }

    /// The end of the runs so far.
    pub(super) fn end(&self) -> Place {
        self.output.end(Form::Runs)
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> u64 {
        self.output.size() + self.waiting.len() as u64
    }
}

/// An integer whose lowest bit is its sign.
#[inline]
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// A number in groups of seven bits, the lowest first.
#[inline]
pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends the runs of up to [`LONGEST`] integers.
fn encode(values: &[i64], signed: bool, out: &mut Vec<u8>) {
    let (mut start, mut at) = (0, 0);
    while at < values.len() {
        let value = values[at];
        let equal = values[at..].iter().take_while(|other| **other == value).count();
        if equal >= FEWEST {
            different(&values[start..at], signed, out);
            repeated(value, equal, signed, out);
            start = at + equal;
        }
        at += equal;
    }
    different(&values[start..], signed, out);
}

/// A run of equal integers.
fn repeated(value: i64, count: usize, signed: bool, out: &mut Vec<u8>) {
    let written = if signed { zigzag(value) } else { value as u64 };
    if count <= SHORT {
        let bytes = (64 - written.leading_zeros()).div_ceil(8).max(1) as usize;
        out.push(((bytes - 1) << 3 | (count - 3)) as u8);
        out.extend_from_slice(&written.to_be_bytes()[8 - bytes..]);
    } else {
        header(3, 0, count, out);
        varint(written, out);
        out.push(0);
    }
}

/// A run of integers that do not repeat much.
fn different(values: &[i64], signed: bool, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let written = |value: i64| if signed { zigzag(value) } else { value as u64 };
    let all = values.iter().fold(0, |all, value| all | written(*value));
    let width = written_width(64 - all.leading_zeros());
    if let Some(steps) = Steps::of(values) {
        // A width of one bit cannot be said: its code says that all steps are equal.
        let step_width = if steps.are_equal { 0 } else { written_width(steps.bits).max(2) };
        if step_width < width {
            let code = if steps.are_equal { 0 } else { width_code(step_width) };
            header(3, code, values.len(), out);
            varint(written(values[0]), out);
            varint(zigzag(steps.first), out);
            if !steps.are_equal {
                let later = values.windows(2).skip(1).map(|pair| pair[1].abs_diff(pair[0]));
                pack(later, step_width, out);
            }
            return;
        }
    }
    header(1, width_code(width), values.len(), out);
    pack(values.iter().map(|value| written(*value)), width, out);
}

/// How integers rise or fall.
struct Steps {
    first: i64,
    are_equal: bool,
    /// Of the largest step but the first.
    bits: u32,
}

impl Steps {
    /// `None` where integers both rise and fall, where the first two are equal and others are not, or where a step is too large.
    fn of(values: &[i64]) -> Option<Self> {
        let (first, second, rest) = match values {
            [first, second, rest @ ..] => (*first, *second, rest),
            _ => return None,
        };
        let step = second.checked_sub(first)?;
        let (mut all, mut are_equal, mut last) = (0, true, second);
        for value in rest {
            let next = value.checked_sub(last)?;
            are_equal &= next == step;
            if next != 0 && (step == 0 || (next < 0) != (step < 0)) {
                return None;
            }
            all |= next.unsigned_abs();
            last = *value;
        }
        (are_equal || step != 0).then_some(Self { first: step, are_equal, bits: 64 - all.leading_zeros() })
    }
}

/// The two bytes before a run: its kind, a width, its length.
fn header(kind: u8, code: u8, count: usize, out: &mut Vec<u8>) {
    let length = count - 1;
    out.extend([kind << 6 | code << 1 | (length >> 8) as u8, length as u8]);
}

/// Appends integers of a fixed width in bits, the highest bit first.
fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    if width.is_multiple_of(8) {
        let skipped = 8 - (width / 8) as usize;
        for value in values {
            out.extend_from_slice(&value.to_be_bytes()[skipped..]);
        }
        return;
    }
    // No width above 30 has an odd number of bytes.
    let (mut held, mut bits) = (0_u64, 0);
    for value in values {
        held = held << width | value;
        bits += width;
        while bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
        }
    }
    if bits > 0 {
        out.push((held << (8 - bits)) as u8);
    }
}
