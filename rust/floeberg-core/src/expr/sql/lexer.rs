//! Which words, names, literals and signs does a filter have?
//!
//! In: text. Out: tokens with their byte offsets, an end token last.
//!
//! Invariant: linear in the length of the text.

use crate::error::{Error, Result};
use crate::value::parse_hex;

/// A piece of a filter text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    /// A keyword or an unquoted name.
    Word(&'a str),
    /// A name in double quotes or backticks, without them.
    Quoted(String),
    /// A text in single quotes, without them.
    Text(String),
    /// `X'00ff'`
    Bytes(Vec<u8>),
    /// Digits with an optional point and exponent, without a sign.
    Number(&'a str),
    /// An operator, parenthesis, comma or point.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it begins, in bytes.
pub(super) struct Spanned<'a> {
    /// The token.
    pub(super) token: Token<'a>,
    /// The byte offset.
    pub(super) at: usize,
}

/// The signs, longer ones before their beginnings.
const SIGNS: [&str; 20] = [
    "<=>", "==", "!=", "<>", "<=", ">=", "||", "::", "=", "<", ">", "(", ")", ",", ".", "+", "-", "*", "/",
    "%",
];

/// Cuts a text into tokens.
///
/// Errors: `InvalidInput` with the position, for a quote that is not closed or a character that fits nowhere.
pub(super) fn tokens(sql: &str) -> Result<Vec<Spanned<'_>>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = sql[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token(sql, at, first)?;
        tokens.push(Spanned { token, at });
        at += length;
    }
    tokens.push(Spanned { token: Token::End, at });
    Ok(tokens)
}

fn token(sql: &str, at: usize, first: char) -> Result<(Token<'_>, usize)> {
    let rest = &sql[at..];
    let second = rest.as_bytes().get(1).copied().unwrap_or_default();
    match first {
        '\'' => quoted(sql, at, '\'').map(|(text, length)| (Token::Text(text), length)),
        '"' | '`' => quoted(sql, at, first).map(|(name, length)| (Token::Quoted(name), length)),
        'x' | 'X' if second == b'\'' => {
            let (digits, length) = quoted(sql, at + 1, '\'')?;
            let bytes = parse_hex(&digits).map_err(|error| wrong(sql, at, error.message()))?;
            Ok((Token::Bytes(bytes), length + 1))
        }
        _ if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() => number(sql, at),
        _ if first.is_alphabetic() || first == '_' => {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            Ok((Token::Word(&rest[..length]), length))
        }
        _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            Some(sign) => Ok((Token::Sign(sign), sign.len())),
            None => Err(wrong(sql, at, &unexpected(first))),
        },
    }
}

/// What is wrong about a character that fits nowhere, and what SQL has instead.
fn unexpected(character: char) -> String {
    let instead = match character {
        '&' => ": use AND",
        '|' => ": use OR",
        '!' | '~' => ": use NOT",
        ';' => ": there is one expression",
        '[' | ']' | '{' | '}' => ": a list stands in parentheses, as in IN (1, 2)",
        _ => "",
    };
    format!("unexpected character {character:?}{instead}")
}

/// The text between two quotes, a doubled quote standing for one, and the length with the quotes.
fn quoted(sql: &str, at: usize, quote: char) -> Result<(String, usize)> {
    let mut text = String::new();
    let body = &sql[at + 1..];
    let mut from = 0;
    while let Some(found) = body[from..].find(quote) {
        text.push_str(&body[from..from + found]);
        from += found + 1;
        if !body[from..].starts_with(quote) {
            return Ok((text, from + 1));
        }
        text.push(quote);
        from += 1;
    }
    Err(wrong(sql, at, &format!("the quote {quote} is not closed")))
}

fn number(sql: &str, at: usize) -> Result<(Token<'_>, usize)> {
    let bytes = &sql.as_bytes()[at..];
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1;
        length += digits(length);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let text = &sql[at..at + length];
    match sql[at + length..].chars().next() {
        Some(next) if next.is_alphanumeric() || next == '_' => Err(wrong(
            sql,
            at,
            &format!(
                "unexpected {next:?} after the number {text}; a name that begins with a digit needs quotes"
            ),
        )),
        _ => Ok((Token::Number(text), length)),
    }
}

/// Marks the place of a quoted name. A text that has it already has no quoted names.
const PLACE: char = '\u{F8F0}';

/// A text whose quoted names are places, each a word without blanks, signs and points.
///
/// For texts that are no filters, such as those of partition fields, but write names as filters do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedNames {
    /// The text with the places.
    pub text: String,
    names: Vec<String>,
}

impl QuotedNames {
    /// Takes the names out that stand in double quotes or backticks. A quote within a word is a letter of it, and so is one that is not
    /// closed.
    pub fn of(text: &str) -> Self {
        let whole = Self { text: text.to_owned(), names: Vec::new() };
        if text.contains(PLACE) {
            return whole;
        }
        let mut cut = Self { text: String::new(), names: Vec::new() };
        let (mut at, mut may_begin) = (0, true);
        while let Some(first) = text[at..].chars().next() {
            if may_begin && matches!(first, '"' | '`') {
                let Ok((name, length)) = quoted(text, at, first) else { return whole };
                cut.text.extend([PLACE.to_string(), cut.names.len().to_string(), PLACE.to_string()]);
                cut.names.push(name);
                at += length;
                may_begin = false;
            } else {
                cut.text.push(first);
                at += first.len_utf8();
                may_begin = first.is_whitespace() || matches!(first, '(' | ',' | '.');
            }
        }
        cut
    }

    /// A part of the text with the names in their places.
    pub fn restored(&self, part: &str) -> String {
        let mut restored = part.to_owned();
        for (number, name) in self.names.iter().enumerate() {
            restored = restored.replace(&format!("{PLACE}{number}{PLACE}"), name);
        }
        restored
    }
}

/// The error at a byte offset of a filter text; the position it names counts characters from 1.
pub(super) fn wrong(sql: &str, at: usize, what: &str) -> Error {
    let position = sql[..at].chars().count() + 1;
    let near: String = sql[at..].chars().take(20).collect();
    let place = if near.is_empty() { "at its end".to_owned() } else { format!("near {near:?}") };
    Error::invalid_input(format!("the filter is wrong at position {position}, {place}: {what}"))
}
