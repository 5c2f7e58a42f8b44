//! What rows does a user want, and which files can hold them?

mod ast;
mod bound;
mod stats;

pub use ast::{Expr, MAX_DEPTH, Operator, Predicate, RawLiteral, Term};
pub use bound::{BoundColumn, BoundExpr, BoundPredicate};
pub use stats::{ColumnStats, Share, Stats};
