//! Which different residuals does a plan have?
//!
//! In: the residuals of one manifest after the other. Out: a list without repetition, and each one's number in it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use floeberg_core::expr::BoundExpr;

/// Gives each different residual of a plan a number.
#[derive(Debug, Default)]
pub(crate) struct DistinctResiduals {
    numbers: HashMap<String, i32>,
    list: Vec<Arc<BoundExpr>>,
}

impl DistinctResiduals {
    /// The number in the plan of each residual of a manifest.
    pub fn numbers(&mut self, residuals: Vec<BoundExpr>) -> Vec<i32> {
        residuals.into_iter().map(|residual| self.number(residual)).collect()
    }

    /// The different residuals, by number.
    pub fn list(&self) -> &[Arc<BoundExpr>] {
        &self.list
    }

    /// The different residuals, by number, without a copy.
    pub fn into_list(self) -> Vec<Arc<BoundExpr>> {
        self.list
    }

    fn number(&mut self, residual: BoundExpr) -> i32 {
        let mut key = String::new();
        describe(&residual, &mut key);
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(Arc::new(residual));
            self.list.len() as i32 - 1
        })
    }
}

/// A text that distinguishes the residuals of one filter. Their tests share the filter's literals, so the address of the
/// literals is enough, even if there are thousands.
fn describe(residual: &BoundExpr, out: &mut String) {
    match residual {
        BoundExpr::True => out.push('T'),
        BoundExpr::False => out.push('F'),
        BoundExpr::And(children) => describe_all('&', children, out),
        BoundExpr::Or(children) => describe_all('|', children, out),
        BoundExpr::Predicate(test) => {
            let (op, column, literals) = (test.op, test.column.id, test.literals.as_ptr());
            // Writing to a String never fails.
            let _ = write!(out, "{op:?} {column} {:?} {literals:p};", test.transform);
        }
        BoundExpr::Condition(condition) => {
            let (columns, negated) = (condition.columns.as_ptr(), condition.negated);
            let _ = write!(out, "{columns:p} {negated};");
        }
    }
}

fn describe_all(sign: char, children: &[BoundExpr], out: &mut String) {
    out.push(sign);
    for child in children {
        describe(child, out);
    }
    out.push(')');
}
