//! Integers of a fixed width in bits, the highest bit first.
//!
//! Spec: ORC v1, Integer Run Length Encoding, version 2.

use floeberg_core::Result;

use crate::read::stream::ByteStream;

/// The width that a code of five bits says.
pub(super) fn width(code: u8) -> u32 {
    match code {
        0..=23 => u32::from(code) + 1,
        24 => 26,
        25 => 28,
        26 => 30,
        27 => 32,
        28 => 40,
        29 => 48,
        30 => 56,
        _ => 64,
    }
}

/// The width in which integers of this many bits are written.
pub(crate) fn written_width(bits: u32) -> u32 {
    match bits {
        0 => 1,
        1..=24 => bits,
        25..=26 => 26,
        27..=28 => 28,
        29..=30 => 30,
        31..=32 => 32,
        33..=40 => 40,
        41..=48 => 48,
        49..=56 => 56,
        _ => 64,
    }
}

/// The code of five bits that says a width.
pub(crate) fn width_code(width: u32) -> u8 {
    match width {
        0..=24 => width.max(1) as u8 - 1,
        25..=26 => 24,
        27..=28 => 25,
        29..=30 => 26,
        31..=32 => 27,
        33..=40 => 28,
        41..=48 => 29,
        49..=56 => 30,
        _ => 31,
    }
}

/// Appends `count` integers of `width` bits, up to 64 each.
pub(super) fn unpack(
    stream: &mut ByteStream,
    width: u32,
    count: usize,
    scratch: &mut Vec<u8>,
    out: &mut Vec<u64>,
) -> Result<()> {
    scratch.clear();
    stream.append((width as usize * count).div_ceil(8), scratch)?;
    let mut bytes = scratch.iter().copied();
    let (mut held, mut bits) = (0_u128, 0);
    let mask = u64::MAX >> (64 - width);
    for _ in 0..count {
        while bits < width {
            held = held << 8 | u128::from(bytes.next().unwrap_or(0));
            bits += 8;
        }
        bits -= width;
        out.push((held >> bits) as u64 & mask);
    }
    Ok(())
}
