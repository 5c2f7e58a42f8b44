//! Where is a file of a moved table now?
//!
//! In: pairs of prefixes, and a location as written. Out: the location to open.
//! Spec: Paths in Metadata (all are absolute up to v3, so a table that was moved names locations that no longer exist).
//!
//! Invariant: a location without a matching prefix stays exactly as written. Nothing is percent-decoded or normalised, except
//! that `file:/x`, `file:///x` and `/x` are the same local [`place`].

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use floeberg_core::{Error, Result};

use crate::location::canonical;

/// A map from written prefixes to their current locations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relocation {
    /// Plain prefix without a slash at its end, and target; the longest prefix first.
    pairs: Vec<(String, String)>,
}

impl Relocation {
    /// A map of pairs `(written prefix, where it is now)`. A prefix fits whole path segments, the longest one wins, and
    /// a slash at the end of either does not count.
    ///
    /// Errors: `InvalidInput` for an empty prefix or target, and for one prefix with two targets.
    pub fn new(pairs: &[(String, String)]) -> Result<Self> {
        let mut plain: Vec<(String, String)> = Vec::with_capacity(pairs.len());
        for (written, target) in pairs {
            if written.is_empty() || target.is_empty() {
                return Err(Error::invalid_input(format!(
                    "relocate maps prefixes to locations, and neither may be empty: {written:?} -> {target:?}"
                )));
            }
            let prefix = without_slash(canonical(written)).to_owned();
            match plain.iter().find(|(known, _)| *known == prefix) {
                Some((_, known)) if known == target => {}
                Some((_, known)) => {
                    return Err(Error::invalid_input(format!(
                        "relocate maps the prefix {written:?} to two locations: {known:?} and {target:?}"
                    )));
                }
                None => plain.push((prefix, target.clone())),
            }
        }
        plain.sort_by_key(|(prefix, _)| Reverse(prefix.len()));
        Ok(Self { pairs: plain })
    }

    /// The current location of a written one: the target as given, then the rest after the prefix.
    pub fn apply(&self, written: &str) -> String {
        let plain = canonical(written);
        let found = self.pairs.iter().find_map(|(prefix, target)| {
            let rest = plain.strip_prefix(prefix.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then_some((target, rest))
        });
        match found {
            Some((target, "")) => target.clone(),
            Some((target, rest)) => format!("{}{rest}", without_slash(target)),
            None => written.to_owned(),
        }
    }

    /// The written location of a current one: the one that it is the current location of. The longest target that fits wins, and without
    /// one the location stays.
    pub fn written(&self, current: &str) -> String {
        let plain = canonical(current);
        let fits = self.pairs.iter().filter_map(|(prefix, target)| {
            let target = without_slash(canonical(target));
            let rest = plain.strip_prefix(target)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| (target.len(), format!("{prefix}{rest}")))
        });
        // A longer prefix may have another target, and then it was not this one.
        let is_back = |written: &str| without_slash(canonical(&self.apply(written))) == without_slash(plain);
        let fits = fits.filter(|(_, written)| is_back(written));
        fits.max_by_key(|(length, _)| *length).map_or_else(|| current.to_owned(), |(_, written)| written)
    }

    /// Does it change nothing?
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// Without one slash at the end; the root `/` gives the empty prefix of all absolute paths.
fn without_slash(location: &str) -> &str {
    location.strip_suffix('/').unwrap_or(location)
}
