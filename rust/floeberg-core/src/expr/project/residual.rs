//! What is the residual of a filter in one partition?
//!
//! In: a filter and the partition fields, then the values of one partition after the other. Out: the filter without the
//! tests that the partition values decide.
//! Spec: Scan Planning.
//!
//! Invariant: for every row of the partition the residual and the filter agree. Tests are projected once, not once per
//! partition: a set of literals can be long.

use super::PartitionColumn;
use super::inclusive::predicate_inclusive;
use super::strict::predicate_strict;
use crate::expr::{BoundExpr, BoundPredicate, evaluate_row};
use crate::value::Value;

/// The residuals of one filter in the partitions of one spec.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    filter: BoundExpr,
    fields: Vec<PartitionColumn>,
    root: Node,
}

/// A part of the filter.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// No partition value decides it.
    Kept(BoundExpr),
    /// All of them.
    And(Vec<Node>),
    /// Any of them.
    Or(Vec<Node>),
    /// A test with its strict and its inclusive projection.
    Test(Box<[BoundExpr; 2]>, BoundPredicate),
}

impl Residuals {
    /// Projects the tests of a filter.
    pub fn new(filter: &BoundExpr, fields: &[PartitionColumn]) -> Self {
        Self { root: node(filter, fields), filter: filter.clone(), fields: fields.to_vec() }
    }

    /// The filter.
    pub fn filter(&self) -> &BoundExpr {
        &self.filter
    }

    /// Can a partition answer any of the tests? If not, the filter itself is left in all of them.
    pub fn depend_on_partition(&self) -> bool {
        !matches!(self.root, Node::Kept(_))
    }

    /// What is left in the partition of these values, given by partition field id (null is `None`).
    ///
    /// A test that a partition value can not answer, or answers with an error, stays.
    pub fn of(&self, partition: &[(i32, Option<Value>)]) -> BoundExpr {
        let has = |field: &&PartitionColumn| partition.iter().any(|(id, _)| *id == field.field_id);
        if self.depend_on_partition() && !self.fields.iter().all(|field| has(&field)) {
            // A field without a value in the tuple would read as null.
            let known: Vec<_> = self.fields.iter().filter(has).cloned().collect();
            return Self::new(&self.filter, &known).of(partition);
        }
        let value = |id: i32| {
            partition.iter().find(|(field_id, _)| *field_id == id).and_then(|(_, value)| value.clone())
        };
        left(&self.root, &value)
    }
}

fn node(expr: &BoundExpr, fields: &[PartitionColumn]) -> Node {
    let nodes = |children: &[BoundExpr]| children.iter().map(|child| node(child, fields)).collect();
    let parts: Vec<Node> = match expr {
        BoundExpr::And(children) | BoundExpr::Or(children) => nodes(children),
        BoundExpr::Predicate(test) if fields.iter().any(|field| field.source_id == test.column.id) => {
            let projections = [predicate_strict(test, fields), predicate_inclusive(test, fields)];
            return Node::Test(Box::new(projections), test.clone());
        }
        BoundExpr::True | BoundExpr::False | BoundExpr::Predicate(_) | BoundExpr::Condition(_) => Vec::new(),
    };
    if parts.iter().all(|part| matches!(part, Node::Kept(_))) {
        return Node::Kept(expr.clone());
    }
    if matches!(expr, BoundExpr::And(_)) { Node::And(parts) } else { Node::Or(parts) }
}

fn left(node: &Node, value: &dyn Fn(i32) -> Option<Value>) -> BoundExpr {
    match node {
        Node::Kept(expr) => expr.clone(),
        Node::And(parts) => BoundExpr::all_of(parts.iter().map(|part| left(part, value))),
        Node::Or(parts) => BoundExpr::any_of(parts.iter().map(|part| left(part, value))),
        Node::Test(projections, test) => {
            let [strict, inclusive] = &**projections;
            if evaluate_row(strict, value).unwrap_or(false) {
                BoundExpr::True
            } else if evaluate_row(inclusive, value).unwrap_or(true) {
                BoundExpr::Predicate(test.clone())
            } else {
                BoundExpr::False
            }
        }
    }
}
