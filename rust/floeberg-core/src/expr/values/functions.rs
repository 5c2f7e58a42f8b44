//! What do functions give?

use super::arithmetic::absolute;
use super::date_parts::{part_of, truncated, truncated_dates};
use super::dates::{dates_made, days_added, days_between, last_days, months_added, numbers_of_days};
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
            Function::Part(part) => part_of(part, &self.operand(first)?),
            Function::Truncate(unit) => truncated(unit, &self.operand(first)?),
            Function::TruncateDate(unit) => truncated_dates(unit, &self.operand(first)?),
            Function::LastDay => last_days(&self.operand(first)?),
            Function::UnixDate => numbers_of_days(&self.operand(first)?),
            Function::AddDays | Function::SubtractDays | Function::AddMonths | Function::DaysBetween => {
                match rest {
                    [other] => self.dates_by_row(function, first, other),
                    _ => Err(Error::internal("a function of dates has no two arguments")),
                }
            }
            Function::MakeDate => match rest {
                [month, day] => {
                    let [year, month, day] = [first, month, day].map(|part| self.operand(part));
                    dates_made([&year?, &month?, &day?], self.rows.count)
                }
                _ => Err(Error::internal("MAKE_DATE has no three arguments")),
            },
        }
    }

    fn dates_by_row(&self, function: Function, one: &Node, other: &Node) -> Result<Operand> {
        let (one, other, rows) = (self.operand(one)?, self.operand(other)?, self.rows.count);
        match function {
            Function::AddDays => days_added("DATE_ADD", &one, &other, true, rows),
            Function::SubtractDays => days_added("DATE_SUB", &one, &other, false, rows),
            Function::AddMonths => months_added(&one, &other, rows),
            _ => days_between(&one, &other, rows),
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
