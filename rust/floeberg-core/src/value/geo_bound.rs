//! Which point do the bytes of a geometry bound mean?
//!
//! In: the bytes of a lower or upper bound. Out: the corner of a box that holds all of them.
//! Spec: Bounds for Geometry and Geography; Appendix D, Bound serialization.
//!
//! ```text
//! x f64, y f64                          neither z nor m
//! x f64, y f64, z f64                   no m
//! x f64, y f64, z f64 or NaN, m f64     all little-endian
//! ```
//!
//! Invariant: a bound is shown and never compared: the lower x of a geography may be above the upper one, if the box crosses the
//! antimeridian.

use std::fmt;

use crate::error::{Error, Result};

/// A corner of a bounding box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeoBound {
    /// East.
    pub x: f64,
    /// North.
    pub y: f64,
    /// Up, if the box has heights.
    pub z: Option<f64>,
    /// The measure, if the box has any.
    pub m: Option<f64>,
}

impl GeoBound {
    /// The corner of its bytes.
    ///
    /// Errors: `InvalidData` for another length than 16, 24 or 32 bytes, and for a corner without x or y, which no box has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let number = |position: usize| {
            let number = numbers.get(position).map(|bytes| f64::from_le_bytes(*bytes));
            number.filter(|number| !number.is_nan())
        };
        match (number(0), number(1)) {
            (Some(x), Some(y)) if rest.is_empty() && numbers.len() <= 4 => {
                Ok(Self { x, y, z: number(2), m: number(3) })
            }
            _ => Err(Error::invalid_data(format!(
                "expected x and y, and then z and m, of 8 bytes each for a bound of geometries, found {} bytes",
                bytes.len()
            ))),
        }
    }

    /// The point in well-known binary, as the values of a column of geometries are: `01`, then 1, 1001, 2001 or 3001 for
    /// neither z nor m, z, m and both, then the numbers; all little-endian.
    pub fn to_wkb(&self) -> Vec<u8> {
        let kind = 1 + 1000 * u32::from(self.z.is_some()) + 2000 * u32::from(self.m.is_some());
        let mut wkb = vec![1];
        wkb.extend(kind.to_le_bytes());
        for number in [Some(self.x), Some(self.y), self.z, self.m].into_iter().flatten() {
            wkb.extend(number.to_le_bytes());
        }
        wkb
    }
}

/// As well-known text, which Appendix D has for such values in JSON: `POINT (30 10)`.
impl fmt::Display for GeoBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { x, y, .. } = self;
        match (self.z, self.m) {
            (None, None) => write!(f, "POINT ({x} {y})"),
            (Some(z), None) => write!(f, "POINT Z ({x} {y} {z})"),
            (None, Some(m)) => write!(f, "POINT M ({x} {y} {m})"),
            (Some(z), Some(m)) => write!(f, "POINT ZM ({x} {y} {z} {m})"),
        }
    }
}
