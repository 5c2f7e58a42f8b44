//! Which versions do commits make, alone and against each other?
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod matrix;
mod commits;
mod meanwhile;
mod conditions;
mod faults;
