//! How are literals written?
//!
//! In: tokens. Out: literals, raw if only a column can give them a type.

use super::cursor::Parser;
use super::lexer::Token;
use crate::error::Result;
use crate::expr::RawLiteral;
use crate::expr::convert::{Converted, convert, parse_any_timestamp};
use crate::expr::number::parse_number;
use crate::schema::PrimitiveType;

/// The literal that is next.
///
/// Errors: `InvalidInput` with the position, if there is no literal.
pub(super) fn required(parser: &mut Parser<'_>) -> Result<RawLiteral> {
    optional(parser)?.ok_or_else(|| {
        let written = match parser.peek() {
            Token::Quoted(name) => Some(name.as_str()),
            Token::Word(word) => Some(*word),
            _ => None,
        };
        match written {
            Some(name) => parser.expected(&format!(
                "a literal, found the name {name:?}: texts stand in single quotes, as in '{}'",
                name.replace('\'', "''")
            )),
            None => parser.expected("a literal (a comparison is between a column and a literal)"),
        }
    })
}

/// The literal that is next, if one is.
///
/// Errors: `InvalidInput` with the position, for a literal that is damaged or null.
pub(super) fn optional(parser: &mut Parser<'_>) -> Result<Option<RawLiteral>> {
    let literal = match parser.peek() {
        Token::Text(text) => RawLiteral::String(text.clone()),
        Token::Bytes(bytes) => RawLiteral::Binary(bytes.clone()),
        Token::Number(digits) => number(parser, digits)?,
        Token::Sign(sign @ ("-" | "+")) => {
            let Token::Number(digits) = parser.peek_second() else {
                parser.advance(1);
                return Err(parser.expected("a number"));
            };
            let literal = number(parser, &format!("{sign}{digits}"))?;
            parser.advance(2);
            return Ok(Some(literal));
        }
        Token::Word(word) if word.eq_ignore_ascii_case("TRUE") => RawLiteral::Boolean(true),
        Token::Word(word) if word.eq_ignore_ascii_case("FALSE") => RawLiteral::Boolean(false),
        Token::Word(word) if word.eq_ignore_ascii_case("NULL") => {
            return Err(parser.wrong("nothing equals NULL: use IS NULL or IS NOT NULL"));
        }
        Token::Word(word) => {
            let Token::Text(text) = parser.peek_second() else { return Ok(None) };
            let literal = typed(word, text).map_err(|error| parser.wrong(error.message()))?;
            parser.advance(2);
            return Ok(Some(literal));
        }
        Token::Quoted(_) | Token::Sign(_) | Token::End => return Ok(None),
    };
    parser.advance(1);
    Ok(Some(literal))
}

fn number(parser: &Parser<'_>, digits: &str) -> Result<RawLiteral> {
    parse_number(digits).ok_or_else(|| parser.expected("a number"))
}

/// `DATE '2020-01-01'` and its like.
fn typed(keyword: &str, text: &str) -> Result<RawLiteral> {
    use crate::error::Error;
    let raw = RawLiteral::String(text.to_owned());
    let target = match keyword.to_ascii_uppercase().as_str() {
        "DATE" => PrimitiveType::Date,
        "TIME" => PrimitiveType::Time,
        "UUID" => PrimitiveType::Uuid,
        "TIMESTAMP_NTZ" => PrimitiveType::Timestamp,
        "TIMESTAMPTZ" | "TIMESTAMP_LTZ" => PrimitiveType::Timestamptz,
        "TIMESTAMP_NS" => PrimitiveType::TimestampNs,
        "TIMESTAMPTZ_NS" => PrimitiveType::TimestamptzNs,
        "TIMESTAMP" => return parse_any_timestamp(text).map(RawLiteral::Typed),
        "DECIMAL" | "NUMERIC" => {
            return parse_number(text.trim())
                .ok_or_else(|| Error::invalid_input(format!("{text:?} is not a decimal")));
        }
        _ => {
            return Err(Error::invalid_input(format!(
                "unknown literal {keyword} '..': expected DATE, TIME, TIMESTAMP, TIMESTAMPTZ, DECIMAL, UUID or X"
            )));
        }
    };
    match convert(&raw, &target)? {
        Converted::Exact(value) => Ok(RawLiteral::Typed(value)),
        _ => Err(Error::invalid_input(format!("{text:?} is not a value of type {target}"))),
    }
}
