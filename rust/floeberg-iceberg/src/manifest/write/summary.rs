//! How are the partition values of a manifest summarized?
//!
//! In: partition tuples, one after the other. Out: a summary per field.
//! Spec: Manifest Lists (field summary), notes 1 and 2.
//!
//! Invariant: NaN is never a bound, and -0.0 is below 0.0.

use floeberg_core::Result;
use floeberg_core::value::{Value, ordering, single_value};

use crate::manifest::FieldSummary;

/// The summaries of a manifest's partition fields, so far.
pub(super) struct Summaries(Vec<Summary>);

#[derive(Default, Clone)]
struct Summary {
    contains_null: bool,
    contains_nan: bool,
    /// The lowest and the highest.
    bounds: Option<(Value, Value)>,
}

impl Summaries {
    pub(super) fn new(fields: usize) -> Self {
        Self(vec![Summary::default(); fields])
    }

    /// The number of fields.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn add(&mut self, tuple: &[Option<Value>]) {
        self.0.iter_mut().zip(tuple).for_each(|(summary, value)| summary.add(value.as_ref()));
    }

    /// Adds the tuples of another part of the manifest.
    pub(super) fn join(&mut self, other: Self) {
        for (summary, more) in self.0.iter_mut().zip(other.0) {
            summary.contains_null |= more.contains_null;
            summary.contains_nan |= more.contains_nan;
            let (lower, upper) = more.bounds.unzip();
            lower.iter().chain(&upper).for_each(|value| summary.add(Some(value)));
        }
    }

    pub(super) fn finish(self) -> Result<Vec<FieldSummary>> {
        self.0.into_iter().map(Summary::finish).collect()
    }
}

impl Summary {
    fn add(&mut self, value: Option<&Value>) {
        let Some(value) = value else {
            self.contains_null = true;
            return;
        };
        if is_nan(value) {
            self.contains_nan = true;
            return;
        }
        match &mut self.bounds {
            None => self.bounds = Some((value.clone(), value.clone())),
            Some((lower, _)) if is_below(value, lower) => *lower = value.clone(),
            Some((_, upper)) if is_below(upper, value) => *upper = value.clone(),
            Some(_) => {}
        }
    }

    fn finish(self) -> Result<FieldSummary> {
        let (lower, upper) = self.bounds.unzip();
        let bytes = |bound: Option<Value>| bound.as_ref().map(single_value::to_bytes).transpose();
        Ok(FieldSummary {
            contains_null: self.contains_null,
            contains_nan: Some(self.contains_nan),
            lower_bound: bytes(lower)?,
            upper_bound: bytes(upper)?,
        })
    }
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(value) => value.is_nan(),
        Value::Double(value) => value.is_nan(),
        _ => false,
    }
}

/// For values of one type.
fn is_below(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right).is_lt(),
        (Value::Double(left), Value::Double(right)) => left.total_cmp(right).is_lt(),
        _ => ordering::compare(left, right).is_some_and(std::cmp::Ordering::is_lt),
    }
}
