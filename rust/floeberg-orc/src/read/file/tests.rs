//! Files that a test writes, and the real ones of the corpus.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;
mod corpus;
mod fixture;
mod hostile;
mod nested;
