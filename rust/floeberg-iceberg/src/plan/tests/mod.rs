#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;
mod delete_index;
mod deletes;
mod encrypted;
mod incremental;
mod intervals;
mod kept_deletes;
mod key_stats;
mod manifest_cache;
mod one_manifest;
pub(crate) mod promotion;
mod promotion_property;
mod block_ranges;
mod parts;
mod table_of_deletes;
mod verbose;
