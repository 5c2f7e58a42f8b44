//! What do functions give?

use super::arithmetic::absolute;
use super::evaluate::{Evaluation, literal_of};
use super::operand::Operand;
use super::round::{Rounding, rounded};
use super::text::{changed, joined, lengths, part, texts};
use super::{Function, Node};
use crate::error::{Error, Result};
use crate::expr::RawLiteral;

impl Evaluation<'_> {
    /// The values of a function. The parser has checked how many arguments it has.
    pub(super) fn call(&self, function: Function, arguments: &[Node]) -> Result<Operand> {
        let [first, rest @ ..] = arguments else {
            return Err(Error::internal("a function has no arguments"));
        };
        let text = |name: &str| texts(name, &self.operand(first)?);
        match function {
            Function::Coalesce => self.coalesce(arguments),
            Function::NullIf => match rest {
                [other] => self.null_if(first, other),
                _ => Err(Error::internal("NULLIF has no two arguments")),
            },
            Function::Concat => {
                let values = arguments.iter().map(|each| self.operand(each)).collect::<Result<Vec<_>>>()?;
                joined(&values, self.rows.count)
            }
            Function::Upper => changed(&text("UPPER")?, str::to_uppercase),
            Function::Lower => changed(&text("LOWER")?, str::to_lowercase),
            Function::Length => lengths(&text("LENGTH")?),
            // Spaces alone, as the standard says: not tabs and ends of lines.
            Function::Trim => changed(&text("TRIM")?, |text| text.trim_matches(' ').to_owned()),
            Function::TrimStart => changed(&text("LTRIM")?, |text| text.trim_start_matches(' ').to_owned()),
            Function::TrimEnd => changed(&text("RTRIM")?, |text| text.trim_end_matches(' ').to_owned()),
            Function::Substring => {
                let from = rest.first().map_or(Ok(1), |node| self.whole("SUBSTRING", node, 1))?;
                let length = rest.get(1).map(|node| self.whole("SUBSTRING", node, 0)).transpose()?;
                let length = length.map(|length| length as usize);
                changed(&text("SUBSTRING")?, |text| part(text, from as usize - 1, length))
            }
            Function::Abs => absolute(&self.operand(first)?),
            Function::Floor => rounded("FLOOR", &self.operand(first)?, 0, Rounding::Down),
            Function::Ceil => rounded("CEIL", &self.operand(first)?, 0, Rounding::Up),
            Function::Round => {
                let places = rest.first().map_or(Ok(0), |node| self.whole("ROUND", node, i32::MIN))?;
                rounded("ROUND", &self.operand(first)?, places, Rounding::Nearest)
            }
        }
    }

    /// A literal integer.
    fn whole(&self, function: &str, node: &Node, least: i32) -> Result<i32> {
        let found = match literal_of(node).map(|literal| &literal.raw) {
            Some(RawLiteral::Integer(number)) => i32::try_from(*number).ok(),
            _ => None,
        };
        found.filter(|number| *number >= least).ok_or_else(|| {
            let from = if least >= 0 { format!(" from {least} on") } else { String::new() };
            self.needs(function, &format!("literal integers{from}"), node)
        })
    }
}
