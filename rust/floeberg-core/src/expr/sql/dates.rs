//! How are functions and intervals of dates written, in expressions of values?

use arrow_arith::temporal::DatePart;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::DataType;

use super::cursor::Parser;
use super::lexer::Token;
use super::values::Level;
use crate::error::Result;
use crate::expr::values::{DateUnit, Function, Kind, Node, SqlType, part_named, unit_named};

/// The functions, and how many arguments they have.
const FUNCTIONS: [(&str, Function, usize); 19] = [
    ("YEAR", Function::Part(DatePart::Year), 1),
    ("QUARTER", Function::Part(DatePart::Quarter), 1),
    ("MONTH", Function::Part(DatePart::Month), 1),
    ("WEEKOFYEAR", Function::Part(DatePart::WeekISO), 1),
    ("DAY", Function::Part(DatePart::Day), 1),
    ("DAYOFMONTH", Function::Part(DatePart::Day), 1),
    ("DAYOFWEEK", Function::Part(DatePart::DayOfWeekSunday1), 1),
    ("DAYOFYEAR", Function::Part(DatePart::DayOfYear), 1),
    ("HOUR", Function::Part(DatePart::Hour), 1),
    ("MINUTE", Function::Part(DatePart::Minute), 1),
    ("SECOND", Function::Part(DatePart::Second), 1),
    ("DATE_ADD", Function::AddDays, 2),
    ("DATE_SUB", Function::SubtractDays, 2),
    ("ADD_MONTHS", Function::AddMonths, 2),
    ("DATEDIFF", Function::DaysBetween, 2),
    ("DATE_DIFF", Function::DaysBetween, 2),
    ("LAST_DAY", Function::LastDay, 1),
    ("MAKE_DATE", Function::MakeDate, 3),
    ("UNIX_DATE", Function::UnixDate, 1),
];

/// The parts that there are.
const PARTS: &str = "the parts of dates and times are YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, DAYOFWEEK (1 is Sunday), \
                     ISODOW (1 is Monday), ISOYEAR, HOUR, MINUTE and SECOND";
/// What an interval is.
const INTERVAL: &str = "an interval is a whole number of YEAR, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND, of one of them, as in \
                        INTERVAL '3' DAY";

impl Parser<'_> {
    /// A function of dates, where the name is that of one.
    pub(super) fn date_function(&mut self, at: usize, name: &str) -> Result<Option<Node>> {
        let kind = match name {
            "EXTRACT" => {
                self.advance(2);
                let part = self.date_part()?;
                self.expect("FROM")?;
                self.closed_call(Function::Part(part))?
            }
            "DATE_PART" | "DATEPART" => {
                self.advance(2);
                let part = self.date_part()?;
                self.expect_sign(",")?;
                self.closed_call(Function::Part(part))?
            }
            "DATE_TRUNC" => {
                self.advance(2);
                let units = "DATE_TRUNC needs a unit in quotes: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND \
                             or MICROSECOND";
                let unit = self.date_unit(units, |_| true)?;
                self.expect_sign(",")?;
                self.closed_call(Function::Truncate(unit))?
            }
            "TRUNC" => {
                self.advance(2);
                let of = self.values(Level::Or)?;
                self.expect_sign(",")?;
                let units = "TRUNC of a date needs a unit in quotes: YEAR, QUARTER, MONTH or WEEK";
                let unit = self.date_unit(units, |unit| {
                    matches!(unit, DateUnit::Year | DateUnit::Quarter | DateUnit::Month | DateUnit::Week)
                })?;
                self.expect_sign(")")?;
                Kind::Call(Function::TruncateDate(unit), vec![of])
            }
            "TO_DATE" => {
                let mut arguments = self.arguments(name, 1, 1)?;
                let of = arguments.pop().ok_or_else(|| self.expected("an argument"))?;
                Kind::Cast(Box::new(of), SqlType::Of(DataType::Date32), false)
            }
            _ => {
                let Some((_, function, count)) = FUNCTIONS.into_iter().find(|(known, ..)| *known == name)
                else {
                    return Ok(None);
                };
                Kind::Call(function, self.arguments(name, count, count)?)
            }
        };
        Ok(Some(self.node(at, kind)))
    }

    /// The last argument of a function, and the end of it.
    fn closed_call(&mut self, function: Function) -> Result<Kind> {
        let of = self.values(Level::Or)?;
        self.expect_sign(")")?;
        Ok(Kind::Call(function, vec![of]))
    }

    /// `YEAR` or `'year'`
    fn date_part(&mut self) -> Result<DatePart> {
        let found = match self.peek() {
            Token::Word(word) => part_named(word),
            Token::Text(text) => part_named(text),
            _ => None,
        };
        let part = found.ok_or_else(|| self.not_supported(PARTS))?;
        self.advance(1);
        Ok(part)
    }

    /// `'month'`
    fn date_unit(&mut self, needed: &str, is_taken: impl Fn(DateUnit) -> bool) -> Result<DateUnit> {
        let found = match self.peek() {
            Token::Text(text) => unit_named(text).filter(|unit| is_taken(*unit)),
            _ => None,
        };
        let unit = found.ok_or_else(|| self.not_supported(needed))?;
        self.advance(1);
        Ok(unit)
    }

    /// `INTERVAL '3' DAY`, `INTERVAL 3 DAYS`, `INTERVAL '3 days'`
    pub(super) fn interval(&mut self, at: usize) -> Result<Node> {
        let before = self.next;
        self.advance(1);
        let found = self.interval_parts().and_then(|(number, unit)| interval_of(&number, &unit));
        if let Some(value) = found.filter(|_| !self.accept("TO")) {
            return Ok(self.node(at, Kind::Interval(value)));
        }
        self.next = before;
        Err(self.not_supported(INTERVAL))
    }

    /// The number and the unit.
    fn interval_parts(&mut self) -> Option<(String, String)> {
        let written = match self.peek() {
            Token::Number(digits) => (*digits).to_owned(),
            Token::Text(text) => text.clone(),
            _ => return None,
        };
        self.advance(1);
        if let Some((number, unit)) = written.trim().split_once(char::is_whitespace) {
            return Some((number.to_owned(), unit.trim().to_owned()));
        }
        let Token::Word(unit) = self.peek() else { return None };
        let unit = (*unit).to_owned();
        self.advance(1);
        Some((written, unit))
    }
}

/// An interval of one unit; `None` for another unit, and for what is no whole number or too large.
fn interval_of(number: &str, unit: &str) -> Option<IntervalMonthDayNano> {
    let number: i64 = number.trim().parse().ok()?;
    let unit = unit_named(unit).or_else(|| unit_named(unit.strip_suffix(['s', 'S'])?))?;
    let months =
        |each: i64| Some(IntervalMonthDayNano::new(i32::try_from(number.checked_mul(each)?).ok()?, 0, 0));
    let days =
        |each: i64| Some(IntervalMonthDayNano::new(0, i32::try_from(number.checked_mul(each)?).ok()?, 0));
    let seconds =
        |each: i64| Some(IntervalMonthDayNano::new(0, 0, number.checked_mul(each * 1_000_000_000)?));
    match unit {
        DateUnit::Year => months(12),
        DateUnit::Month => months(1),
        DateUnit::Week => days(7),
        DateUnit::Day => days(1),
        DateUnit::Hour => seconds(3_600),
        DateUnit::Minute => seconds(60),
        DateUnit::Second => seconds(1),
        DateUnit::Quarter | DateUnit::Millisecond | DateUnit::Microsecond => None,
    }
}
