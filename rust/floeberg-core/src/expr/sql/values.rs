//! How is an expression of values read from SQL?
//!
//! In: text. Out: the tree of `values`.
//!
//! Invariant: linear in the length of the text; recursion is bounded by [`MAX_DEPTH`].

use super::cursor::Parser;
use super::lexer::Token;
use super::like::escaped_prefix;
use crate::error::{Error, Result};
use crate::expr::values::{Arithmetic, Function, Is, Kind, Node};
use crate::expr::{MAX_DEPTH, Operator};

/// How tightly operators bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Not,
    Comparison,
    Concat,
    Sum,
    Product,
    Sign,
}

/// Reads an expression of values.
///
/// Errors: `InvalidInput` with the position and what was expected there; `Unsupported` for what is not understood.
pub(in crate::expr) fn parse_values(sql: &str) -> Result<Node> {
    let sql = sql.trim_end_matches(|end: char| end == ';' || end.is_whitespace());
    let mut parser = Parser::new(sql)?;
    let node = parser.values(Level::Or)?;
    if *parser.peek() != Token::End {
        return Err(parser.expected("an operator or the end: there is one expression"));
    }
    Ok(node)
}

impl Parser<'_> {
    /// Operators that bind at least so tightly, with their operands.
    pub(super) fn values(&mut self, level: Level) -> Result<Node> {
        if self.depth == MAX_DEPTH {
            return Err(Error::limit("nested too deeply: use fewer parentheses and operators in each other"));
        }
        self.depth += 1;
        let found = self.operators(level);
        self.depth -= 1;
        found
    }

    fn operators(&mut self, level: Level) -> Result<Node> {
        let at = self.at();
        let mut left = self.prefixed(level)?;
        loop {
            let before = self.next;
            left = match self.value_operator(level, at, left)? {
                Ok(more) => more,
                Err(left) => return Ok(left),
            };
            debug_assert!(self.next > before, "an operator has tokens");
        }
    }

    /// `NOT a`, `-a`, or an operand.
    fn prefixed(&mut self, level: Level) -> Result<Node> {
        let at = self.at();
        if level <= Level::Not && self.accept("NOT") {
            let of = self.values(Level::Not)?;
            return Ok(self.node(at, Kind::Not(Box::new(of))));
        }
        if self.accept_sign("-") {
            let of = self.values(Level::Sign)?;
            let kind = match of.kind {
                Kind::Literal(literal) if literal.is_number() => Kind::Literal(literal.negated()?),
                _ => Kind::Negative(Box::new(of)),
            };
            return Ok(self.node(at, kind));
        }
        if self.accept_sign("+") {
            return self.values(Level::Sign);
        }
        self.value_operand()
    }

    /// The next operator with its right side, if it binds tightly enough; else the left side again.
    fn value_operator(&mut self, level: Level, at: usize, left: Node) -> Result<Result<Node, Node>> {
        if level <= Level::Sign && self.accept_sign("::") {
            let kind = self.sql_type()?;
            return Ok(Ok(self.node(at, Kind::Cast(Box::new(left), kind, false))));
        }
        if level <= Level::Product && self.arithmetic(Level::Product).is_some() {
            return self.chain(Level::Product, at, left).map(Ok);
        }
        if level <= Level::Sum && self.arithmetic(Level::Sum).is_some() {
            return self.chain(Level::Sum, at, left).map(Ok);
        }
        if level <= Level::Concat && *self.peek() == Token::Sign("||") {
            let mut parts = vec![left];
            while self.accept_sign("||") {
                parts.push(self.values(Level::Sum)?);
            }
            return Ok(Ok(self.node(at, Kind::Call(Function::Concat, parts))));
        }
        if level <= Level::Comparison {
            match self.value_test(at, left)? {
                Ok(made) => return Ok(Ok(made)),
                Err(left) => return self.logic(level, at, left),
            }
        }
        Ok(Err(left))
    }

    fn logic(&mut self, level: Level, at: usize, left: Node) -> Result<Result<Node, Node>> {
        for (word, own, tighter) in [("AND", Level::And, Level::Not), ("OR", Level::Or, Level::And)] {
            if level > own || !self.accept(word) {
                continue;
            }
            let mut terms = vec![left, self.values(tighter)?];
            while self.accept(word) {
                terms.push(self.values(tighter)?);
            }
            // Chains in parentheses are parts of the chain.
            let flat = terms.into_iter().flat_map(|term| match (own, term.kind) {
                (Level::And, Kind::All(inner)) | (Level::Or, Kind::Any(inner)) => inner,
                (_, kind) => vec![Node { kind, span: term.span }],
            });
            let flat = flat.collect();
            let kind = if own == Level::And { Kind::All(flat) } else { Kind::Any(flat) };
            return Ok(Ok(self.node(at, kind)));
        }
        Ok(Err(left))
    }

    /// The operator of numbers that is next, at a level.
    fn arithmetic(&self, level: Level) -> Option<Arithmetic> {
        let Token::Sign(sign) = self.peek() else { return None };
        match (*sign, level) {
            ("+", Level::Sum) => Some(Arithmetic::Add),
            ("-", Level::Sum) => Some(Arithmetic::Subtract),
            ("*", Level::Product) => Some(Arithmetic::Multiply),
            ("/", Level::Product) => Some(Arithmetic::Divide),
            ("%", Level::Product) => Some(Arithmetic::Remainder),
            _ => None,
        }
    }

    fn chain(&mut self, level: Level, at: usize, first: Node) -> Result<Node> {
        let tighter = if level == Level::Sum { Level::Product } else { Level::Sign };
        let mut rest = Vec::new();
        while let Some(operator) = self.arithmetic(level) {
            self.advance(1);
            rest.push((operator, self.values(tighter)?));
        }
        Ok(self.node(at, Kind::Arithmetic(Box::new(first), rest)))
    }

    /// A comparison, or another test of the left side, if one is next; else the left side again.
    fn value_test(&mut self, at: usize, left: Node) -> Result<Result<Node, Node>> {
        let left = Box::new(left);
        if let Some((operator, opposite)) = self.comparison_sign() {
            let operator = if opposite { operator.complement().unwrap_or(operator) } else { operator };
            let right = Box::new(self.values(Level::Concat)?);
            return Ok(Ok(self.node(at, Kind::Compare(operator, left, right))));
        }
        if self.accept_sign("<=>") {
            let right = Box::new(self.values(Level::Concat)?);
            return Ok(Ok(self.node(at, Kind::Distinct(left, right, false))));
        }
        if self.accept("IS") {
            let negated = self.accept("NOT");
            if self.accept("DISTINCT") {
                self.expect("FROM")?;
                let right = Box::new(self.values(Level::Concat)?);
                return Ok(Ok(self.node(at, Kind::Distinct(left, right, !negated))));
            }
            let tests = [("NULL", Is::Null), ("NAN", Is::Nan), ("TRUE", Is::True), ("FALSE", Is::False)];
            let test = tests.into_iter().find(|(word, _)| self.accept(word));
            let (_, test) = test.ok_or_else(|| self.expected("NULL, TRUE, FALSE, NAN or DISTINCT FROM"))?;
            return Ok(Ok(self.node(at, Kind::Is(left, test, negated))));
        }
        let before = self.next;
        let negated = self.accept("NOT");
        if self.accept("IN") {
            let list = self.value_list()?;
            return Ok(Ok(self.node(at, Kind::In(left, list, negated))));
        }
        if self.accept("BETWEEN") {
            let low = Box::new(self.values(Level::Concat)?);
            self.expect("AND")?;
            let high = Box::new(self.values(Level::Concat)?);
            return Ok(Ok(self.node(at, Kind::Between(left, low, high, negated))));
        }
        if self.accept("STARTS") {
            self.expect("WITH")?;
            let pattern = escaped_prefix(&self.text()?);
            let kind = Kind::Like { of: left, pattern, escape: '\\', case_sensitive: true, negated };
            return Ok(Ok(self.node(at, kind)));
        }
        for (word, case_sensitive) in [("LIKE", true), ("ILIKE", false)] {
            if self.accept(word) {
                let Token::Text(_) = self.peek() else {
                    if self.any_dialect {
                        let right = Box::new(self.values(Level::Concat)?);
                        return Ok(Ok(self.node(at, Kind::Compare(Operator::Eq, left, right))));
                    }
                    return Err(self.not_supported(&format!("{word} needs a literal pattern")));
                };
                let at_pattern = self.at();
                let pattern = self.text()?;
                let escape = self.escape(at_pattern)?;
                let kind = Kind::Like { of: left, pattern, escape, case_sensitive, negated };
                return Ok(Ok(self.node(at, kind)));
            }
        }
        if negated {
            self.next = before;
            return Err(
                self.expected("an operator: NOT stands before IN, BETWEEN, LIKE, ILIKE or STARTS WITH")
            );
        }
        Ok(Err(*left))
    }

    /// `(a, b)`
    pub(super) fn value_list(&mut self) -> Result<Vec<Node>> {
        if !self.accept_sign("(") {
            if self.any_dialect {
                return Ok(vec![self.values(Level::Concat)?]);
            }
            return Err(self.not_supported("IN needs a list of values in parentheses"));
        }
        if *self.peek() == Token::Sign(")") {
            return Err(self.wrong("a list has at least one value, as in IN (1, 2)"));
        }
        let mut list = vec![self.values(Level::Or)?];
        while self.accept_sign(",") {
            list.push(self.values(Level::Or)?);
        }
        self.expect_sign(")")?;
        Ok(list)
    }

    /// A part that began at a byte, and ends before the next token.
    pub(super) fn node(&self, at: usize, kind: Kind) -> Node {
        Node { kind, span: at..self.at() }
    }

    /// The error for what is read and not understood.
    pub(super) fn not_supported(&self, what: &str) -> Error {
        let at = self.at();
        let near: String = self.sql[at..].chars().take(30).collect();
        Error::unsupported(format!(
            "{near:?}, which is not supported: {what}; or use a pyarrow.compute expression or a function"
        ))
    }
}
