//! Which values has a whole expression, and what is said where it has none?

use std::cell::Cell;
use std::collections::HashMap;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::evaluate::Evaluation;
use super::kinds;
use super::rows::{Columns, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::value_tree::ValueExpression;

/// How much of an expression an error shows, in characters.
const SHOWN: usize = 300;

impl ValueExpression {
    /// A value for each row.
    ///
    /// `columns` has those of [`Self::columns`], each of so many rows. Errors: `InvalidInput` where types do not fit, a
    /// number overflows or is divided by zero, or a column is missing; `Unsupported`.
    pub fn evaluate(&self, columns: &HashMap<String, ArrayRef>, rows: usize) -> Result<ArrayRef> {
        let columns = Columns::new(columns);
        let failed = Cell::new(None);
        let evaluation = Evaluation { text: &self.text, rows: Rows::all(&columns, rows), failed: &failed };
        let made = evaluation.of(&self.tree).and_then(|values| values.each_row(rows));
        made.map_err(|error| {
            let part = failed.take().map(|span| part(&self.text, span)).unwrap_or_default();
            let whole = shown(&self.text);
            let said = format!("the SQL expression {whole} cannot be computed: {}{part}", error.message());
            match error.kind() {
                ErrorKind::InvalidInput => Error::invalid_input(said),
                ErrorKind::Unsupported => Error::unsupported(said),
                _ => error,
            }
        })
    }
}

impl ValueExpression {
    /// The error for an expression whose values have a type, and are no condition.
    pub(in crate::expr) fn no_condition(&self, found: &DataType) -> Error {
        Error::invalid_input(format!(
            "expected a condition, found {} of type {}",
            shown(&self.text),
            kinds::shown(found)
        ))
    }
}

/// The part of a text that could not be computed, and where it is; nothing for the whole text.
fn part(text: &str, (start, end): (usize, usize)) -> String {
    let (Some(before), Some(part)) = (text.get(..start), text.get(start..end)) else { return String::new() };
    let part = part.trim();
    if part.is_empty() || part == text.trim() {
        return String::new();
    }
    format!(", in {} at position {}", shown(part), before.chars().count() + 1)
}

/// An expression in errors.
pub(in crate::expr) fn shown(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN).collect();
    if begin.len() < text.len() { format!("{:?}", begin + "...") } else { format!("{text:?}") }
}
