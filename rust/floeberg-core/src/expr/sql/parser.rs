//! How is a filter read from SQL?
//!
//! In: the text of a `WHERE` clause. Out: the two-valued tree that matches the same rows.
//! Spec: Expressions specification, Boolean logic.
//!
//! SQL is three-valued: a test of null is neither true nor false, and `NOT` of it is neither. So `NOT` is pushed down
//! to the tests while parsing, and a test that is negated gets `AND x IS NOT NULL`: `x != 5`, `x NOT IN (5)` and
//! `NOT (x < 5)` are not true where x is null. `NULL` as a literal is refused, because nothing is ever equal to it.
//!
//! Invariant: linear in the length of the text; recursion is bounded by [`MAX_DEPTH`].

use std::collections::HashSet;

use super::cursor::{Parser, ends_test};
use super::lexer::{Token, wrong};
use super::like::{Pattern, pattern};
use super::literal;
use super::transform_words::unary_transform;
use crate::error::Result;
use crate::expr::names::is_reserved;
use crate::expr::{Expr, MAX_DEPTH, Operator, RawLiteral, Term};
use crate::transform::Transform;

/// Reads a filter.
///
/// Comparisons (`= == != <> < <= > >=`, the literal on either side), `[NOT] IN (..)`, `IS [NOT] NULL`, `IS [NOT] NAN`,
/// `[NOT] LIKE 'x%'`, `[NOT] STARTS WITH 'x'`, `[NOT] BETWEEN a AND b`, a boolean column by itself, `TRUE`, `FALSE`,
/// `AND`, `OR`, `NOT` and parentheses. A term is a column (`a`, `a.b`, `"a b"`, `` `a b` ``) or a transform of one
/// (`bucket(16, id)`, `truncate(4, s)`, `day(ts)`). What is no such test is a condition of the language of values, as in
/// `price * quantity > 100`.
///
/// Errors: `InvalidInput` with the position and what was expected there; `Unsupported` for a function or a type that values do not have;
/// `LimitExceeded` for a text nested too deep.
pub fn parse(sql: &str) -> Result<Expr> {
    let mut parser = Parser::new(sql)?;
    let expr = parser.disjunction(false)?;
    if *parser.peek() != Token::End {
        return Err(parser.expected("AND, OR or the end"));
    }
    expr.check_depth()?;
    Ok(expr)
}

impl Parser<'_> {
    /// `a OR b`; with `negated` its opposite.
    fn disjunction(&mut self, negated: bool) -> Result<Expr> {
        let mut terms = vec![self.conjunction(negated)?];
        while self.accept("OR") {
            terms.push(self.conjunction(negated)?);
        }
        Ok(if negated { all_of(terms) } else { Expr::any_of(terms) })
    }

    fn conjunction(&mut self, negated: bool) -> Result<Expr> {
        let mut terms = vec![self.test(negated)?];
        while self.accept("AND") {
            terms.push(self.test(negated)?);
        }
        Ok(if negated { Expr::any_of(terms) } else { all_of(terms) })
    }

    /// A test of a column; where there is none, an expression of values.
    fn test(&mut self, mut negated: bool) -> Result<Expr> {
        while self.accept("NOT") {
            negated = !negated;
        }
        let begin = self.next;
        if *self.peek() == Token::Sign("(") && self.is_whole_test_in_parentheses() {
            if self.depth == MAX_DEPTH {
                return Err(crate::expr::combine::too_deep());
            }
            self.advance(1);
            self.depth += 1;
            let inner = self.disjunction(negated)?;
            self.depth -= 1;
            self.expect_sign(")")?;
            return Ok(inner);
        }
        let found = self.column_test(negated);
        if found.is_ok() && self.at_end_of_test() { found } else { self.computed_test(begin, negated, found) }
    }

    /// A test of a column against literals, or a constant.
    fn column_test(&mut self, negated: bool) -> Result<Expr> {
        if let Some(constant) = self.constant() {
            return Ok(if constant == negated { Expr::False } else { Expr::True });
        }
        if let Some(literal) = literal::optional(self)? {
            let Some((op, opposite)) = self.comparison_sign() else {
                return Err(self.expected("a comparison after the literal"));
            };
            let term = self.term()?;
            return Ok(leaf(op.mirrored(), term, vec![literal], negated != opposite));
        }
        let term = self.term()?;
        self.after_term(term, negated)
    }

    /// `TRUE` or `FALSE` as a filter, not as the literal of a comparison.
    fn constant(&mut self) -> Option<bool> {
        let constant = match self.peek() {
            Token::Word(word) if word.eq_ignore_ascii_case("TRUE") => true,
            Token::Word(word) if word.eq_ignore_ascii_case("FALSE") => false,
            _ => return None,
        };
        let after = self.tokens.get(self.next + 1).map(|spanned| &spanned.token);
        if matches!(after, Some(Token::Sign(sign)) if comparison(sign).is_some()) {
            return None;
        }
        self.next += 1;
        Some(constant)
    }

    fn after_term(&mut self, term: Term, mut negated: bool) -> Result<Expr> {
        if let Some((op, opposite)) = self.comparison_sign() {
            let literal = literal::required(self)?;
            return Ok(leaf(op, term, vec![literal], negated != opposite));
        }
        if self.accept("IS") {
            negated ^= self.accept("NOT");
            let op = if self.accept("NULL") {
                Operator::IsNull
            } else if self.accept("NAN") {
                Operator::IsNan
            } else {
                return Err(self.expected("NULL or NAN"));
            };
            return Ok(leaf(op, term, Vec::new(), negated));
        }
        let inverted = self.accept("NOT");
        negated ^= inverted;
        if self.accept("IN") {
            return Ok(leaf(Operator::In, term, self.literal_list()?, negated));
        }
        if self.accept("BETWEEN") {
            let low = literal::required(self)?;
            self.expect("AND")?;
            let high = literal::required(self)?;
            let from = leaf(Operator::GtEq, term.clone(), vec![low], negated);
            let to = leaf(Operator::LtEq, term, vec![high], negated);
            return Ok(if negated { from.or(to) } else { from.and(to) });
        }
        if self.accept("STARTS") {
            self.expect("WITH")?;
            let prefix = RawLiteral::String(self.text()?);
            return Ok(leaf(Operator::StartsWith, term, vec![prefix], negated));
        }
        if self.accept("LIKE") {
            return self.like(term, negated);
        }
        if inverted {
            return Err(self.expected("IN, BETWEEN, LIKE or STARTS WITH"));
        }
        if self.at_end_of_test() {
            return Ok(leaf(Operator::Eq, term, vec![RawLiteral::Boolean(true)], negated));
        }
        Err(self.expected("a comparison, IS, IN, BETWEEN, LIKE or STARTS WITH"))
    }

    fn like(&mut self, term: Term, negated: bool) -> Result<Expr> {
        let at = self.at();
        let text = self.text()?;
        let escape = self.escape(at)?;
        match pattern(&text, escape).map_err(|what| wrong(self.sql, at, &what))? {
            Pattern::Exact(text) => Ok(leaf(Operator::Eq, term, vec![RawLiteral::String(text)], negated)),
            Pattern::Prefix(text) => {
                Ok(leaf(Operator::StartsWith, term, vec![RawLiteral::String(text)], negated))
            }
        }
    }

    /// The character of ESCAPE after a pattern, which begins at a byte; a backslash where ESCAPE is not written.
    pub(super) fn escape(&mut self, at: usize) -> Result<char> {
        if !self.accept("ESCAPE") {
            return Ok('\\');
        }
        let written = self.text()?;
        let mut characters = written.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(wrong(self.sql, at, "ESCAPE needs one character")),
        }
    }

    fn literal_list(&mut self) -> Result<Vec<RawLiteral>> {
        self.expect_sign("(")?;
        if *self.peek() == Token::Sign(")") {
            return Err(self.wrong("a list has at least one value, as in IN (1, 2)"));
        }
        let mut literals = vec![literal::required(self)?];
        while self.accept_sign(",") {
            literals.push(literal::required(self)?);
        }
        self.expect_sign(")")?;
        Ok(literals)
    }

    /// A column, or a transform of one.
    fn term(&mut self) -> Result<Term> {
        let unquoted = matches!(self.peek(), Token::Word(_));
        let at = self.at();
        let mut name = self.name_part()?;
        if unquoted && self.accept_sign("(") {
            return self.transform_term(&name, at);
        }
        while self.accept_sign(".") {
            name.push('.');
            name.push_str(&self.name_part()?);
        }
        Ok(Term::column(name))
    }

    fn transform_term(&mut self, function: &str, at: usize) -> Result<Term> {
        let lower = function.to_ascii_lowercase();
        let transform = match (lower.as_str(), unary_transform(&lower)) {
            (_, Some(transform)) => transform,
            ("bucket", None) => Transform::Bucket(self.width()?),
            ("truncate", None) => Transform::Truncate(self.width()?),
            _ => {
                return Err(wrong(
                    self.sql,
                    at,
                    &format!(
                        "no function is named {function}; there are bucket, truncate, year, month, day and hour"
                    ),
                ));
            }
        };
        let inner = self.term()?;
        if inner.transform.is_some() {
            return Err(wrong(self.sql, at, "a transform of a transform is not supported"));
        }
        self.expect_sign(")")?;
        Ok(Term { transform: Some(transform), ..inner })
    }

    /// `16,` of `bucket(16, id)`.
    fn width(&mut self) -> Result<u32> {
        let width = match self.peek() {
            Token::Number(digits) => {
                digits.parse().ok().filter(|width| *width > 0 && i32::try_from(*width).is_ok())
            }
            _ => None,
        };
        let width = width.ok_or_else(|| self.expected("a whole number from 1 to 2147483647"))?;
        self.next += 1;
        self.expect_sign(",")?;
        Ok(width)
    }

    fn name_part(&mut self) -> Result<String> {
        let name = match self.peek() {
            Token::Word(word) if !is_reserved(word) => (*word).to_owned(),
            Token::Quoted(name) => name.clone(),
            _ => return Err(self.expected("a column")),
        };
        self.next += 1;
        Ok(name)
    }

    pub(super) fn text(&mut self) -> Result<String> {
        let Token::Text(text) = self.peek() else { return Err(self.expected("a text in single quotes")) };
        let text = text.clone();
        self.next += 1;
        Ok(text)
    }

    pub(super) fn comparison_sign(&mut self) -> Option<(Operator, bool)> {
        let Token::Sign(sign) = self.peek() else { return None };
        let found = comparison(sign)?;
        self.next += 1;
        Some(found)
    }

    pub(super) fn at_end_of_test(&self) -> bool {
        ends_test(self.peek())
    }
}

/// The test of a comparison sign, and whether it stands for the opposite of that test.
fn comparison(sign: &str) -> Option<(Operator, bool)> {
    match sign {
        "=" | "==" => Some((Operator::Eq, false)),
        "!=" | "<>" => Some((Operator::Eq, true)),
        "<" => Some((Operator::Lt, false)),
        "<=" => Some((Operator::LtEq, false)),
        ">" => Some((Operator::Gt, false)),
        ">=" => Some((Operator::GtEq, false)),
        _ => None,
    }
}

/// A test or its three-valued opposite, as two-valued filters.
fn leaf(op: Operator, term: Term, literals: Vec<RawLiteral>, negated: bool) -> Expr {
    if !negated {
        return Expr::set(op, term, literals);
    }
    let opposite = Expr::set(op, term.clone(), literals).negate();
    if op.is_unary() { opposite } else { opposite.and(Expr::unary(Operator::NotNull, term)) }
}

/// All of the filters, with every `IS NOT NULL` once: what a filter shows says those that a parser added, and would get
/// them once more each time it is read.
fn all_of(terms: Vec<Expr>) -> Expr {
    let mut all = Expr::all_of(terms);
    if let Expr::And(children) = &mut all {
        let mut seen = HashSet::new();
        children.retain(|child| match child {
            Expr::Predicate(test) if test.op == Operator::NotNull => seen.insert(test.term.clone()),
            _ => true,
        });
    }
    Expr::all_of([all])
}
