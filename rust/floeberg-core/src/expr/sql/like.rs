//! Which LIKE patterns can a table format test?
//!
//! In: a pattern. Out: a string, and whether it is the whole value or a prefix.

/// What a pattern asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Pattern {
    /// The value is this text.
    Exact(String),
    /// The value begins with this text.
    Prefix(String),
}

/// Reads a pattern: `%` at its end is the only wildcard that is served; the escape character makes `%`, `_` and
/// itself literal.
///
/// Errors: what is wrong with the pattern, as a sentence.
pub(super) fn pattern(text: &str, escape: char) -> Result<Pattern, String> {
    let mut literal = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            _ if next == escape => match rest.next() {
                Some(escaped) if escaped == escape || escaped == '%' || escaped == '_' => {
                    literal.push(escaped);
                }
                _ => return Err(format!("in LIKE, {escape} must be followed by %, _ or {escape}")),
            },
            '%' if rest.clone().all(|other| other == '%') => return Ok(Pattern::Prefix(literal)),
            '%' | '_' => {
                return Err(format!(
                    "LIKE {text:?} is not supported: only a % at the end, as in 'x%' (write \\{next} for the character)"
                ));
            }
            _ => literal.push(next),
        }
    }
    Ok(Pattern::Exact(literal))
}

/// The pattern of the texts that begin with a prefix, with `\\` as the escape character.
pub(in crate::expr) fn escaped_prefix(prefix: &str) -> String {
    let mut pattern = String::with_capacity(prefix.len() + 1);
    for character in prefix.chars() {
        if matches!(character, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
