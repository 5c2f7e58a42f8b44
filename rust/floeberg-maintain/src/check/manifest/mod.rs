//! What is wrong with manifest lists and manifests?
//!
//! In: their bytes, and what their list and the table say of them. Out: findings, and a digest of each manifest.
//! Spec: Manifests; Manifest Lists.
//!
//! A module uses only modules that are declared before it.
//!
//! - `list`: the rows of a manifest list.
//! - `header`: what a manifest says of itself.
//! - `stored`: the entries of a manifest, as they are stored.
//! - `entry`: status, snapshots and sequence numbers.
//! - `file`: what entries say of files.
//! - `metrics`: counts and bounds of columns.
//! - `summaries`: partition values against the summaries of the list.
//! - `digest`: what the snapshots need of a manifest.
//! - `one`: a whole manifest.
//! - `across`: all manifests of snapshots together.

mod list;
mod header;
mod stored;
mod entry;
mod file;
mod metrics;
mod summaries;
mod digest;
mod one;
mod across;

pub(super) use across::Across;
pub(super) use digest::{Digest, key_of};
pub(super) use list::check_list;
pub(super) use one::{CheckedManifest, check_manifest};
pub(super) use stored::{DATA, EQUALITY, POSITIONS, Stored, number, number32};
