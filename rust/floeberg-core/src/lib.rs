//! The rules that both table formats share: types, values, expressions, pruning and row masks.
//!
//! Plain functions over bytes and values: no I/O, no runtime, no Python.

pub mod error;
pub mod cancel;
mod fence;
pub mod rows;
pub mod value;
pub mod schema;
pub mod transform;
pub mod expr;
pub mod form;
pub mod variant;

pub use cancel::Cancel;
pub use error::{Context, Error, ErrorKind, Result};
pub use fence::{fenced, panic_text};
