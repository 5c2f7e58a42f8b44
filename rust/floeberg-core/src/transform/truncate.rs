//! How is a value truncated to a width?
//!
//! Spec: Truncate Transform Details.
//!
//! Invariant: numbers go down to a multiple of the width (-1 to -10 for 10); near the smallest integer, where that
//! multiple does not exist, they wrap as the reference implementation does. Strings are cut by code points.

/// An int.
#[inline]
pub fn truncate_int(value: i32, width: u32) -> i32 {
    let wide = i64::from(value);
    (wide - wide.rem_euclid(i64::from(width.max(1)))) as i32
}

/// A long.
#[inline]
pub fn truncate_long(value: i64, width: u32) -> i64 {
    value.wrapping_sub(value.rem_euclid(i64::from(width.max(1))))
}

/// A decimal's unscaled value; the width has its scale.
#[inline]
pub fn truncate_decimal(unscaled: i128, width: u32) -> i128 {
    unscaled.wrapping_sub(unscaled.rem_euclid(i128::from(width.max(1))))
}

/// The first code points of a string.
#[inline]
pub fn truncate_string(text: &str, length: u32) -> &str {
    // A code point has at least one byte.
    if text.len() <= length as usize {
        return text;
    }
    match text.char_indices().nth(length as usize) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The first bytes of binary.
#[inline]
pub fn truncate_binary(bytes: &[u8], length: u32) -> &[u8] {
    &bytes[..bytes.len().min(length as usize)]
}
