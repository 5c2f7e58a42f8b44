//! How is a term written?

use std::fmt;

use super::names::is_plain_name;
use crate::transform::Transform;

/// Writes `a.b`, `"a b"` or `bucket(16, a)`.
pub(super) fn write_term(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    transform: Option<&Transform>,
) -> fmt::Result {
    match transform {
        None => write_name(f, name),
        Some(transform) => {
            match transform {
                Transform::Identity => f.write_str("identity(")?,
                Transform::Bucket(count) => write!(f, "bucket({count}, ")?,
                Transform::Truncate(width) => write!(f, "truncate({width}, ")?,
                Transform::Year => f.write_str("year(")?,
                Transform::Month => f.write_str("month(")?,
                Transform::Day => f.write_str("day(")?,
                Transform::Hour => f.write_str("hour(")?,
                Transform::Void => f.write_str("void(")?,
                Transform::Unknown(written) => write!(f, "{written}(")?,
            }
            write_name(f, name)?;
            f.write_str(")")
        }
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if name.split('.').all(is_plain_name) { f.write_str(name) } else { f.write_str(&quoted(name)) }
}

/// A name in double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes.
pub(super) fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
