//! Which test of a filter is an expression of values?
//!
//! In: tokens at the beginning of a test that does more than compare a column with literals. Out: the expression.
//!
//! Invariant: linear in the length of the text. A test is read at most once as an expression: where neither grammar takes it, no longer
//! part around it is tried. So parentheses that an operator follows are never read as those of a filter.

use super::cursor::{Parser, ends_test};
use super::lexer::Token;
use super::transform_words::unary_transform;
use super::values::{Level, parse_values};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::Expr;
use crate::expr::value_tree::{Node, ValueExpression};
use crate::expr::values::{Function, Kind, wrong_literal};

/// What is compared with NULL is null.
const NO_NULL: &str = "nothing equals NULL: use IS NULL or IS NOT NULL";

/// A word means one thing in a filter.
const TRANSFORMS: &str = "year, month, day and hour are partition transforms in filters, and compared with literals alone: for a part of a \
                          date write EXTRACT(YEAR FROM x)";

/// Reads an expression of values that may be true, false or null.
///
/// Errors: `InvalidInput` with the position; `Unsupported` for what is not understood.
pub(in crate::expr) fn parse_condition(sql: &str) -> Result<ValueExpression> {
    let sql = sql.trim_end_matches(|end: char| end == ';' || end.is_whitespace());
    let mut parser = Parser::new(sql)?;
    let tree = parser.values(Level::Or)?;
    if *parser.peek() != Token::End {
        return Err(parser.expected("an operator or the end: there is one expression"));
    }
    parser.checked(&tree, 0)?;
    Ok(ValueExpression { text: sql.into(), tree: tree.into() })
}

impl Parser<'_> {
    /// A test as an expression of values, read again from the token where it began. `otherwise` is what it is without expressions.
    ///
    /// Errors: of both errors that of the later position, so that an expression that is nearly right says what is wrong with it.
    pub(super) fn computed_test(
        &mut self,
        begin: usize,
        negated: bool,
        otherwise: Result<Expr>,
    ) -> Result<Expr> {
        let end = std::mem::replace(&mut self.next, begin);
        let from = self.at();
        let read = self.values(Level::Comparison).and_then(|tree| {
            self.checked(&tree, begin)?;
            if self.at_end_of_test() { Ok(()) } else { Err(self.expected("AND, OR or the end")) }
        });
        match read {
            Ok(()) => {
                // The expression of a negated test is null where the test is, and the rows of neither are the other's.
                let text = self.sql[from..self.at()].trim_end();
                let text = if negated { format!("NOT ({text})") } else { text.to_owned() };
                let tree = parse_values(&text).map_err(|_| crate::expr::combine::too_deep())?;
                Ok(Expr::Condition(ValueExpression { text: text.into(), tree: tree.into() }))
            }
            Err(error) if error.kind() == ErrorKind::LimitExceeded => Err(crate::expr::combine::too_deep()),
            Err(error) if self.next > end => Err(match error.kind() {
                ErrorKind::Unsupported => Error::unsupported(format!("the filter has {}", error.message())),
                _ => error,
            }),
            Err(_) => {
                self.next = end;
                otherwise
            }
        }
    }

    /// Checks that a tree is a condition, compares nothing with NULL, and calls no function by the name of a transform.
    fn checked(&mut self, tree: &Node, begin: usize) -> Result<()> {
        if let Some(null) = tree.compared_null() {
            self.next = self.tokens.partition_point(|token| token.at < null.span.start);
            return Err(self.wrong(NO_NULL));
        }
        if let Some((begin, error)) = wrong_literal(tree) {
            self.next = self.tokens.partition_point(|token| token.at < begin);
            return Err(self.wrong(error.message()));
        }
        if let Some(call) = self.call_like_transform(tree) {
            let end = std::mem::replace(&mut self.next, call);
            let error = self.wrong(TRANSFORMS);
            self.next = end;
            return Err(error);
        }
        if !tree.may_be_condition() {
            let what = if tree.kind == Kind::Null { NO_NULL } else { "expected a condition, found a value" };
            let error = self.wrong(what);
            self.next = begin;
            return Err(error);
        }
        Ok(())
    }

    /// The token where a function of dates is called by a word that names a transform.
    fn call_like_transform(&self, tree: &Node) -> Option<usize> {
        let mut found = None;
        tree.visit(&mut |node| {
            let token = self.tokens.partition_point(|token| token.at < node.span.start);
            if let (Kind::Call(Function::Part(_), _), Some(Token::Word(word))) =
                (&node.kind, self.tokens.get(token).map(|spanned| &spanned.token))
                && unary_transform(&word.to_ascii_lowercase()).is_some()
            {
                found = found.or(Some(token));
            }
        });
        found
    }

    /// Do the parentheses that open here have a whole test in them, with AND, OR or the end behind?
    pub(super) fn is_whole_test_in_parentheses(&mut self) -> bool {
        if self.closing.is_empty() {
            self.closing = closing(self);
        }
        match self.closing.get(self.next) {
            Some(Some(close)) => self.tokens.get(close + 1).is_none_or(|behind| ends_test(&behind.token)),
            _ => true,
        }
    }
}

/// For each opening parenthesis, the token that closes it.
fn closing(parser: &Parser<'_>) -> Vec<Option<usize>> {
    let mut found = vec![None; parser.tokens.len()];
    let mut open = Vec::new();
    for (number, spanned) in parser.tokens.iter().enumerate() {
        match spanned.token {
            Token::Sign("(") => open.push(number),
            Token::Sign(")") => {
                if let Some(begin) = open.pop() {
                    found[begin] = Some(number);
                }
            }
            _ => {}
        }
    }
    found
}
