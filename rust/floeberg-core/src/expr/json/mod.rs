//! How is a filter written in the REST catalog's JSON?

/// The type of an expression of values, as SQL text: `{"type": "sql", "text": "price * 2 > 10"}`.
///
/// It is Floeberg's own, for plans and operations that go to other processes; the specification has no such filters.
const SQL: &str = "sql";

mod references;
mod functions;
mod read;
mod write;
#[cfg(test)]
mod tests;

pub use read::from_json;
pub use references::name_references;
pub use write::to_json;
