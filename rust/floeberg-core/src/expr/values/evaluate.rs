//! What is the value of each part of an expression?

use std::cell::Cell;
use std::sync::Arc;

use arrow_arith::boolean::not;
use arrow_array::{ArrayRef, BooleanArray};

use super::arithmetic::{calculated, negated};
use super::cast::cast_values;
use super::intervals::interval;
use super::kernels::computing;
use super::operand::Operand;
use super::rows::Rows;
use super::variants::{are_variants, field_of};
use super::{Kind, Literal, Node, SqlType};
use crate::error::{Error, Result};
use crate::variant::VariantPath;

/// One evaluation, on some rows.
#[derive(Clone)]
pub(super) struct Evaluation<'a> {
    /// The text, for errors.
    pub(super) text: &'a str,
    /// The rows.
    pub(super) rows: Rows<'a>,
    /// Where the innermost part that failed begins and ends in the text.
    pub(super) failed: &'a Cell<Option<(usize, usize)>>,
}

impl<'a> Evaluation<'a> {
    /// The same on the rows for which a bool is true.
    pub(super) fn on(&self, holds: &BooleanArray) -> Result<Self> {
        Ok(Self { text: self.text, rows: self.rows.filter(holds)?, failed: self.failed })
    }

    /// A part as it is written.
    pub(super) fn written(&self, node: &Node) -> &'a str {
        self.text.get(node.span.clone()).unwrap_or_default().trim()
    }

    /// The values of a part.
    pub(super) fn of(&self, node: &Node) -> Result<Operand> {
        let made = self.computed(node);
        if made.is_err() && self.failed.get().is_none() {
            self.failed.set(Some((node.span.start, node.span.end)));
        }
        made
    }

    fn computed(&self, node: &Node) -> Result<Operand> {
        match &node.kind {
            Kind::Column(name) => self.rows.column(name).map(Operand::Rows),
            Kind::Null => Ok(Operand::null()),
            Kind::Boolean(value) => Ok(Operand::boolean(*value)),
            Kind::Literal(literal) => literal.by_itself().map(Operand::Constant),
            Kind::Interval(_) => Err(Error::unsupported(
                "an interval stands alone: it is added to dates and timestamps, or subtracted from them",
            )),
            Kind::Negative(of) => negated(&self.operand(of)?),
            Kind::Arithmetic(first, rest) => {
                let mut made = self.term(first)?;
                for (operator, other) in rest {
                    made = calculated(*operator, made, self.term(other)?, self.rows.count)?;
                }
                Ok(made)
            }
            Kind::Not(of) => {
                let holds = self.condition(of)?;
                Ok(Operand::Rows(Arc::new(not(&holds).map_err(computing)?)))
            }
            Kind::All(terms) => self.chain(terms, false),
            Kind::Any(terms) => self.chain(terms, true),
            Kind::Compare(comparison, left, right) => self.compared(*comparison, left, right),
            Kind::Is(of, test, negated) => self.is(of, *test, *negated),
            Kind::Distinct(left, right, distinct) => self.distinct(left, right, *distinct),
            Kind::In(of, list, negated) => self.is_in(of, list, *negated),
            Kind::Between(of, low, high, negated) => self.between(of, low, high, *negated),
            Kind::Like { of, pattern, escape, case_sensitive, negated } => {
                self.like(of, pattern, *escape, *case_sensitive, *negated)
            }
            Kind::Case(of, branches, otherwise) => self.case(of.as_deref(), branches, otherwise.as_deref()),
            Kind::Cast(of, kind, fails_as_null) => self.cast(of, kind, *fails_as_null),
            Kind::VariantGet { of, path, kind, fails_as_null } => {
                self.operand(of)?.map(|array| field_of(array, path, kind, *fails_as_null))
            }
            Kind::Call(function, arguments) => self.call(*function, arguments),
        }
    }

    /// The values of a term, which may be an interval.
    fn term(&self, node: &Node) -> Result<Operand> {
        match &node.kind {
            Kind::Interval(value) => Ok(interval(*value)),
            _ => self.of(node),
        }
    }

    /// The values of an operand. Of no rows nothing is computed.
    pub(super) fn operand(&self, node: &Node) -> Result<Operand> {
        Ok(self.of(node)?.where_asked(self.rows.count))
    }

    fn cast(&self, of: &Node, kind: &SqlType, fails_as_null: bool) -> Result<Operand> {
        let target = kind.data_type();
        match typed_literal(of, kind) {
            Some(Err(_)) if fails_as_null => Ok(Operand::Constant(arrow_array::new_null_array(&target, 1))),
            Some(made) => made.map(Operand::Constant),
            None => self.operand(of)?.map(|array| {
                if are_variants(array.data_type()) {
                    return field_of(array, &VariantPath::default(), kind, fails_as_null);
                }
                cast_values(array, &target, fails_as_null)
            }),
        }
    }

    /// The error for an argument that has to be a literal.
    pub(super) fn needs(&self, function: &str, what: &str, found: &Node) -> Error {
        Error::unsupported(format!("{function} needs {what}, found {:?}", self.written(found)))
    }
}

/// The value of a text that is cast to a type of times or to UUID; `None` for another cast.
fn typed_literal(of: &Node, kind: &SqlType) -> Option<Result<ArrayRef>> {
    let target = kind.data_type();
    let literal = literal_of(of)?;
    let text = literal.text()?;
    match kind {
        SqlType::Timestamp => Some(Literal::timestamp(text)),
        _ if target.is_temporal() || *kind == SqlType::Uuid => Some(literal.of_type(&target)),
        _ => None,
    }
}

/// The first invalid typed literal, as in `DATE '2020-13-01'`: where it begins, and what is wrong with it.
pub(in crate::expr) fn wrong_literal(tree: &Node) -> Option<(usize, Error)> {
    let mut found = None;
    tree.visit(&mut |node| {
        if let Kind::Cast(of, kind, false) = &node.kind
            && found.is_none()
            && let Some(Err(error)) = typed_literal(of, kind)
        {
            found = Some((node.span.start, error));
        }
    });
    found
}

/// The literal that a part is.
pub(super) fn literal_of(node: &Node) -> Option<&Literal> {
    match &node.kind {
        Kind::Literal(literal) => Some(literal),
        _ => None,
    }
}
