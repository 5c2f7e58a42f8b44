//! How do operations become changes of a view?
//!
//! A view has no files but its metadata. So an attempt on a base is the updates, and the metadata after them.
//!
//! - `update`: what a commit can change in a view.
//! - `requirement`: what must still hold when it is applied.
//! - `builder`: updates to the metadata of a view.
//! - `operation`: operations on a view, without a base.
//! - `attempt`: the result on one base.

mod update;
mod requirement;
mod builder;
mod operation;
mod attempt;

pub use attempt::ViewAttempt;
pub use builder::apply_to_view;
pub use operation::{NewVersion, NewView, ViewOperation};
pub use requirement::ViewRequirement;
pub use update::ViewUpdate;

#[cfg(test)]
mod tests;
