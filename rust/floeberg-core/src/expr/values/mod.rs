//! Which values does a SQL expression have on the rows of a batch?
//!
//! In: an expression as text, and columns by their names. Out: an Arrow array with a value for each row.
//! `sql` parses the text into `value_tree`; `evaluate` computes, by the rules of `types`, `compare`, `arithmetic`, `intervals`,
//! `cast`, `variants`, `round`, `text` and `dates`.
//!
//! Invariant: null is as in SQL, with three-valued logic. Arithmetic that overflows and a division by zero are errors.
//! A part is computed only for the rows that need it, as CASE, AND, OR and COALESCE say. A comparison with a literal is
//! that of a row filter, so that both find the same rows.

mod kinds;
mod kernels;
mod literal;
mod operand;
mod cast_text;
mod cast;
mod variants;
mod types;
mod compare;
mod intervals;
mod arithmetic;
mod round;
mod text;
mod like;
mod rows;
mod evaluate;
mod branches;
mod conditions;
mod dates;
mod date_parts;
mod functions;
mod expression;

pub(in crate::expr) use super::value_tree::{
    Arithmetic, DateUnit, Function, Is, Kind, Literal, Node, SqlType,
};
pub(in crate::expr) use date_parts::{part_named, unit_named};
pub(in crate::expr) use evaluate::wrong_literal;
pub(in crate::expr) use expression::shown;
pub(in crate::expr) use variants::primitive_of_sql;
