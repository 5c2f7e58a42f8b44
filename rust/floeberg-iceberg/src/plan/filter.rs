//! Which manifests and entries can hold rows that a filter wants?
//!
//! In: a filter bound to the read schema, as conjuncts. Out: kept manifests, masks of kept entries, residuals.
//! Spec: Scan Planning.
//!
//! Invariant: what is dropped was proved to hold no matching row.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::{
    BoundExpr, MismatchReason, Residuals, evaluate_batch, explain_mismatch, may_match, project_inclusive,
};
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::{Error, Result};

use super::bounds::EntryStats;
use super::explain::Tally;
use super::specs::{PlannedSpec, Specs};
use super::summary::SummaryStats;
use crate::metadata::{ManifestEntries, ManifestFile};

/// A row filter, ready for planning.
#[derive(Debug)]
pub(crate) struct PlanFilter {
    whole: BoundExpr,
    conjuncts: Vec<BoundExpr>,
    /// The conjuncts as text, for the account.
    pub texts: Vec<String>,
    /// Per spec, each conjunct projected to the partition values.
    projected: HashMap<i32, Vec<BoundExpr>>,
    /// Per spec, what is left to ask in its partitions.
    residuals: HashMap<i32, Residuals>,
}

impl PlanFilter {
    /// Splits a filter into its conjuncts and projects each through every spec.
    pub fn new(whole: BoundExpr, specs: &Specs) -> Self {
        let conjuncts = match &whole {
            BoundExpr::True => Vec::new(),
            BoundExpr::And(conjuncts) => conjuncts.clone(),
            one => vec![one.clone()],
        };
        let projected = specs
            .iter()
            .map(|spec| {
                let each = conjuncts.iter().map(|conjunct| project_inclusive(conjunct, &spec.columns));
                (spec.spec_id, each.collect())
            })
            .collect();
        let residuals =
            specs.iter().map(|spec| (spec.spec_id, Residuals::new(&whole, &spec.columns))).collect();
        let texts = conjuncts.iter().map(ToString::to_string).collect();
        Self { whole, conjuncts, texts, projected, residuals }
    }

    /// The whole filter.
    pub fn whole(&self) -> &BoundExpr {
        &self.whole
    }

    /// What is left of it to ask in the partitions of a spec.
    pub fn residuals(&self, spec_id: i32) -> Result<&Residuals> {
        let found = self.residuals.get(&spec_id);
        found.ok_or_else(|| Error::internal(format!("the filter was not projected to spec {spec_id}")))
    }

    /// Does it keep everything?
    pub fn is_true(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// Can the manifest hold files that match, by its counts and partition summaries?
    pub fn keeps_manifest(&self, manifest: &ManifestFile, spec: &PlannedSpec, tally: &mut Tally) -> bool {
        tally.enter(1);
        if manifest.added_files_count == Some(0) && manifest.existing_files_count == Some(0) {
            tally.drop(usize::MAX, "no live entries", 1);
            return false;
        }
        let Some(summaries) = &manifest.partitions else { return true };
        let stats = SummaryStats { partition_type: &spec.partition_type, summaries };
        for (number, projected) in self.projected_of(spec).iter().enumerate() {
            if !may_match(projected, &stats) {
                tally.drop(number, "partition summary", 1);
                return false;
            }
        }
        true
    }

    /// Which entries can match by their partition values? `None` keeps all.
    pub fn keep_by_partition(
        &self,
        entries: &ManifestEntries,
        spec: &PlannedSpec,
        tally: &mut Tally,
    ) -> Result<Option<Vec<bool>>> {
        tally.enter(entries.len());
        let projected = self.projected_of(spec);
        if projected.iter().all(|projected| *projected == BoundExpr::True) {
            return Ok(None);
        }
        let rows = partition_rows(entries, spec)?;
        let mut kept = vec![true; entries.len()];
        for (number, projected) in projected.iter().enumerate() {
            if *projected == BoundExpr::True {
                continue;
            }
            let matching: BooleanArray = evaluate_batch(projected, &rows)?;
            let mut dropped = 0;
            for (keep, matches) in kept.iter_mut().zip(matching.values().iter()) {
                dropped += usize::from(*keep && !matches);
                *keep &= matches;
            }
            tally.drop(number, "partition value", dropped);
        }
        Ok(Some(kept))
    }

    /// Drops entries that their counts and bounds prove empty for the filter.
    pub fn keep_by_bounds(&self, entries: &ManifestEntries, kept: &mut [bool], tally: &mut Tally) {
        tally.enter(kept.iter().filter(|keep| **keep).count());
        for (row, keep) in kept.iter_mut().enumerate().filter(|(_, keep)| **keep) {
            if entries.record_count.value(row) == 0 {
                *keep = false;
                tally.drop(usize::MAX, "no rows", 1);
                continue;
            }
            let stats = EntryStats { entries, row };
            for (number, conjunct) in self.conjuncts.iter().enumerate() {
                if !may_match(conjunct, &stats) {
                    *keep = false;
                    let reason = explain_mismatch(conjunct, &stats).map_or("bounds", |why| named(why.reason));
                    tally.drop(number, reason, 1);
                    break;
                }
            }
        }
    }

    fn projected_of(&self, spec: &PlannedSpec) -> &[BoundExpr] {
        self.projected.get(&spec.spec_id).map_or(&[], Vec::as_slice)
    }
}

fn named(reason: MismatchReason) -> &'static str {
    match reason {
        MismatchReason::Never => "never true",
        MismatchReason::Bounds => "bounds",
        MismatchReason::NullCount => "null count",
        MismatchReason::NanCount => "NaN count",
    }
}

/// The entries' partition values as a batch whose columns carry the partition field ids.
fn partition_rows(entries: &ManifestEntries, spec: &PlannedSpec) -> Result<RecordBatch> {
    let fields = spec.partition_type.fields.iter().map(field_to_arrow).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(entries.len()));
    RecordBatch::try_new_with_options(
        Arc::new(ArrowSchema::new(fields)),
        entries.partition.columns().to_vec(),
        &options,
    )
    .map_err(|error| Error::internal("partition values do not have their spec's types").caused_by(error))
}
