//! What of deletes is kept for the tasks that follow?

use super::cache::DeleteCache;
use super::equality::KeyCache;

/// The delete files of one reader that more than one task may need.
#[derive(Debug, Default)]
pub(crate) struct DeleteCaches {
    /// Those by position.
    pub(in crate::read) positions: DeleteCache,
    /// The keys of those by equality.
    pub(in crate::read) keys: KeyCache,
}
