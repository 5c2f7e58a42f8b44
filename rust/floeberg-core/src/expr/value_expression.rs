//! What is a SQL expression that was read, and what can be asked of it?

use std::sync::Arc;

use super::operator::Operator;
use super::sql::{parse_condition, parse_values};
use super::term_text::quoted;
use super::value_tree::{Kind, Node, ValueExpression};
use super::values::shown;
use crate::error::{Error, ErrorKind, Result};

#[cfg(test)]
mod date_tests;
#[cfg(test)]
mod tests;

impl ValueExpression {
    /// Reads an expression.
    ///
    /// Errors: `InvalidInput` with the position for a text that is not an expression; `Unsupported` for what is not understood.
    pub fn parse(text: &str) -> Result<Self> {
        let tree = parse_values(text).map_err(|error| not_parsed(text, &error))?;
        Ok(Self { text: Arc::from(text), tree: Arc::new(tree) })
    }

    /// Reads a condition: an expression that may be true, false or null for each row.
    ///
    /// Errors: those of [`Self::parse`]; `InvalidInput` for an expression that is never a condition, such as a sum, and for a
    /// comparison with NULL.
    pub fn parse_condition(text: &str) -> Result<Self> {
        parse_condition(text).map_err(|error| not_parsed(text, &error))
    }

    /// The expression with other names for its columns. Errors: those of the function.
    pub fn with_names(&self, name: &impl Fn(&str) -> Result<String>) -> Result<Self> {
        let mut others = Vec::new();
        let mut wrong = None;
        self.tree.visit(&mut |node| {
            if let Kind::Column(own) = &node.kind {
                match name(own) {
                    Ok(other) if other == *own => {}
                    Ok(other) => others.push((node.span.clone(), other)),
                    Err(error) => {
                        wrong.get_or_insert(error);
                    }
                }
            }
        });
        if let Some(error) = wrong {
            return Err(error);
        }
        if others.is_empty() {
            return Ok(self.clone());
        }
        others.sort_by_key(|(span, _)| span.start);
        let (mut text, mut end) = (String::new(), 0);
        for (span, other) in others {
            text.push_str(self.text.get(end..span.start).unwrap_or_default());
            text.push_str(&quoted(&other));
            // A blank after the name is a part of its span.
            text.push(' ');
            end = span.end;
        }
        text.push_str(self.text.get(end..).unwrap_or_default());
        Self::parse(text.trim_end())
    }

    /// The terms that are all true where the expression is.
    pub fn conjuncts(&self) -> Vec<Self> {
        match &self.tree.kind {
            Kind::All(terms) => terms.iter().map(|term| self.part(term.clone())).collect(),
            _ => vec![self.clone()],
        }
    }

    /// Terms of this expression, all of which are to be true. A later one is computed only where the earlier ones hold.
    pub fn all_of(&self, terms: &[Self]) -> Self {
        if let [only] = terms {
            only.clone()
        } else {
            let terms = terms.iter().map(|term| Node::clone(&term.tree)).collect();
            self.part(Node { kind: Kind::All(terms), span: self.tree.span.clone() })
        }
    }

    /// The two columns whose equality the expression is.
    pub fn equal_columns(&self) -> Option<(&str, &str)> {
        let Kind::Compare(Operator::Eq, left, right) = &self.tree.kind else { return None };
        match (&left.kind, &right.kind) {
            (Kind::Column(left), Kind::Column(right)) => Some((left, right)),
            _ => None,
        }
    }

    fn part(&self, tree: Node) -> Self {
        Self { text: Arc::clone(&self.text), tree: Arc::new(tree) }
    }
}

/// What is wrong with a text, with the text.
fn not_parsed(text: &str, error: &Error) -> Error {
    let said = error.message().trim_start_matches("the filter is wrong ");
    match error.kind() {
        ErrorKind::Unsupported => {
            Error::unsupported(format!("the SQL expression {} has {said}", shown(text)))
        }
        _ => Error::invalid_input(format!("the SQL expression {} cannot be parsed {said}", shown(text))),
    }
}
