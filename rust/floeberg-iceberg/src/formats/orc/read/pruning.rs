//! Which stripes and row groups can hold a row that matches a filter?
//!
//! In: a filter, and what a file says of its stripes and row groups. Out: those that are left.
//! Spec: Scan Planning; ORC v1, Indexes.
//!
//! Invariant: a stripe or row group is left out only if its statistics, or its bloom filters, prove that no row matches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::expr::{BoundColumn, BoundExpr, BoundPredicate, ColumnStats, Operator, Stats, may_match};
use floeberg_core::schema::Type;
use floeberg_files::{FileField, RowPredicate, Unit};
use floeberg_orc::StripeIndex;

use super::open::OrcFile;

/// The columns that a filter tests, and their leaves in the file.
pub(super) struct Tested {
    columns: BTreeMap<i32, (usize, Arc<BoundColumn>)>,
}

/// What is known of the tested columns.
struct Known(BTreeMap<i32, ColumnStats>);

impl Stats for Known {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        self.0.get(&id).cloned().unwrap_or_default()
    }
}

impl Tested {
    /// Those of a predicate whose values the file has, and no partition value replaces.
    pub(super) fn new(file: &OrcFile, predicate: &RowPredicate) -> Self {
        let mut columns = BTreeMap::new();
        visit(&predicate.expr, &mut |column| {
            let leaf = find(&file.fields.fields, &column.path).map(|field| field.leaves.start);
            if let Some(leaf) = leaf.filter(|leaf| predicate.leaves().contains(leaf)) {
                columns.insert(column.id, (leaf, Arc::clone(column)));
            }
        });
        Self { columns }
    }

    /// Can statistics of the file decide nothing?
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    fn leaves(&self) -> BTreeSet<usize> {
        self.columns.values().map(|(leaf, _)| *leaf).collect()
    }

    /// Of some stripes, those that may hold a matching row. Errors: those of the store.
    pub(super) fn stripes(
        &self,
        file: &OrcFile,
        predicate: &RowPredicate,
        units: Vec<Unit>,
    ) -> Result<Vec<Unit>> {
        let mut left = Vec::with_capacity(units.len());
        for unit in units {
            let mut known = BTreeMap::new();
            for (id, (leaf, column)) in &self.columns {
                known.insert(*id, file.file.stripe_stats(unit.number, *leaf, &column.field_type)?);
            }
            if may_match(&predicate.expr, &Known(known)) {
                left.push(unit);
            }
        }
        Ok(left)
    }

    /// The row groups of a stripe that may hold a matching row, and its index; `None` if that is all of them, or not known.
    ///
    /// Errors: those of the store.
    pub(super) fn groups(
        &self,
        file: &OrcFile,
        predicate: &RowPredicate,
        stripe: usize,
    ) -> Result<Option<(StripeIndex, Vec<Range<usize>>)>> {
        let Some(index) = file.file.index(stripe, &self.leaves())? else { return Ok(None) };
        let mut left: Vec<Range<usize>> = Vec::new();
        let mut count = 0;
        for group in 0..index.groups() {
            let known = |(id, (leaf, column)): (&i32, &(usize, Arc<BoundColumn>))| {
                (*id, index.stats(group, *leaf, &column.field_type))
            };
            let stats = Known(self.columns.iter().map(known).collect());
            if !may_match(&predicate.expr, &stats) || !self.may_have(&predicate.expr, &index, group, &stats) {
                continue;
            }
            count += 1;
            match left.last_mut().filter(|last| last.end == group) {
                Some(last) => last.end += 1,
                None => left.push(group..group + 1),
            }
        }
        Ok((count < index.groups()).then_some((index, left)))
    }

    /// May a row match by the bloom filters of a row group?
    fn may_have(&self, expr: &BoundExpr, index: &StripeIndex, group: usize, stats: &Known) -> bool {
        match expr {
            BoundExpr::And(children) => {
                children.iter().all(|child| self.may_have(child, index, group, stats))
            }
            BoundExpr::Or(children) => children.iter().any(|child| self.may_have(child, index, group, stats)),
            BoundExpr::Predicate(test) => may_match(expr, stats) && self.test_may_have(test, index, group),
            BoundExpr::False => false,
            BoundExpr::True | BoundExpr::Condition(_) => true,
        }
    }

    fn test_may_have(&self, test: &BoundPredicate, index: &StripeIndex, group: usize) -> bool {
        if !matches!(test.op, Operator::Eq | Operator::In) || test.transform.is_some() {
            return true;
        }
        let Some((leaf, column)) = self.columns.get(&test.column.id) else { return true };
        index.may_have(group, *leaf, &column.field_type, &test.literals)
    }
}

/// Calls a function with every column whose statistics may decide a test.
fn visit(filter: &BoundExpr, call: &mut dyn FnMut(&Arc<BoundColumn>)) {
    match filter {
        BoundExpr::True | BoundExpr::False | BoundExpr::Condition(_) => {}
        BoundExpr::And(children) | BoundExpr::Or(children) => {
            for child in children {
                visit(child, call);
            }
        }
        BoundExpr::Predicate(predicate) => call(&predicate.column),
    }
}

/// The primitive column at a path of ids through structs.
fn find<'a>(fields: &'a [FileField], path: &[i32]) -> Option<&'a FileField> {
    let (id, rest) = path.split_first()?;
    let field = fields.iter().find(|field| field.id == Some(*id))?;
    match (field.children.is_empty(), rest) {
        (true, []) => Some(field),
        (false, [_, ..]) => find(&field.children, rest),
        _ => None,
    }
}
