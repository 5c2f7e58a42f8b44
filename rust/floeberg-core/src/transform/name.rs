//! How is a transform written?
//!
//! Spec: Appendix C, Partition Specs.
//!
//! Invariant: an unknown name is kept as written.

use std::fmt;
use std::str::FromStr;

use super::Transform;
use crate::error::{Error, Result};

/// Known names are read in either case.
///
/// Errors: `InvalidData` for a number of buckets or a width that is not 1 to 2147483647.
impl FromStr for Transform {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_ascii_lowercase();
        Ok(match name.as_str() {
            "identity" => Self::Identity,
            "year" => Self::Year,
            "month" => Self::Month,
            "day" => Self::Day,
            "hour" => Self::Hour,
            "void" => Self::Void,
            name => {
                if let Some(number) = parameter(name, "bucket") {
                    Self::Bucket(positive(number)?)
                } else if let Some(width) = parameter(name, "truncate") {
                    Self::Truncate(positive(width)?)
                } else {
                    Self::Unknown(text.to_owned())
                }
            }
        })
    }
}

/// The digits of `name[digits]`.
fn parameter<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let digits = text.strip_prefix(name)?.trim_start().strip_prefix('[')?.strip_suffix(']')?.trim();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(digits)
}

fn positive(digits: &str) -> Result<u32> {
    match digits.parse::<i32>() {
        Ok(number) if number >= 1 => Ok(number as u32),
        _ => Err(Error::invalid_data(format!(
            "expected 1 to {} as the parameter of a transform, found {digits}",
            i32::MAX
        ))),
    }
}

/// `bucket[16]`, `day`; an unknown transform as it was written.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Bucket(number) => write!(f, "bucket[{number}]"),
            Self::Truncate(width) => write!(f, "truncate[{width}]"),
            Self::Year => f.write_str("year"),
            Self::Month => f.write_str("month"),
            Self::Day => f.write_str("day"),
            Self::Hour => f.write_str("hour"),
            Self::Void => f.write_str("void"),
            Self::Unknown(written) => f.write_str(written),
        }
    }
}
