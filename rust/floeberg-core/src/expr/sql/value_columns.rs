//! Is a text a SQL expression of columns?
//!
//! In: a text that is to be a new value. Out: the columns that it names, if it reads as an expression of them; nothing,
//! if it reads as words. Whoever takes texts as values refuses those that a user may have meant as an expression.
//!
//! Invariant: linear in the length of the text; recursion is bounded by [`MAX_DEPTH`].

use super::cursor::Parser;
use super::lexer::Token;
use crate::expr::MAX_DEPTH;
use crate::expr::names::is_reserved_in_values;

/// The columns that a text names, if it reads as an expression of columns.
///
/// `None` for a text without a column, and for one that is no expression: operands without an operator between them, a
/// sign at the end. Names are dotted, without quotes.
pub fn value_columns(text: &str) -> Option<Vec<String>> {
    let mut parser = Parser::new(text).ok()?;
    let mut columns = Vec::new();
    let read = parser.operands(&mut columns);
    (read && *parser.peek() == Token::End && !columns.is_empty()).then_some(columns)
}

impl Parser<'_> {
    /// Operands with operators between them.
    fn operands(&mut self, columns: &mut Vec<String>) -> bool {
        loop {
            while self.accept("NOT") || self.accept_sign("-") || self.accept_sign("+") {}
            if !self.operand(columns) {
                return false;
            }
            while self.accept("IS") {
                self.accept("NOT");
                if !["NULL", "NAN", "TRUE", "FALSE"].into_iter().any(|word| self.accept(word)) {
                    return false;
                }
            }
            if !self.operator() {
                return true;
            }
        }
    }

    fn operand(&mut self, columns: &mut Vec<String>) -> bool {
        match self.peek() {
            Token::Text(_) | Token::Number(_) | Token::Bytes(_) => {
                self.advance(1);
                true
            }
            Token::Sign("(") => self.inside(columns),
            Token::Word(word) if word.eq_ignore_ascii_case("CASE") => self.case(columns),
            Token::Word(word) if is_word(word) => {
                let is_literal =
                    ["TRUE", "FALSE", "NULL", "DATE"].iter().any(|each| word.eq_ignore_ascii_case(each));
                self.advance(1);
                if matches!(self.peek(), Token::Text(_)) {
                    self.advance(1);
                }
                is_literal
            }
            Token::Word(_) | Token::Quoted(_) => self.named(columns),
            Token::Sign(_) | Token::End => false,
        }
    }

    /// A column, or a function of operands.
    fn named(&mut self, columns: &mut Vec<String>) -> bool {
        let mut name = String::new();
        loop {
            match self.peek() {
                Token::Word(word) => name.push_str(word),
                Token::Quoted(part) => name.push_str(part),
                _ => return false,
            }
            self.advance(1);
            if !self.accept_sign(".") {
                break;
            }
            name.push('.');
        }
        match self.peek() {
            Token::Sign("(") => self.inside(columns),
            // TIMESTAMP '..' and its like.
            Token::Text(_) => {
                self.advance(1);
                true
            }
            _ => {
                columns.push(name);
                true
            }
        }
    }

    /// What is in parentheses: operands, divided by commas or AS; or nothing.
    fn inside(&mut self, columns: &mut Vec<String>) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        self.advance(1);
        let mut read = self.accept_sign(")");
        while !read {
            if !(self.accept_sign("*") || self.operands(columns)) {
                break;
            }
            if self.accept("AS") {
                // A type, with its size.
                let mut types = Vec::new();
                if !self.named(&mut types) {
                    break;
                }
            }
            read = self.accept_sign(")");
            if !read && !self.accept_sign(",") {
                break;
            }
        }
        self.depth -= 1;
        read
    }

    fn case(&mut self, columns: &mut Vec<String>) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        self.advance(1);
        let mut read = true;
        if !matches!(self.peek(), Token::Word(word) if word.eq_ignore_ascii_case("WHEN")) {
            read = self.operands(columns);
        }
        let mut branches = 0;
        while read && self.accept("WHEN") {
            read = self.operands(columns) && self.accept("THEN") && self.operands(columns);
            branches += 1;
        }
        if read && self.accept("ELSE") {
            read = self.operands(columns);
        }
        self.depth -= 1;
        read && branches > 0 && self.accept("END")
    }

    /// An operator between operands.
    fn operator(&mut self) -> bool {
        if let Token::Sign(sign) = self.peek() {
            let found = !matches!(*sign, "(" | ")" | "," | ".");
            self.advance(usize::from(found));
            return found;
        }
        let negated = self.accept("NOT");
        ["IN", "LIKE", "ILIKE", "BETWEEN"].into_iter().any(|word| self.accept(word))
            || !negated && ["AND", "OR", "ESCAPE"].into_iter().any(|word| self.accept(word))
    }
}

/// Words that open, divide and close an expression, and are no columns.
fn is_word(word: &str) -> bool {
    is_reserved_in_values(word) || ["NAN", "DATE"].iter().any(|each| word.eq_ignore_ascii_case(each))
}
