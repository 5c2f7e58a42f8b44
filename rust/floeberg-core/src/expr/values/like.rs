//! Does a text match a pattern of LIKE?
//!
//! Invariant: the time is that of the text times the pattern at most, whatever the pattern.

use crate::error::{Error, Result};

/// A pattern: `%` is any text, `_` is one character.
pub(super) struct Pattern {
    pieces: Vec<Piece>,
    case_sensitive: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Any,
    One,
    Only(char),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// Errors: `InvalidInput` where nothing follows an escape.
    pub(super) fn new(text: &str, escape: char, case_sensitive: bool) -> Result<Self> {
        let mut pieces = Vec::new();
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            pieces.push(match next {
                _ if next == escape => match rest.next() {
                    Some(literal) => Piece::Only(literal),
                    None => {
                        return Err(Error::invalid_input(format!(
                            "in LIKE {text:?}, a character must follow the escape {next:?}"
                        )));
                    }
                },
                '%' => Piece::Any,
                '_' => Piece::One,
                _ => Piece::Only(next),
            });
        }
        if !case_sensitive {
            for piece in &mut pieces {
                if let Piece::Only(character) = piece {
                    *piece = Piece::Only(lower(*character));
                }
            }
        }
        Ok(Self { pieces, case_sensitive })
    }

    /// Does the whole text match?
    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> =
            if self.case_sensitive { text.chars().collect() } else { text.chars().map(lower).collect() };
        let (mut at, mut piece) = (0, 0);
        // Where the last `%` is, and how much of the text it takes.
        let mut last = None;
        while at < text.len() {
            match self.pieces.get(piece) {
                Some(Piece::Any) => {
                    last = Some((piece, at));
                    piece += 1;
                }
                Some(Piece::One) => (at, piece) = (at + 1, piece + 1),
                Some(Piece::Only(character)) if *character == text[at] => (at, piece) = (at + 1, piece + 1),
                _ => {
                    let Some((any, taken)) = last else { return false };
                    last = Some((any, taken + 1));
                    (at, piece) = (taken + 1, any + 1);
                }
            }
        }
        self.pieces[piece..].iter().all(|piece| *piece == Piece::Any)
    }
}

fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}
