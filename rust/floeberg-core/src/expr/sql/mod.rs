//! What does a filter written as SQL text mean?

mod lexer;
mod like;
mod cursor;
mod literal;
mod parser;
mod values;
mod value_operand;
mod value_columns;
#[cfg(test)]
mod tests;

pub use lexer::QuotedNames;
pub use parser::parse;
pub use value_columns::value_columns;

pub(super) use values::parse_values;
