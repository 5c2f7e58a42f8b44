//! Which manifests does a snapshot name, and what is in them?

pub(super) mod manifest_bytes;
pub(super) mod manifest_list;
pub(super) mod manifest_stretch;
pub(super) mod kept_deletes;
pub(super) mod manifest_cache;
