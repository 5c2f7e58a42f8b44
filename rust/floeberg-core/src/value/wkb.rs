//! Are these bytes a geometry?
//!
//! In: bytes. Out: nothing, or what is wrong with them.
//! Spec: Appendix G: ISO WKB of XY, XYZ, XYM and XYZM; Parquet `Geospatial.md`, Geospatial Types (the seven types).
//!
//! Invariant: counts are checked against the remaining bytes before they are used, the nesting of collections is limited, and no
//! byte is left over.

/// How deep collections may nest.
const DEEPEST: usize = 32;

const POINT: u32 = 1;
const LINE_STRING: u32 = 2;
const POLYGON: u32 = 3;
const MULTI_POINT: u32 = 4;
const MULTI_LINE_STRING: u32 = 5;
const MULTI_POLYGON: u32 = 6;
const COLLECTION: u32 = 7;

/// What the dimensions are: none more than two, Z, M, Z and M, in thousands of a type's code.
const COORDINATES: [usize; 4] = [2, 3, 3, 4];

/// Errors: what is wrong.
pub fn check_wkb(bytes: &[u8]) -> Result<(), String> {
    let mut left = bytes;
    geometry(&mut left, None, DEEPEST)?;
    if left.is_empty() {
        return Ok(());
    }
    Err(format!("it ends after {} of its {} bytes", bytes.len() - left.len(), bytes.len()))
}

/// Reads one geometry, of the type that its parent requires, if any, and of the parent's dimensions.
fn geometry(left: &mut &[u8], wanted: Option<(Option<u32>, u32)>, depth: usize) -> Result<(), String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("its collections nest deeper than {DEEPEST}"));
    };
    let is_little = match take(left, 1)?[0] {
        0 => false,
        1 => true,
        other => return Err(format!("expected 0 or 1 as its byte order, found {other}")),
    };
    let code = unsigned(left, is_little)?;
    if code & 0xe000_0000 != 0 {
        return Err("it is EWKB, which the specification does not allow: write it as ISO WKB".to_owned());
    }
    let (kind, dimensions) = (code % 1000, code / 1000);
    let Some(coordinates) = COORDINATES.get(dimensions as usize) else {
        return Err(format!("it is of the unknown type {code}"));
    };
    if let Some((of_kind, of_dimensions)) = wanted
        && (of_kind.is_some_and(|of_kind| of_kind != kind) || of_dimensions != dimensions)
    {
        return Err(format!("a part of it has the type {code}, which its collection does not allow"));
    }
    let point = coordinates * 8;
    match kind {
        POINT => take(left, point).map(drop),
        LINE_STRING => points(left, is_little, point),
        POLYGON => (0..count(left, is_little, 4)?).try_for_each(|_| points(left, is_little, point)),
        MULTI_POINT | MULTI_LINE_STRING | MULTI_POLYGON | COLLECTION => {
            let part = (kind != COLLECTION).then(|| kind - MULTI_POINT + POINT);
            // A part has a byte order, a type, and a count or a point at the least.
            let parts = count(left, is_little, 9)?;
            (0..parts).try_for_each(|_| geometry(left, Some((part, dimensions)), depth))
        }
        _ => Err(format!("it is of the unknown type {code}")),
    }
}

fn points(left: &mut &[u8], is_little: bool, point: usize) -> Result<(), String> {
    let points = count(left, is_little, point)?;
    take(left, points * point).map(drop)
}

/// A count of things, each of which takes at least this many bytes.
fn count(left: &mut &[u8], is_little: bool, least: usize) -> Result<usize, String> {
    let count = unsigned(left, is_little)? as usize;
    if count > left.len() / least {
        return Err(format!("it is too short for the {count} parts that it claims"));
    }
    Ok(count)
}

fn unsigned(left: &mut &[u8], is_little: bool) -> Result<u32, String> {
    let bytes = take(left, 4)?;
    let number = |from: fn([u8; 4]) -> u32| bytes.try_into().map(from).map_err(|_| cut_off());
    number(if is_little { u32::from_le_bytes } else { u32::from_be_bytes })
}

fn take<'a>(left: &mut &'a [u8], length: usize) -> Result<&'a [u8], String> {
    let (taken, rest) = left.split_at_checked(length).ok_or_else(cut_off)?;
    *left = rest;
    Ok(taken)
}

fn cut_off() -> String {
    "it is cut off".to_owned()
}
