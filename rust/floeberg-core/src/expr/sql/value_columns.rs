//! Is a text a SQL expression of columns?
//!
//! In: a text that is to be a new value. Out: the columns that it names, if it reads as an expression of them; nothing,
//! if it reads as words. Whoever takes texts as values refuses those that a user may have meant as an expression.
//!
//! The text is read by the grammar of values, with functions, types and patterns that values do not have: who writes SQL may
//! mean those of another engine.

use super::cursor::Parser;
use super::lexer::Token;
use super::values::Level;

/// The columns that a text names, ascending, if it reads as an expression of columns.
///
/// `None` for a text without a column, and for one that is no expression: operands without an operator between them, a
/// sign at the end. Names are dotted, without quotes. `date` is a word and no column.
pub fn value_columns(text: &str) -> Option<Vec<String>> {
    let mut parser = Parser { any_dialect: true, ..Parser::new(text).ok()? };
    let tree = parser.values(Level::Or).ok()?;
    if *parser.peek() != Token::End {
        return None;
    }
    let columns = tree.columns().into_iter().filter(|name| !name.eq_ignore_ascii_case("DATE"));
    let columns: Vec<_> = columns.map(str::to_owned).collect();
    (!columns.is_empty()).then_some(columns)
}
