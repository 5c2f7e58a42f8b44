#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block_stats;
mod bounds;
mod chunk;
mod delete_index;
mod deletes;
mod document;
mod encrypted;
mod entries;
mod incremental;
mod intervals;
mod kept_deletes;
mod key_stats;
mod manifest_cache;
mod manifests;
mod one_manifest;
pub(crate) mod promotion;
mod promotion_property;
mod specs;
mod stretches;
mod summary;
mod table_of_deletes;
mod verbose;
mod verdicts;
