//! What are the raw structures of a file?
//!
//! Bytes to structures: the end of a file, and the footer of a stripe. A message is a table of its fields. No I/O.

mod footer;
mod postscript;
mod stripe_footer;

pub(crate) use footer::{Footer, OrcType, StripeLocation, TypeKind, UserMetadata};
pub(crate) use postscript::{Compression, Postscript};
pub(crate) use stripe_footer::{Encoding, StreamKind, StripeFooter};
