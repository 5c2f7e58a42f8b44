//! Which manifests does a snapshot name, and what is in them?

pub(super) mod manifest_bytes;
pub(super) mod manifest_cache;
pub(super) mod reader;
pub(super) mod manifest_stretch;
