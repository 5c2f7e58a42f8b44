//! Which rules are Lance tables checked by?
//!
//! One static of each rule, in a file for each subject, and a list of all. The guide's list of rules is made from it.
//!
//! A module uses only modules that are declared before it.
//!
//! Invariant: names are unique, and none is that of a rule of Iceberg tables.

pub(super) mod versions;
pub(super) mod fragments;
pub(super) mod files;

use floeberg_core::finding::Rule;

/// All rules of Lance tables, by level and subject.
pub fn lance_rules() -> impl Iterator<Item = &'static Rule> {
    [versions::ALL, fragments::ALL, files::ALL].into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::lance_rules;

    #[test]
    fn names_are_unique_and_begin_with_the_format() {
        let mut seen = HashSet::new();
        for rule in lance_rules() {
            assert!(seen.insert(rule.id), "{} is there twice", rule.id);
            assert!(rule.id.starts_with("lance-") && rule.section.starts_with("Lance: "), "{}", rule.id);
            assert!(rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", rule.id);
            assert!(rule.says.ends_with('.'), "{}", rule.id);
        }
    }
}
