//! What does a filter written as SQL text mean?

mod lexer;
mod like;
mod number;
mod literal;
mod parser;
#[cfg(test)]
mod tests;

pub use parser::parse;

pub(super) use number::parse_number;
pub(super) use parser::is_plain_name;
