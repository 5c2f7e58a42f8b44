//! What does a filter written as SQL text mean?

mod lexer;
mod like;
mod cursor;
mod literal;
mod transform_words;
mod values;
mod dates;
mod variants;
mod value_operand;
mod computed_test;
mod parser;
mod value_columns;
#[cfg(test)]
mod condition_tests;
#[cfg(test)]
mod tests;

pub use lexer::QuotedNames;
pub use parser::parse;
pub use value_columns::value_columns;

pub(super) use computed_test::parse_condition;
pub(super) use like::escaped_prefix;
pub(super) use values::parse_values;
