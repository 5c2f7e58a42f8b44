//! What are the raw structures of a file?
//!
//! Bytes to structures: protocol buffers, the end of a file, the footer of a stripe. No I/O.

mod message;
mod footer;
mod postscript;
mod stripe_footer;

pub(crate) use footer::{Footer, OrcType, StripeLocation, TypeKind};
pub(crate) use postscript::{Compression, Postscript};
pub(crate) use stripe_footer::{Encoding, StreamKind, StripeFooter};
