//! Finding a table's current metadata file, and reading it.

mod folder;
mod name;
mod table;

pub use table::open_metadata;

#[cfg(test)]
mod tests;
