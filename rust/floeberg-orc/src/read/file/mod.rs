//! What stripes does a file have, and what are their rows?
//!
//! `tail` reads the end of a file, `open` its columns, `stripe` the batches of one stripe.

mod stripe;
mod tail;
mod open;

pub use open::{OrcFile, Stripe};
pub use stripe::StripeReader;

#[cfg(test)]
mod tests;
