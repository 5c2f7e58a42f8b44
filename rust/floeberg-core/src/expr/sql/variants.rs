//! How are functions of variants written, in expressions of values?

use super::cursor::Parser;
use super::lexer::Token;
use super::values::Level;
use crate::error::Result;
use crate::expr::values::{Kind, Node};
use crate::variant::VariantPath;

/// What the functions need.
const ARGUMENTS: &str = "VARIANT_GET needs a column, a path in quotes and a type in quotes, as in VARIANT_GET(v, '$.a.b', 'long')";

impl Parser<'_> {
    /// `[TRY_]VARIANT_GET(v, '$.a.b', 'long')`, where the name is that.
    pub(super) fn variant_function(&mut self, at: usize, name: &str) -> Result<Option<Node>> {
        let fails_as_null = match name {
            "VARIANT_GET" => false,
            "TRY_VARIANT_GET" => true,
            _ => return Ok(None),
        };
        self.advance(2);
        let of = Box::new(self.values(Level::Or)?);
        let path = self.quoted_argument()?;
        let path = VariantPath::parse(&path).map_err(|error| self.wrong(error.message()))?;
        let kind = self.quoted_argument()?;
        let mut inner = Parser::new(&kind)?;
        let read = inner.sql_type();
        let is_type = read.is_ok() && *inner.peek() == Token::End;
        let Some(kind) = read.ok().filter(|_| is_type) else {
            return Err(self.wrong(&format!("there is no type {kind:?}: {ARGUMENTS}")));
        };
        self.expect_sign(")")?;
        Ok(Some(self.node(at, Kind::VariantGet { of, path, kind, fails_as_null })))
    }

    fn quoted_argument(&mut self) -> Result<String> {
        if !self.accept_sign(",") || !matches!(self.peek(), Token::Text(_)) {
            return Err(self.wrong(ARGUMENTS));
        }
        self.text()
    }
}
