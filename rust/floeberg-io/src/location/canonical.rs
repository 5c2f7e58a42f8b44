//! Do two written locations name the same file?
//!
//! `file:/x`, `file:///x` and `/x` are the same file: writers of one table have used all three.

/// The spelling of a written location that comparisons use. Only the scheme of a local path is changed.
pub fn canonical(location: &str) -> &str {
    let Some(rest) = location.strip_prefix("file:") else { return location };
    match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(authority) => {
            authority.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(location)
        }
        None => rest,
    }
}

#[cfg(test)]
mod tests;
