//! Which commit did this work before?
//!
//! In: a key that a user gave to work, and a table. Out: the snapshot that did it.
//! Spec: Appendix F, Optional Snapshot Summary Fields (engines add theirs).
//!
//! Invariant: work is operations on a branch. A commit that is not in the branch (any more) does not count.

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};

/// The property of a snapshot summary that says which commit made it.
pub const COMMIT_KEY: &str = "floeberg.commit-key";
/// The one that says on which branch.
const COMMIT_BRANCH: &str = "floeberg.commit-branch";
/// The one that says by which operations.
const COMMIT_OPERATION: &str = "floeberg.commit-operation";

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
    pub(super) fn properties(&self) -> impl Iterator<Item = (String, String)> {
        let operation = self.operation.clone().map(|operation| (COMMIT_OPERATION, operation));
        let named = [(COMMIT_KEY, self.key.clone()), (COMMIT_BRANCH, self.branch.clone())];
        named.into_iter().chain(operation).map(|(name, value)| (name.to_owned(), value))
    }

    /// The snapshot that did the work, among the branch and its ancestors: the last of several, or `None`. A summary with only a key
    /// matches any branch and operation.
    ///
    /// Errors: `InvalidInput` if the key was used for other operations on the branch.
    pub fn find(&self, metadata: &TableMetadata) -> Result<Option<i64>> {
        let Some(head) = metadata.refs.get(&self.branch) else { return Ok(None) };
        let is_it = |snapshot: &Snapshot| {
            let says = |name| snapshot.summary.get(name);
            says(COMMIT_KEY) == Some(&self.key)
                && says(COMMIT_BRANCH).is_none_or(|branch| *branch == self.branch)
        };
        // Most keys are new, and ancestors take longer to find.
        if !metadata.snapshots.iter().any(|snapshot| is_it(snapshot)) {
            return Ok(None);
        }
        let found = metadata.ancestors_of(head.snapshot_id).into_iter().find(|snapshot| is_it(snapshot));
        let Some(snapshot) = found else { return Ok(None) };
        match (snapshot.summary.get(COMMIT_OPERATION), &self.operation) {
            (Some(done), Some(wanted)) if done != wanted => Err(Error::invalid_input(format!(
                "the idempotency key {:?} was used for another operation: expected {}, found {done}. Use a new key \
                 for each commit",
                self.key,
                if wanted.is_empty() { "no operation on rows" } else { wanted.as_str() },
            ))
            .with("branch", &self.branch)
            .with("snapshot", snapshot.snapshot_id)),
            _ => Ok(Some(snapshot.snapshot_id)),
        }
    }
}
