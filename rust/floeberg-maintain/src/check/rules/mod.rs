//! Which rules are checked?
//!
//! One static of each rule, in a file for each subject, and a list of all. The guide's list of rules is made from it.
//!
//! A module uses only modules that are declared before it.
//!
//! Invariant: names are unique.

pub(super) mod documents;
pub(super) mod schemas;
pub(super) mod snapshots;
pub(super) mod views;
pub(super) mod manifests;
pub(super) mod entries;
pub(super) mod files;
pub(super) mod rows;

use floeberg_core::finding::Rule;

/// All rules of Iceberg tables and views, by level and subject.
pub fn iceberg_rules() -> impl Iterator<Item = &'static Rule> {
    let all = [
        documents::ALL,
        schemas::ALL,
        snapshots::ALL,
        views::ALL,
        manifests::ALL,
        entries::ALL,
        files::ALL,
        rows::ALL,
    ];
    all.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::iceberg_rules;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let mut seen = HashSet::new();
        for rule in iceberg_rules() {
            assert!(seen.insert(rule.id), "{} is there twice", rule.id);
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            );
            assert!(rule.says.ends_with('.') && !rule.section.is_empty(), "{}", rule.id);
        }
    }
}
