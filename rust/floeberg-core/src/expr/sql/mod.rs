//! What does a filter written as SQL text mean?

mod lexer;
mod like;
mod cursor;
mod literal;
mod parser;
#[cfg(test)]
mod tests;

pub use lexer::QuotedNames;
pub use parser::parse;

pub(super) use parser::is_plain_name;
