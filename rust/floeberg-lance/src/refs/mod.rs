//! How are tags and branches created, moved and removed?
//!
//! In: versions and names. Out: files below `_refs`, and the first version of a branch or of a clone.
//! Spec: Lance, Tags and Branches; `dataset/refs.rs`.
//!
//! Invariant: a name that is taken is not taken over. A branch that others came from, or that a tag names, is not removed.

mod put;
mod tags;
mod clone;
mod branches;

#[cfg(test)]
mod tests;

pub use branches::{create_branch, remove_branch};
pub use clone::shallow_clone;
pub use tags::{create_tag, remove_tag, update_tag};
