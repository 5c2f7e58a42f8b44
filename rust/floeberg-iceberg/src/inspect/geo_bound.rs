//! Which point does the bound of a geometry or geography name?
//!
//! In: the bytes of a bound. Out: a point in WKB, as the column's own values are.
//! Spec: Bound Serialization of geospatial types (Appendix D, Binary single-value serialization).
//!
//! ```text
//! bound   x y [z [m]]: doubles, little-endian; z is NaN where there is an m and no z
//! WKB     01 | kind: u32 LE (1 xy, 1001 xyz, 2001 xym, 3001 xyzm) | x y [z] [m]
//! ```

/// The point of a bound; `None` for another number of bytes.
pub(super) fn point(bound: &[u8]) -> Option<Vec<u8>> {
    let (kind, coordinates): (u32, Vec<&[u8]>) = match bound.len() {
        16 => (1, vec![bound]),
        24 => (1001, vec![bound]),
        32 => {
            let z = f64::from_le_bytes(bound[16..24].try_into().ok()?);
            if z.is_nan() { (2001, vec![&bound[..16], &bound[24..]]) } else { (3001, vec![bound]) }
        }
        _ => return None,
    };
    let mut wkb = vec![1];
    wkb.extend(kind.to_le_bytes());
    for part in coordinates {
        wkb.extend_from_slice(part);
    }
    Some(wkb)
}
