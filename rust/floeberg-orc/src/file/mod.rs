//! A file, open, and the rows of its stripes.

mod stripe;
mod tail;
mod open;

pub use open::{OrcFile, Stripe};
pub use stripe::StripeReader;

#[cfg(test)]
mod tests;
