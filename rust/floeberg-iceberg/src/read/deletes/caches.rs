//! Which deletes are kept for later tasks?

use super::cache::DeleteCache;
use super::equality::KeyCache;

/// The delete files of one reader that more than one task may need.
#[derive(Debug, Default)]
pub(crate) struct DeleteCaches {
    /// Position deletes.
    pub(in crate::read) positions: DeleteCache,
    /// The keys of equality deletes.
    pub(in crate::read) keys: KeyCache,
}
