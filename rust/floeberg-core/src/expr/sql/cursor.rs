//! What is the next token of the parser?
//!
//! In: tokens. Out: the next ones, and errors that name their position.

use super::lexer::{Spanned, Token, tokens, wrong};
use crate::error::{Error, Result};

/// The tokens of a filter, and how many of them were read.
pub(super) struct Parser<'a> {
    pub(super) sql: &'a str,
    pub(super) tokens: Vec<Spanned<'a>>,
    pub(super) next: usize,
    pub(super) depth: usize,
    /// For each opening parenthesis the token that closes it; empty until one asks.
    pub(super) closing: Vec<Option<usize>>,
    /// Are functions, types and patterns read that expressions of values do not have?
    pub(super) any_dialect: bool,
}

impl<'a> Parser<'a> {
    /// At the first token of a text. Errors: `InvalidInput` with the position of what is no token.
    pub(super) fn new(sql: &'a str) -> Result<Self> {
        Ok(Self { sql, tokens: tokens(sql)?, next: 0, depth: 0, closing: Vec::new(), any_dialect: false })
    }
}

impl Parser<'_> {
    /// The next token. The last one is `End` and is never passed.
    pub(super) fn peek(&self) -> &Token<'_> {
        self.tokens.get(self.next).map_or(&Token::End, |spanned| &spanned.token)
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> &Token<'_> {
        self.tokens.get(self.next + 1).map_or(&Token::End, |spanned| &spanned.token)
    }

    /// Passes tokens.
    pub(super) fn advance(&mut self, count: usize) {
        self.next += count;
    }

    pub(super) fn accept(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(word) if word.eq_ignore_ascii_case(keyword));
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, keyword: &str) -> Result<()> {
        if self.accept(keyword) { Ok(()) } else { Err(self.expected(keyword)) }
    }

    pub(super) fn accept_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Result<()> {
        if self.accept_sign(sign) { Ok(()) } else { Err(self.expected(sign)) }
    }

    pub(super) fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.sql.len(), |spanned| spanned.at)
    }

    /// The error where something else was expected.
    pub(super) fn expected(&self, what: &str) -> Error {
        self.wrong(&format!("expected {what}"))
    }

    /// The error at the next token.
    pub(super) fn wrong(&self, what: &str) -> Error {
        wrong(self.sql, self.at(), what)
    }
}

/// Does a token end a test?
pub(super) fn ends_test(token: &Token<'_>) -> bool {
    match token {
        Token::End | Token::Sign(")") => true,
        Token::Word(word) => word.eq_ignore_ascii_case("AND") || word.eq_ignore_ascii_case("OR"),
        _ => false,
    }
}
