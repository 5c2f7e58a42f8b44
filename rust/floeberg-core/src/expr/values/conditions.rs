//! For which rows does a condition hold?
//!
//! Invariant: the answers are true, false and null, as in SQL. A row that a term of AND or OR decides is not for the terms
//! after it.

use std::sync::Arc;

use arrow_arith::boolean::{and, and_kleene, is_null, not, or, or_kleene};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, new_null_array};
use arrow_schema::DataType;

use super::compare::{literals_compared, values_compared, with_literal, with_literals};
use super::evaluate::{Evaluation, literal_of};
use super::kernels::{computing, to_type};
use super::kinds::{is_float, shown};
use super::like::Pattern;
use super::operand::Operand;
use super::rows::in_order;
use super::text::{tested, texts};
use super::{Is, Node};
use crate::error::{Error, Result};
use crate::expr::Operator;

impl Evaluation<'_> {
    /// A bool for each row, or null.
    pub(super) fn condition(&self, node: &Node) -> Result<BooleanArray> {
        let values = self.of(node)?;
        let found = match values.data_type() {
            DataType::Null => Operand::Constant(new_null_array(&DataType::Boolean, 1)),
            DataType::Boolean => values,
            other => {
                return Err(Error::invalid_input(format!(
                    "expected a condition, found {:?} of type {}",
                    self.written(node),
                    shown(other)
                )));
            }
        };
        Ok(found.each_row(self.rows.count)?.as_boolean().clone())
    }

    /// Is a condition true, for each row?
    pub(super) fn holds(&self, node: &Node) -> Result<BooleanArray> {
        Ok(is_true(&self.condition(node)?))
    }

    /// Terms in order, until one decides: a true one ends a chain of OR, a false one a chain of AND.
    pub(super) fn chain(&self, terms: &[Node], ends: bool) -> Result<Operand> {
        let Some((first, rest)) = terms.split_first() else {
            return Err(Error::internal("a chain of conditions has no terms"));
        };
        let mut made = self.condition(first)?;
        for term in rest {
            let decided = if ends { is_true(&made) } else { is_true(&not(&made).map_err(computing)?) };
            let open = not(&decided).map_err(computing)?;
            let found = self.on(&open)?.condition(term)?;
            let found = self.spread(&open, found)?;
            made =
                if ends { or_kleene(&made, &found) } else { and_kleene(&made, &found) }.map_err(computing)?;
        }
        Ok(Operand::Rows(Arc::new(made)))
    }

    /// Answers of some rows as answers of all; null for the others.
    fn spread(&self, open: &BooleanArray, found: BooleanArray) -> Result<BooleanArray> {
        if found.len() == self.rows.count {
            return Ok(found);
        }
        let parts: Vec<usize> = open.values().iter().map(usize::from).collect();
        let null = Operand::Constant(new_null_array(&DataType::Boolean, 1));
        let all = in_order(&parts, &[null, Operand::Rows(Arc::new(found))], &DataType::Boolean)?;
        Ok(all.as_boolean().clone())
    }

    pub(super) fn is(&self, of: &Node, test: Is, negated: bool) -> Result<Operand> {
        let holds = match test {
            Is::Null => {
                self.of(of)?.map(|array| Ok(Arc::new(is_null(array).map_err(computing)?) as ArrayRef))?
            }
            Is::Nan => self.is_nan(of)?,
            Is::True => Operand::Rows(Arc::new(self.holds(of)?)),
            Is::False => Operand::Rows(Arc::new(is_true(&not(&self.condition(of)?).map_err(computing)?))),
        };
        negated_if(negated, holds)
    }

    /// Of null it is null, as a comparison; other types than floats have no NaN.
    fn is_nan(&self, of: &Node) -> Result<Operand> {
        self.operand(of)?.map(|array| {
            let nulls = array.logical_nulls();
            let bits: Vec<bool> = match array.data_type() {
                DataType::Null => return Ok(new_null_array(&DataType::Boolean, array.len())),
                DataType::Float64 => {
                    array.as_primitive::<Float64Type>().values().iter().map(|x| x.is_nan()).collect()
                }
                kind if is_float(kind) => {
                    let floats = to_type(array, &DataType::Float32)?;
                    floats.as_primitive::<Float32Type>().values().iter().map(|x| x.is_nan()).collect()
                }
                _ => vec![false; array.len()],
            };
            Ok(Arc::new(BooleanArray::new(bits.into(), nulls)) as ArrayRef)
        })
    }

    pub(super) fn distinct(&self, left: &Node, right: &Node, distinct: bool) -> Result<Operand> {
        let rows = self.rows.count;
        let [one, other] = [left, right].map(|side| {
            let values = self.of(side)?.each_row(rows)?;
            is_null(&values).map_err(computing)
        });
        let both = and(&one?, &other?).map_err(computing)?;
        let same = or(&both, &self.equal(left, right)?).map_err(computing)?;
        negated_if(distinct, Operand::Rows(Arc::new(same)))
    }

    pub(super) fn is_in(&self, of: &Node, list: &[Node], negated: bool) -> Result<Operand> {
        let values = self.side(of)?;
        let literals: Vec<_> = list.iter().filter_map(literal_of).collect();
        if literals.len() == list.len()
            && literal_of(of).is_none()
            && let Some(found) = with_literals(Operator::In, &values, &literals, self.written(of))?
        {
            return negated_if(negated, found);
        }
        let mut made: Option<BooleanArray> = None;
        for each in list {
            let found = self.answers(&self.compared_with(Operator::Eq, of, &values, each)?)?;
            made = Some(match made {
                None => found,
                Some(before) => or_kleene(&before, &found).map_err(computing)?,
            });
        }
        let made = made.ok_or_else(|| Error::internal("IN has no values"))?;
        negated_if(negated, Operand::Rows(Arc::new(made)))
    }

    pub(super) fn between(&self, of: &Node, low: &Node, high: &Node, negated: bool) -> Result<Operand> {
        let values = self.side(of)?;
        let from = self.answers(&self.compared_with(Operator::GtEq, of, &values, low)?)?;
        let to = self.answers(&self.compared_with(Operator::LtEq, of, &values, high)?)?;
        let within = and_kleene(&from, &to).map_err(computing)?;
        negated_if(negated, Operand::Rows(Arc::new(within)))
    }

    pub(super) fn like(
        &self,
        of: &Node,
        pattern: &str,
        escape: char,
        case_sensitive: bool,
        negated: bool,
    ) -> Result<Operand> {
        let values = texts("LIKE", &self.operand(of)?)?;
        let pattern = Pattern::new(pattern, escape, case_sensitive)?;
        negated_if(negated, tested(&values, |text| pattern.matches(text))?)
    }

    pub(super) fn compared(&self, operator: Operator, left: &Node, right: &Node) -> Result<Operand> {
        self.compared_with(operator, left, &self.side(left)?, right)
    }

    /// The values of one side of a comparison; null for a literal, which is read in the type of the other side.
    fn side(&self, node: &Node) -> Result<Operand> {
        if literal_of(node).is_some() { Ok(Operand::null()) } else { self.operand(node) }
    }

    /// A comparison whose left side was computed.
    fn compared_with(
        &self,
        operator: Operator,
        left: &Node,
        values: &Operand,
        right: &Node,
    ) -> Result<Operand> {
        match (literal_of(left), literal_of(right)) {
            (Some(one), Some(other)) => literals_compared(operator, one, other),
            (None, Some(other)) => with_literal(operator, values, other, self.written(left)),
            (Some(one), None) => {
                with_literal(operator.mirrored(), &self.operand(right)?, one, self.written(right))
            }
            (None, None) => values_compared(operator, values, &self.operand(right)?),
        }
    }

    /// Whether two values are equal, for each row.
    pub(super) fn equal(&self, left: &Node, right: &Node) -> Result<BooleanArray> {
        Ok(is_true(&self.answers(&self.compared(Operator::Eq, left, right)?)?))
    }

    /// Answers for each row.
    fn answers(&self, values: &Operand) -> Result<BooleanArray> {
        Ok(to_bool(&values.each_row(self.rows.count)?).as_boolean().clone())
    }
}

/// Answers, or their opposites.
fn negated_if(negated: bool, values: Operand) -> Result<Operand> {
    if !negated {
        return Ok(values);
    }
    values.map(|array| {
        let array = to_bool(array);
        Ok(Arc::new(not(array.as_boolean()).map_err(computing)?) as ArrayRef)
    })
}

fn to_bool(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Null => new_null_array(&DataType::Boolean, array.len()),
        _ => Arc::clone(array),
    }
}

/// Which answers are true.
pub(super) fn is_true(answers: &BooleanArray) -> BooleanArray {
    let bits = match answers.nulls() {
        Some(nulls) => answers.values() & nulls.inner(),
        None => answers.values().clone(),
    };
    BooleanArray::new(bits, None)
}
