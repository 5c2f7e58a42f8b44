//! Which rows match a filter, and which files can have them?
//!
//! `sql` and `json` read filters into `ast`; `bind` gives them columns and types, and everything else uses the bound form.
//! `project` projects a filter to partition values. `prune` tests statistics, of one set of rows or of many in columns.
//! `evaluate` tests rows and batches. `values` computes new values of rows.

mod ast;
mod bound;
mod bound_combine;
mod combine;
mod evaluate;
mod operator;
mod stats;
mod prune;
mod number;
mod convert;
mod project;
mod names;
mod term_text;
mod bind;
mod half_float;
mod values;
mod sql;
mod value_expression;
mod display;
pub mod json;
#[cfg(test)]
mod sample;

pub use ast::{Expr, MAX_DEPTH, Operator, Predicate, RawLiteral, Term};
pub use bind::bind;
pub use bound::{BoundColumn, BoundExpr, BoundPredicate};
pub use convert::value_of_text;
pub use evaluate::{evaluate_batch, evaluate_row};
pub use project::{PartitionColumn, Residuals, project_inclusive, project_strict};
pub use prune::{
    Mismatch, MismatchReason, explain_mismatch, explain_mismatches, may_match, must_match, must_match_each,
};
pub use sql::{QuotedNames, parse, value_columns};
pub use stats::{ColumnStats, Share, Stats, StatsColumn, StatsColumns};
pub use value_expression::ValueExpression;
