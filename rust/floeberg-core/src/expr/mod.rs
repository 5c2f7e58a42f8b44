//! Which rows match a filter, and which files can have them?
//!
//! `sql` and `json` read filters into `ast`; `bind` gives them columns and types, and everything else uses the bound form.
//! `project` projects a filter to partition values. `prune` tests statistics, of one set of rows or of many in columns.
//! `evaluate` tests rows and batches. `values` computes new values of rows, and the conditions of filters that are no tests of
//! columns.

mod operator;
mod raw_literal;
mod value_tree;
mod ast;
mod bound;
mod bound_combine;
mod combine;
mod stats;
mod prune;
mod number;
mod convert;
mod names;
mod term_text;
mod column_test;
mod half_float;
mod values;
mod evaluate;
mod project;
mod bind;
mod unbind;
mod sql;
mod value_expression;
mod display;
pub mod json;
#[cfg(test)]
mod sample;

pub use ast::{Expr, MAX_DEPTH, Predicate, Term};
pub use bind::bind;
pub use bound::{
    BoundColumn, BoundCondition, BoundExpr, BoundPredicate, ConditionColumn, FieldTest, Implied, VariantField,
};
pub use convert::value_of_text;
pub use evaluate::{evaluate_batch, evaluate_row, evaluate_rows};
pub use operator::Operator;
pub use project::{PartitionColumn, Residuals, project_inclusive, project_strict};
pub use prune::{
    Mismatch, MismatchReason, explain_mismatch, explain_mismatches, may_match, must_match, must_match_each,
};
pub use raw_literal::RawLiteral;
pub use sql::{QuotedNames, parse, value_columns};
pub use stats::{ColumnStats, Share, Stats, StatsColumn, StatsColumns};
pub use unbind::unbind;
pub use value_tree::ValueExpression;
