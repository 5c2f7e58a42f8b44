//! How is an operand of an expression of values written: a literal, a column, a function, CASE or CAST?

use arrow_schema::{DataType, TimeUnit};

use super::cursor::Parser;
use super::lexer::Token;
use super::values::Level;
use crate::error::Result;
use crate::expr::RawLiteral;
use crate::expr::names::is_reserved_in_values;
use crate::expr::number::parse_number;
use crate::expr::values::{Arithmetic, Function, Kind, Literal, Node, SqlType};

/// The functions, and how many arguments they have at least and at most.
const FUNCTIONS: [(&str, Function, usize, usize); 24] = [
    ("COALESCE", Function::Coalesce, 1, usize::MAX),
    ("NVL", Function::Coalesce, 2, 2),
    ("IFNULL", Function::Coalesce, 2, 2),
    ("NULLIF", Function::NullIf, 2, 2),
    ("CONCAT", Function::Concat, 1, usize::MAX),
    ("UPPER", Function::Upper, 1, 1),
    ("UCASE", Function::Upper, 1, 1),
    ("LOWER", Function::Lower, 1, 1),
    ("LCASE", Function::Lower, 1, 1),
    ("LENGTH", Function::Length, 1, 1),
    ("LEN", Function::Length, 1, 1),
    ("CHAR_LENGTH", Function::Length, 1, 1),
    ("CHARACTER_LENGTH", Function::Length, 1, 1),
    ("TRIM", Function::Trim, 1, 1),
    ("BTRIM", Function::Trim, 1, 1),
    ("LTRIM", Function::TrimStart, 1, 1),
    ("RTRIM", Function::TrimEnd, 1, 1),
    ("SUBSTRING", Function::Substring, 2, 3),
    ("SUBSTR", Function::Substring, 2, 3),
    ("ABS", Function::Abs, 1, 1),
    ("FLOOR", Function::Floor, 1, 1),
    ("CEIL", Function::Ceil, 1, 1),
    ("CEILING", Function::Ceil, 1, 1),
    ("ROUND", Function::Round, 1, 2),
];

impl Parser<'_> {
    pub(super) fn value_operand(&mut self) -> Result<Node> {
        let at = self.at();
        let kind = match self.peek() {
            Token::Number(digits) => {
                let raw = parse_number(digits).ok_or_else(|| self.expected("a number"))?;
                Kind::Literal(Literal::number(digits, raw).map_err(|error| self.wrong(error.message()))?)
            }
            Token::Text(text) => Kind::Literal(Literal::other(RawLiteral::String(text.clone()))),
            Token::Bytes(bytes) => Kind::Literal(Literal::other(RawLiteral::Binary(bytes.clone()))),
            Token::Sign("(") => {
                self.advance(1);
                let inner = self.values(Level::Or)?;
                self.expect_sign(")")?;
                return Ok(inner);
            }
            Token::Word(word) => {
                let word = word.to_ascii_uppercase();
                return self.word(at, &word);
            }
            Token::Quoted(_) => return self.column(at),
            Token::Sign(_) | Token::End => return Err(self.expected("a value")),
        };
        self.advance(1);
        Ok(self.node(at, kind))
    }

    fn word(&mut self, at: usize, word: &str) -> Result<Node> {
        match word {
            "NULL" | "TRUE" | "FALSE" => {
                self.advance(1);
                let kind = if word == "NULL" { Kind::Null } else { Kind::Boolean(word == "TRUE") };
                Ok(self.node(at, kind))
            }
            "CASE" => self.value_case(at),
            "INTERVAL" if matches!(self.peek_second(), Token::Number(_) | Token::Text(_)) => {
                self.interval(at)
            }
            _ if matches!(self.peek_second(), Token::Text(_)) => self.typed_literal(at, word),
            _ if matches!(self.peek_second(), Token::Sign("(")) && !is_reserved_in_values(word) => {
                self.function(at, word)
            }
            _ => self.column(at),
        }
    }

    /// `DATE '2024-01-02'`
    fn typed_literal(&mut self, at: usize, word: &str) -> Result<Node> {
        let Some(kind) = type_of(word).filter(|kind| kind.data_type_is_temporal() || *kind == SqlType::Uuid)
        else {
            if self.any_dialect {
                self.advance(1);
                return self.value_operand();
            }
            return Err(self.expected("DATE, TIME, TIMESTAMP, TIMESTAMPTZ, UUID or X before a text"));
        };
        self.advance(1);
        let from = self.at();
        let text = Literal::other(RawLiteral::String(self.text()?));
        let text = self.node(from, Kind::Literal(text));
        Ok(self.node(at, Kind::Cast(Box::new(text), kind, false)))
    }

    /// `a.b`, `"a b"`
    fn column(&mut self, at: usize) -> Result<Node> {
        let mut name = self.column_part()?;
        while self.accept_sign(".") {
            name.push('.');
            name.push_str(&self.column_part()?);
        }
        Ok(self.node(at, Kind::Column(name)))
    }

    fn column_part(&mut self) -> Result<String> {
        let name = match self.peek() {
            Token::Word(word) if !is_reserved_in_values(word) => (*word).to_owned(),
            Token::Quoted(name) => name.clone(),
            _ => return Err(self.expected("a value")),
        };
        self.advance(1);
        Ok(name)
    }

    fn value_case(&mut self, at: usize) -> Result<Node> {
        self.advance(1);
        let of = match self.peek() {
            Token::Word(word) if word.eq_ignore_ascii_case("WHEN") => None,
            _ => Some(Box::new(self.values(Level::Or)?)),
        };
        let mut branches = Vec::new();
        while self.accept("WHEN") {
            let condition = self.values(Level::Or)?;
            self.expect("THEN")?;
            branches.push((condition, self.values(Level::Or)?));
        }
        if branches.is_empty() {
            return Err(self.expected("WHEN"));
        }
        let otherwise = if self.accept("ELSE") { Some(Box::new(self.values(Level::Or)?)) } else { None };
        self.expect("END")?;
        Ok(self.node(at, Kind::Case(of, branches, otherwise)))
    }

    fn function(&mut self, at: usize, name: &str) -> Result<Node> {
        match name {
            "CAST" | "TRY_CAST" => {
                self.advance(2);
                let of = Box::new(self.values(Level::Or)?);
                self.expect("AS")?;
                let kind = self.sql_type()?;
                self.expect_sign(")")?;
                return Ok(self.node(at, Kind::Cast(of, kind, name == "TRY_CAST")));
            }
            "IF" | "IIF" => {
                let arguments = self.arguments(name, 2, 3)?;
                let mut arguments = arguments.into_iter();
                let (Some(condition), Some(value)) = (arguments.next(), arguments.next()) else {
                    return Err(self.expected("two arguments"));
                };
                let otherwise = arguments.next().map(Box::new);
                return Ok(self.node(at, Kind::Case(None, vec![(condition, value)], otherwise)));
            }
            "MOD" => {
                let mut arguments = self.arguments(name, 2, 2)?.into_iter();
                let (Some(one), Some(other)) = (arguments.next(), arguments.next()) else {
                    return Err(self.expected("two arguments"));
                };
                let kind = Kind::Arithmetic(Box::new(one), vec![(Arithmetic::Remainder, other)]);
                return Ok(self.node(at, kind));
            }
            "TRIM" => {
                for (side, function) in [
                    ("LEADING", Function::TrimStart),
                    ("TRAILING", Function::TrimEnd),
                    ("BOTH", Function::Trim),
                ] {
                    let is_side = matches!(
                        self.tokens.get(self.next + 2).map(|spanned| &spanned.token),
                        Some(Token::Word(word)) if word.eq_ignore_ascii_case(side)
                    );
                    if is_side {
                        self.advance(3);
                        self.expect("FROM")?;
                        let of = self.values(Level::Or)?;
                        self.expect_sign(")")?;
                        return Ok(self.node(at, Kind::Call(function, vec![of])));
                    }
                }
            }
            _ => {}
        }
        if self.any_dialect && name != "EXTRACT" {
            let arguments = self.arguments(name, 0, usize::MAX)?;
            return Ok(self.node(at, Kind::Call(Function::Coalesce, arguments)));
        }
        if let Some(made) = self.date_function(at, name)? {
            return Ok(made);
        }
        if let Some(made) = self.variant_function(at, name)? {
            return Ok(made);
        }
        let Some((_, function, least, most)) = FUNCTIONS.into_iter().find(|(known, ..)| *known == name)
        else {
            return Err(self.not_supported("there is no such function"));
        };
        let arguments = self.arguments(name, least, most)?;
        Ok(self.node(at, Kind::Call(function, arguments)))
    }

    /// `NAME(a, b)`; for SUBSTRING also `NAME(a FROM b FOR c)`.
    pub(super) fn arguments(&mut self, name: &str, least: usize, most: usize) -> Result<Vec<Node>> {
        let before = self.next;
        self.advance(2);
        let mut arguments = Vec::new();
        if *self.peek() != Token::Sign(")") {
            arguments.push(self.argument()?);
        }
        let is_part = name.starts_with("SUBSTR");
        while self.accept_sign(",") || is_part && (self.accept("FROM") || self.accept("FOR")) {
            arguments.push(self.argument()?);
        }
        self.expect_sign(")")?;
        if arguments.len() < least || arguments.len() > most {
            self.next = before;
            let count = if least == most { least.to_string() } else { format!("{least} or more") };
            return Err(
                self.not_supported(&format!("{name} needs {count} arguments, found {}", arguments.len()))
            );
        }
        Ok(arguments)
    }

    /// An argument; of other dialects also `*` and `a AS type`.
    fn argument(&mut self) -> Result<Node> {
        let at = self.at();
        if self.any_dialect && self.accept_sign("*") {
            return Ok(self.node(at, Kind::Null));
        }
        let value = self.values(Level::Or)?;
        if self.any_dialect && self.accept("AS") {
            self.sql_type()?;
        }
        Ok(value)
    }

    /// A type after AS or `::`.
    pub(super) fn sql_type(&mut self) -> Result<SqlType> {
        if self.any_dialect {
            self.column(self.at())?;
            if *self.peek() == Token::Sign("(") {
                self.value_list()?;
            }
            return Ok(SqlType::Of(DataType::Null));
        }
        let Token::Word(word) = self.peek() else { return Err(self.expected("a type")) };
        let name = word.to_ascii_uppercase();
        if matches!(name.as_str(), "DECIMAL" | "NUMERIC" | "DEC") {
            return self.decimal();
        }
        let Some(mut kind) = type_of(&name) else { return Err(self.not_supported("there is no such type")) };
        if matches!(self.peek_second(), Token::Sign("(")) {
            return Err(self.not_supported("the type has no sizes"));
        }
        self.advance(1);
        if name == "DOUBLE" {
            self.accept("PRECISION");
        }
        if name == "TIMESTAMP" {
            let zoned = self.accept("WITH");
            if zoned || self.accept("WITHOUT") {
                self.expect("TIME")?;
                self.expect("ZONE")?;
                kind = SqlType::Of(timestamp(zoned));
            }
        }
        Ok(kind)
    }

    fn decimal(&mut self) -> Result<SqlType> {
        let before = self.next;
        self.advance(1);
        let mut sizes = Vec::new();
        if self.accept_sign("(") {
            loop {
                let size = match self.peek() {
                    Token::Number(digits) => digits.parse::<u8>().ok(),
                    _ => None,
                };
                sizes.push(size);
                self.advance(1);
                if !self.accept_sign(",") {
                    break;
                }
            }
            self.expect_sign(")")?;
        }
        let found = match sizes[..] {
            [] => Some((10, 0)),
            [precision] => precision.map(|precision| (precision, 0)),
            [Some(precision), Some(scale)] => Some((precision, scale)),
            _ => None,
        };
        match found {
            Some((precision, scale))
                if (1..=arrow_schema::DECIMAL128_MAX_PRECISION).contains(&precision)
                    && scale <= precision =>
            {
                Ok(SqlType::Of(DataType::Decimal128(precision, scale as i8)))
            }
            _ => {
                self.next = before;
                Err(self.not_supported(
                    "a decimal has 1 to 38 digits, of which all or some are behind the point, as in DECIMAL(9, 2)",
                ))
            }
        }
    }
}

impl SqlType {
    fn data_type_is_temporal(&self) -> bool {
        match self {
            Self::Of(kind) => kind.is_temporal(),
            Self::Timestamp => true,
            Self::Uuid => false,
        }
    }
}

fn timestamp(zoned: bool) -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, zoned.then(|| "UTC".into()))
}

/// The type of a name without sizes.
fn type_of(name: &str) -> Option<SqlType> {
    let kind = match name {
        "BOOLEAN" | "BOOL" => DataType::Boolean,
        "INT" | "INTEGER" => DataType::Int32,
        "BIGINT" | "LONG" => DataType::Int64,
        "FLOAT" | "REAL" => DataType::Float32,
        "DOUBLE" => DataType::Float64,
        "TEXT" | "STRING" | "VARCHAR" => DataType::Utf8,
        "BINARY" | "VARBINARY" | "BYTEA" => DataType::Binary,
        "DATE" => DataType::Date32,
        "TIME" => DataType::Time64(TimeUnit::Microsecond),
        "TIMESTAMP" => return Some(SqlType::Timestamp),
        "TIMESTAMPNTZ" | "TIMESTAMP_NTZ" => timestamp(false),
        "TIMESTAMPTZ" | "TIMESTAMPLTZ" | "TIMESTAMP_LTZ" => timestamp(true),
        "UUID" => return Some(SqlType::Uuid),
        _ => return None,
    };
    Some(SqlType::Of(kind))
}
