//! The integration tests of the Rust crates: one binary, one link, every case of the corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod corpus_is_whole;
mod explain;
mod hints;
mod lance;
mod manifests;
mod metadata;
mod metadata_files;
mod openings;
mod plans;
mod recipes;
mod views;
mod written_manifests;
