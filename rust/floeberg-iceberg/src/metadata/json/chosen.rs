//! Which element of a list does another key choose?
//!
//! In: a list of parts and the id that a key names. Out: the list and the chosen element.
//! Spec: Table Metadata Fields (`current-schema-id`, `default-spec-id`, `default-sort-order-id`).
//!
//! Invariant: ids occur once, and the chosen element is in the list.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;

use floeberg_core::Result;

use crate::wire::json::JsonPath;

/// A list, and its current element.
pub(super) struct Chosen<T> {
    pub(super) all: Vec<Arc<T>>,
    pub(super) chosen: Arc<T>,
}

impl<T> Chosen<T> {
    /// Errors: `InvalidData` for an id that occurs twice, and for a missing one. A single element needs no id.
    pub(super) fn new(
        all: Vec<Arc<T>>,
        id_of: impl Fn(&T) -> i32,
        named: Option<i32>,
        by_key: &str,
        path: &JsonPath<'_>,
    ) -> Result<Self> {
        check_unique(all.iter().map(|one| id_of(one)), path)?;
        let chosen = match (named, all.as_slice()) {
            (None, [only]) => only,
            (Some(id), _) => choose(&all, id_of, id, by_key, path)?,
            (None, _) => {
                return Err(path.invalid(format_args!("the key {by_key:?}, which chooses one, is missing")));
            }
        };
        Ok(Self { chosen: Arc::clone(chosen), all })
    }
}

/// Checks that ids occur once.
pub(super) fn check_unique<I: Copy + Eq + Hash + Display>(
    ids: impl Iterator<Item = I>,
    path: &JsonPath<'_>,
) -> Result<()> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(path.invalid(format_args!("the id {id} occurs twice")));
        }
    }
    Ok(())
}

/// The element with the id that another key names.
pub(super) fn choose<'a, T, I: Copy + Eq + Display>(
    all: &'a [Arc<T>],
    id_of: impl Fn(&T) -> I,
    id: I,
    by_key: &str,
    path: &JsonPath<'_>,
) -> Result<&'a Arc<T>> {
    all.iter().find(|one| id_of(one) == id).ok_or_else(|| {
        path.invalid(format_args!("expected one with the id {id}, which `{by_key}` names; found none"))
    })
}
