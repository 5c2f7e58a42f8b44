//! Which commit did this work before?
//!
//! In: a key that a user gave to work, and a table. Out: the snapshot that did it.
//! Spec: Appendix F, Optional Snapshot Summary Fields (engines add theirs).
//!
//! Invariant: work is operations on a branch. A commit that is not in the branch (any more) does not count. A branch that is not
//! there is looked through as what it would start from, so that work which was published before its branch was removed is found.
//! A branch that is renamed keeps its keys, and a snapshot that repeats another one has the key of that one too.

use std::collections::HashSet;

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};

use super::renamed_branches::earlier_names;

/// The property of a snapshot summary that says which commit made it.
pub const COMMIT_KEY: &str = "floeberg.commit-key";
/// The one that says on which branch.
const COMMIT_BRANCH: &str = "floeberg.commit-branch";
/// The one that says by which operations.
const COMMIT_OPERATION: &str = "floeberg.commit-operation";
/// In the summary of a snapshot that repeats the changes of another one: the key of that one.
const PUBLISHED_KEY: &str = "floeberg.published-commit-key";
/// Its branch.
const PUBLISHED_BRANCH: &str = "floeberg.published-commit-branch";
/// Its operations.
const PUBLISHED_OPERATION: &str = "floeberg.published-commit-operation";
/// In a summary: the snapshot whose changes a snapshot repeats.
pub(crate) const SOURCE_SNAPSHOT_ID: &str = "source-snapshot-id";

/// The key of work: operations on a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitKey {
    key: String,
    branch: String,
    /// The names of operations that change rows, in order; `None` is any.
    operation: Option<String>,
}

impl CommitKey {
    /// Operations on a branch, by name: those that change rows, in order.
    pub fn new<'a>(key: &str, branch: &str, operations: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = operations.into_iter().collect();
        Self { operation: Some(names.join(", ")), ..Self::begun(key, branch) }
    }

    /// Work on a branch whose operations are not known yet.
    pub fn begun(key: &str, branch: &str) -> Self {
        Self { key: key.to_owned(), branch: branch.to_owned(), operation: None }
    }

    /// Its properties in a snapshot summary.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (String, String)> {
        let operation = self.operation.clone().map(|operation| (COMMIT_OPERATION, operation));
        let named = [(COMMIT_KEY, self.key.clone()), (COMMIT_BRANCH, self.branch.clone())];
        named.into_iter().chain(operation).map(|(name, value)| (name.to_owned(), value))
    }

    /// The snapshot that did the work, among the branch and its ancestors: the last of several, or `None`. A summary with only a key
    /// matches any branch and operation.
    ///
    /// Errors: `InvalidInput` if the key was used for other operations on the branch.
    pub fn find(&self, metadata: &TableMetadata) -> Result<Option<i64>> {
        let Some(head) = metadata.branch_head(&self.branch) else { return Ok(None) };
        // Most keys are new, and ancestors take longer to find.
        let has_key = |snapshot: &Snapshot| {
            [COMMIT_KEY, PUBLISHED_KEY].iter().any(|name| snapshot.summary.get(name) == Some(&self.key))
        };
        if !metadata.snapshots.iter().any(|snapshot| has_key(snapshot)) {
            return Ok(None);
        }
        let names = earlier_names(metadata, &self.branch);
        let found = metadata.ancestors_of(head).into_iter().find_map(|snapshot| {
            let is_here = |work: &Work| match &work.branch {
                Some(branch) if *branch != self.branch => {
                    names.iter().any(|named| named.had(branch, work.snapshot_id))
                }
                _ => true,
            };
            let mut works = works_of(metadata, &snapshot).into_iter().filter(|work| work.key == self.key);
            let work = works.find(is_here)?;
            Some((snapshot.snapshot_id, work))
        });
        let Some((snapshot_id, work)) = found else { return Ok(None) };
        match (work.operation, &self.operation) {
            (Some(done), Some(wanted)) if done != *wanted => Err(Error::invalid_input(format!(
                "the idempotency key {:?} was used for another operation: expected {}, found {done}. Use a new key \
                 for each commit",
                self.key,
                if wanted.is_empty() { "no operation on rows" } else { wanted.as_str() },
            ))
            .with("branch", &self.branch)
            .with("snapshot", snapshot_id)),
            _ => Ok(Some(snapshot_id)),
        }
    }
}

/// Work that a snapshot did.
#[derive(Debug)]
struct Work {
    key: String,
    branch: Option<String>,
    operation: Option<String>,
    /// The snapshot that did it first.
    snapshot_id: i64,
}

/// The work that a snapshot did itself, and that it repeats.
fn works_of(metadata: &TableMetadata, snapshot: &Snapshot) -> Vec<Work> {
    let mut works: Vec<Work> = own_work(snapshot).into_iter().collect();
    let says = |name| snapshot.summary.get(name).cloned();
    let source = source_of(snapshot);
    if let Some(key) = says(PUBLISHED_KEY) {
        let first = first_source(metadata, snapshot).map(|first| first.snapshot_id);
        let snapshot_id = first.or(source).unwrap_or(snapshot.snapshot_id);
        works.push(Work {
            key,
            branch: says(PUBLISHED_BRANCH),
            operation: says(PUBLISHED_OPERATION),
            snapshot_id,
        });
    } else if source.is_some() {
        // Other writers do not repeat the key.
        works.extend(first_source(metadata, snapshot).and_then(own_work));
    }
    works
}

/// The work that a snapshot itself did.
fn own_work(snapshot: &Snapshot) -> Option<Work> {
    let says = |name| snapshot.summary.get(name).cloned();
    Some(Work {
        key: says(COMMIT_KEY)?,
        branch: says(COMMIT_BRANCH),
        operation: says(COMMIT_OPERATION),
        snapshot_id: snapshot.snapshot_id,
    })
}

/// What the summary of a snapshot that repeats another one says of its work.
pub(crate) fn published_work(metadata: &TableMetadata, picked: &Snapshot) -> Vec<(String, String)> {
    // A snapshot that repeats another one is not the first that did it.
    let works = works_of(metadata, picked);
    let work =
        if source_of(picked).is_some() { works.into_iter().next_back() } else { works.into_iter().next() };
    let Some(work) = work else { return Vec::new() };
    let rest = [(PUBLISHED_BRANCH, work.branch), (PUBLISHED_OPERATION, work.operation)];
    let rest = rest.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    std::iter::once((PUBLISHED_KEY.to_owned(), work.key)).chain(rest).collect()
}

/// The snapshot whose changes a snapshot repeats.
fn source_of(snapshot: &Snapshot) -> Option<i64> {
    snapshot.summary.get(SOURCE_SNAPSHOT_ID).and_then(|id| id.parse().ok())
}

/// The first of a chain of snapshots that repeat each other, as far as they are there; `None` where a snapshot repeats none.
pub fn first_source<'a>(metadata: &'a TableMetadata, snapshot: &'a Snapshot) -> Option<&'a Snapshot> {
    let mut seen = HashSet::from([snapshot.snapshot_id]);
    let mut first = snapshot;
    while let Some(source) = source_of(first).filter(|id| seen.insert(*id)) {
        match metadata.snapshot(source) {
            Ok(known) => first = known,
            Err(_) => break,
        }
    }
    (first.snapshot_id != snapshot.snapshot_id).then_some(first)
}
