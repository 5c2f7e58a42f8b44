//! How is a filter written in the REST catalog's JSON?

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::from_json;
pub use write::to_json;
