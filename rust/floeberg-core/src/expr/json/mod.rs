//! How is a filter written in the REST catalog's JSON?

mod read;
mod write;
#[cfg(test)]
mod tests;

pub use read::from_json;
pub use write::to_json;
