#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block_stats;
mod bounds;
pub(crate) mod document;
mod entries;
mod manifests;
mod specs;
mod summary;
mod clustered;
mod untrusted;
mod prune_mask;
mod rows_match;
