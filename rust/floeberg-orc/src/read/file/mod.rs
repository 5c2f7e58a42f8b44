//! What stripes does a file have, and what are their rows?
//!
//! `tail` reads the end of a file, `open` its columns, `index` and `groups` the row groups of a stripe, `stripe` the batches of one.

mod stripe;
mod tail;
mod index;
mod open;
mod groups;

pub use index::{GroupRange, StripeIndex};
pub use open::{OrcFile, Stripe};
pub use stripe::StripeReader;

#[cfg(test)]
mod tests;
