//! How are ORC files written?
//!
//! Stripe by stripe, each column on one thread. The format itself is in `floeberg-orc`.

mod options;
mod metrics;
mod layout;
mod writer;
mod file_layout;

pub(crate) use file_layout::layout;
pub(crate) use options::check_orc_properties;
