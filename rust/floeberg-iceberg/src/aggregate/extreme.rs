//! What is the smallest, or the largest, value of a column?
//!
//! In: a plan that kept the column's counts and bounds. Out: the value, `None` if no row has one.
//! Spec: Field-level Metrics and Statistics: bounds enclose values, and need not be values.
//!
//! Invariant: a bound counts as a value only if the two bounds of a file with live values are equal. Other files are read only if
//! their bound is further out than the best value so far, in the order of their bounds. If bounds are exact, as most are, that
//! is one file.
//!
//! Nulls and NaN take no part, and -0.0 is 0.0, as in filters.

use std::cmp::Ordering;
use std::sync::Arc;

use floeberg_core::expr::{BoundExpr, ColumnStats, Share};
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::{Cancel, Error, Result};

use super::best::{Extreme, best_of};
use super::{AggregateMetrics, AggregateResult};
use crate::manifest::RowsMatch;
use crate::plan::{DeleteKind, Plan, PlannedFile};
use crate::read::{TableReader, read_task};
use floeberg_exec::threads::ordered;

/// The column of a name, if its values have an order.
///
/// Errors: `InvalidInput` for an unknown column, one inside a list or a map, and one whose values have no order.
pub(crate) fn column_of<'a>(schema: &'a Schema, name: &str, case_sensitive: bool) -> Result<&'a Field> {
    let id = schema.find(name, case_sensitive)?;
    let path = schema.path(id).unwrap_or_default();
    let Some((field, above)) = path.split_last() else {
        return Err(Error::internal(format!("the column {name:?} is not in its schema")));
    };
    if let Some(parent) = above.iter().find(|parent| !matches!(parent.field_type, Type::Struct(_))) {
        return Err(Error::invalid_input(format!(
            "{name:?} has several values a row, since it is inside {}, a {}",
            parent.name,
            if matches!(parent.field_type, Type::List(_)) { "list" } else { "map" }
        )));
    }
    match &field.field_type {
        Type::Primitive(PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. }) => {}
        Type::Primitive(_) => return Ok(field),
        _ => {}
    }
    Err(Error::invalid_input(format!(
        "the column {name:?} has no minimum or maximum: values of type {} have no order",
        field.field_type
    )))
}

/// The request: which end of which column, in which plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtremeRequest<'a> {
    /// A plan with the column's statistics.
    pub plan: &'a Plan,
    /// Reads the column alone.
    pub read: &'a Arc<TableReader>,
    /// The column.
    pub field: &'a Field,
    /// Which end.
    pub which: Extreme,
    /// How many threads read.
    pub threads: usize,
    /// Stops the work between files and batches.
    pub cancel: &'a Cancel,
}

/// What metadata prove about one file.
#[derive(Debug, PartialEq)]
pub(super) enum Known {
    /// It has no live value.
    Nothing,
    /// All its live values are this one.
    Exactly(Value),
    /// It must be read if it has no bound, or its bound is further out than the best value.
    Within(Option<Value>, &'static str),
}

/// Finds the value. Errors: those of reading, where files must be read.
pub(crate) fn extreme(request: ExtremeRequest<'_>) -> Result<AggregateResult<Option<Value>>> {
    let which = request.which;
    let mut metrics = AggregateMetrics::default();
    let mut best = None;
    let (mut bounded, mut unbounded) = (Vec::new(), Vec::new());
    request.plan.for_each_file(|file| {
        metrics.files += 1;
        let statistics = request.plan.statistics(file.number);
        match known(&file, statistics.unwrap_or(&ColumnStats::default()), &request.field.field_type, which) {
            Known::Nothing => metrics.by_metadata += 1,
            Known::Exactly(value) => {
                metrics.by_metadata += 1;
                improve(&mut best, Some(value), which);
            }
            Known::Within(Some(bound), why) => bounded.push((file.number, bound, why)),
            Known::Within(None, why) => unbounded.push((file.number, why)),
        }
        Ok(())
    })?;
    // A file without a bound must be read in any case, and may make others unnecessary.
    read(request, &unbounded, &mut best, &mut metrics)?;
    bounded.sort_by(|(_, left, _), (_, right, _)| match (which, compare(left, right)) {
        (_, None) => Ordering::Equal,
        (Extreme::Smallest, Some(order)) => order,
        (Extreme::Largest, Some(order)) => order.reverse(),
    });
    // The first file mostly decides, so it is read before others are started.
    let (mut wave, mut next) = (1, 0);
    while next < bounded.len() {
        let candidates: Vec<_> = bounded[next..]
            .iter()
            .take(wave)
            .filter(|(_, bound, _)| best.as_ref().is_none_or(|best| which.may_improve(bound, best)))
            .map(|(number, _, why)| (*number, *why))
            .collect();
        if candidates.is_empty() {
            metrics.not_needed += (bounded.len() - next) as u64;
            break;
        }
        let looked_at = wave.min(bounded.len() - next);
        metrics.not_needed += (looked_at - candidates.len()) as u64;
        read(request, &candidates, &mut best, &mut metrics)?;
        next += looked_at;
        wave = request.threads.max(1);
    }
    Ok(AggregateResult { value: best.map(unsigned_zero), metrics })
}

pub(super) fn known(
    file: &PlannedFile<'_>,
    statistics: &ColumnStats,
    field_type: &Type,
    which: Extreme,
) -> Known {
    let is_float = matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double));
    let is_unknown = *field_type == Type::Primitive(PrimitiveType::Unknown);
    let no_value = statistics.nulls == Share::All || (is_float && statistics.nans == Share::All);
    if file.rows == 0 || file.rows_match() == RowsMatch::None || no_value || is_unknown {
        return Known::Nothing;
    }
    // A NaN in the place of a bound is the mark of a writer that mixed NaN into both.
    let is_mixed = [&statistics.lower, &statistics.upper].into_iter().flatten().any(is_nan);
    let trusted = |bound| if is_mixed { None } else { Option::as_ref(bound) };
    let (lower, upper) = (trusted(&statistics.lower), trusted(&statistics.upper));
    let reason = match reason(file) {
        Some(reason) => reason,
        None => match (lower, upper) {
            (Some(lower), Some(upper))
                if compare(lower, upper) == Some(Ordering::Equal) && has_live_value(file, statistics) =>
            {
                return Known::Exactly(lower.clone());
            }
            _ => "bounds",
        },
    };
    let bound = match which {
        Extreme::Smallest => lower,
        Extreme::Largest => upper,
    };
    Known::Within(bound.cloned(), reason)
}

/// Why the file's metadata cannot decide which rows remain; `None` if at least one remains and all are alike.
fn reason(file: &PlannedFile<'_>) -> Option<&'static str> {
    if *file.residual != BoundExpr::True {
        return Some("filter");
    }
    file.deletes.first().map(|delete| match delete.kind {
        DeleteKind::Equality { .. } => "equality deletes",
        DeleteKind::Position => "position deletes",
        DeleteKind::Vector { .. } => "deletion vectors",
    })
}

/// Do counts prove that a row is neither null nor NaN?
fn has_live_value(file: &PlannedFile<'_>, statistics: &ColumnStats) -> bool {
    file.rows > 0
        && matches!(
            (statistics.nulls, statistics.nans),
            (Share::None, Share::None | Share::Some) | (Share::Some, Share::None)
        )
}

fn is_nan(bound: &Value) -> bool {
    match bound {
        Value::Float(value) => value.is_nan(),
        Value::Double(value) => value.is_nan(),
        _ => false,
    }
}

fn read(
    request: ExtremeRequest<'_>,
    files: &[(usize, &'static str)],
    best: &mut Option<Value>,
    metrics: &mut AggregateMetrics,
) -> Result<()> {
    let found = ordered(files, request.threads, request.cancel, |(number, _)| {
        let task = request.plan.task(*number)?;
        let mut best = None;
        for batch in read_task(request.read, &task)? {
            let value = best_of(&batch?, &request.field.field_type, request.which)?;
            improve(&mut best, value, request.which);
        }
        Ok(best)
    })?;
    for ((_, why), value) in files.iter().zip(found) {
        metrics.reads(why);
        improve(best, value, request.which);
    }
    Ok(())
}

fn improve(best: &mut Option<Value>, value: Option<Value>, which: Extreme) {
    let Some(value) = value else { return };
    if best.as_ref().is_none_or(|best| which.is_better(&value, best)) {
        *best = Some(value);
    }
}

/// The zeros are equal: it does not matter which of them the first file had.
fn unsigned_zero(value: Value) -> Value {
    match value {
        // -0.0 + 0.0 is 0.0, and every other number stays what it is.
        Value::Float(value) => Value::Float(value + 0.0),
        Value::Double(value) => Value::Double(value + 0.0),
        other => other,
    }
}
