//! A file, open, and the rows of its stripes.

mod open;
mod stripe;
mod tail;

pub use open::{OrcFile, Stripe};
pub use stripe::StripeReader;

#[cfg(test)]
mod tests;
