//! Which branch of CASE, COALESCE or NULLIF gives the value of a row?
//!
//! Invariant: a branch is computed for its own rows alone.

use arrow_arith::boolean::{is_not_null, not};
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use arrow_select::filter::filter;

use super::Node;
use super::evaluate::{Evaluation, literal_of};
use super::kernels::computing;
use super::operand::Operand;
use super::rows::in_order;
use super::types::common_type;
use crate::error::Result;

/// The rows of one branch.
struct Branch<'a> {
    /// What it is; `None` is null.
    node: Option<&'a Node>,
    /// The numbers of its rows.
    rows: Vec<u64>,
    /// Their values.
    values: Operand,
}

impl Evaluation<'_> {
    /// For each row the value of the first branch whose condition holds, or equals the operand.
    pub(super) fn case(
        &self,
        of: Option<&Node>,
        branches: &[(Node, Node)],
        otherwise: Option<&Node>,
    ) -> Result<Operand> {
        let mut left = self.clone();
        let mut made = Vec::with_capacity(branches.len() + 1);
        for (condition, value) in branches {
            let holds = match of {
                None => left.holds(condition)?,
                Some(of) => left.equal(of, condition)?,
            };
            let chosen = left.on(&holds)?;
            left = left.on(&not(&holds).map_err(computing)?)?;
            made.push(Branch { node: Some(value), rows: chosen.numbers(), values: chosen.of(value)? });
        }
        let last = otherwise.map_or_else(|| Ok(Operand::null()), |node| left.of(node))?;
        made.push(Branch { node: otherwise, rows: left.numbers(), values: last });
        self.joined(made)
    }

    pub(super) fn coalesce(&self, arguments: &[Node]) -> Result<Operand> {
        let mut left = self.clone();
        let mut made = Vec::with_capacity(arguments.len() + 1);
        for node in arguments {
            let values = left.of(node)?;
            let each = Operand::Rows(values.each_row(left.rows.count)?);
            let there = is_not_null(each.array()).map_err(computing)?;
            let chosen = match values {
                Operand::Rows(array) => Operand::Rows(filter(&array, &there).map_err(computing)?),
                constant @ Operand::Constant(_) => constant,
            };
            made.push(Branch { node: Some(node), rows: left.on(&there)?.numbers(), values: chosen });
            left = left.on(&not(&there).map_err(computing)?)?;
        }
        made.push(Branch { node: None, rows: left.numbers(), values: Operand::null() });
        self.joined(made)
    }

    pub(super) fn null_if(&self, value: &Node, other: &Node) -> Result<Operand> {
        let same = self.equal(value, other)?;
        let values = self.of(value)?.each_row(self.rows.count)?;
        let made: ArrayRef = match values.data_type() {
            DataType::Null => values,
            _ => arrow_select::nullif::nullif(&values, &same).map_err(computing)?,
        };
        Ok(Operand::Rows(made))
    }

    fn numbers(&self) -> Vec<u64> {
        self.rows.numbers().values().to_vec()
    }

    /// The values of all rows, of those of branches.
    fn joined(&self, branches: Vec<Branch<'_>>) -> Result<Operand> {
        let literals: Vec<_> = branches.iter().map(|each| each.node.and_then(literal_of)).collect();
        let own = self.rows.numbers();
        let mut parts = vec![0; own.len()];
        for (part, branch) in branches.iter().enumerate() {
            for number in &branch.rows {
                // Rows are in order.
                if let Ok(row) = own.values().binary_search(number) {
                    parts[row] = part;
                }
            }
        }
        let (values, kind) = common_type(branches.into_iter().map(|each| each.values).collect(), &literals)?;
        in_order(&parts, &values, &kind).map(Operand::Rows)
    }
}
