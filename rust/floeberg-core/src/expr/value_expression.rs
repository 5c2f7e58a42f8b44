//! What is a SQL expression that was read, and what can be asked of it?

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::ArrayRef;

use super::Operator;
use super::sql::parse_values;
use super::values::{Columns, Evaluation, Kind, Node, Rows};
use crate::error::{Error, ErrorKind, Result};

#[cfg(test)]
mod tests;

/// How much of an expression an error shows, in characters.
const SHOWN: usize = 300;

/// A SQL expression of values: arithmetic, comparisons, CASE, COALESCE, CAST and functions of numbers and texts.
///
/// The guide's table of the SQL language has all of it, and what null, NaN, decimals and overflows do.
#[derive(Debug, Clone)]
pub struct ValueExpression {
    text: Arc<str>,
    tree: Arc<Node>,
}

impl ValueExpression {
    /// Reads an expression.
    ///
    /// Errors: `InvalidInput` with the position for a text that is not an expression; `Unsupported` for what is not understood.
    pub fn parse(text: &str) -> Result<Self> {
        let tree = parse_values(text).map_err(|error| {
            let said = error.message().trim_start_matches("the filter is wrong ").to_owned();
            match error.kind() {
                ErrorKind::Unsupported => {
                    Error::unsupported(format!("the SQL expression {} has {said}", shown(text)))
                }
                _ => Error::invalid_input(format!(
                    "the SQL expression {} cannot be parsed {said}",
                    shown(text)
                )),
            }
        })?;
        Ok(Self { text: Arc::from(text), tree: Arc::new(tree) })
    }

    /// The dotted names of all columns, in order.
    pub fn columns(&self) -> Vec<String> {
        let mut found = BTreeSet::new();
        self.tree.visit(&mut |node| {
            if let Kind::Column(name) = &node.kind {
                found.insert(name.clone());
            }
        });
        found.into_iter().collect()
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

    /// A value for each row.
    ///
    /// `columns` has those of [`Self::columns`], each of so many rows. Errors: `InvalidInput` where types do not fit, a
    /// number overflows or is divided by zero, or a column is missing; `Unsupported`.
    pub fn evaluate(&self, columns: &HashMap<String, ArrayRef>, rows: usize) -> Result<ArrayRef> {
        let columns = Columns::new(columns);
        let evaluation = Evaluation { text: &self.text, rows: Rows::all(&columns, rows) };
        let made = evaluation.of(&self.tree).and_then(|values| values.each_row(rows));
        made.map_err(|error| {
            let said =
                format!("the SQL expression {} cannot be computed: {}", shown(&self.text), error.message());
            match error.kind() {
                ErrorKind::InvalidInput => Error::invalid_input(said),
                ErrorKind::Unsupported => Error::unsupported(said),
                _ => error,
            }
        })
    }
}

impl Node {
    /// Calls a function with this part and all parts of it.
    fn visit(&self, found: &mut impl FnMut(&Self)) {
        found(self);
        match &self.kind {
            Kind::Column(_) | Kind::Null | Kind::Boolean(_) | Kind::Literal(_) => {}
            Kind::Negative(of)
            | Kind::Not(of)
            | Kind::Is(of, ..)
            | Kind::Cast(of, ..)
            | Kind::Like { of, .. } => {
                of.visit(found);
            }
            Kind::Compare(_, left, right) | Kind::Distinct(left, right, _) => {
                left.visit(found);
                right.visit(found);
            }
            Kind::All(parts) | Kind::Any(parts) | Kind::Call(_, parts) => {
                for part in parts {
                    part.visit(found);
                }
            }
            Kind::Arithmetic(first, rest) => {
                first.visit(found);
                for (_, part) in rest {
                    part.visit(found);
                }
            }
            Kind::In(of, list, _) => {
                of.visit(found);
                for part in list {
                    part.visit(found);
                }
            }
            Kind::Between(of, low, high, _) => {
                for part in [of, low, high] {
                    part.visit(found);
                }
            }
            Kind::Case(of, branches, otherwise) => {
                for part in of.iter().chain(otherwise) {
                    part.visit(found);
                }
                for (condition, value) in branches {
                    condition.visit(found);
                    value.visit(found);
                }
            }
        }
    }
}

/// An expression in errors.
fn shown(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN).collect();
    if begin.len() < text.len() { format!("{:?}", begin + "...") } else { format!("{text:?}") }
}
