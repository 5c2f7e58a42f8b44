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
    BoundExpr, Residuals, Stats, evaluate_batch, explain_mismatch, explain_mismatches, may_match,
    project_inclusive,
};
use floeberg_core::schema::PrimitiveType;
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::{Error, Result};

use super::bounds::BlockStats;
use super::specs::{PlannedSpec, Specs};
use super::summary::SummaryStats;
use super::tally::{NO_TEST, NamedTest, Tally};
use super::verdicts::Verdicts;
use crate::manifest::{ManifestEntries, ManifestFile};

/// A row filter, ready for planning.
#[derive(Debug)]
pub(crate) struct PlanFilter {
    whole: BoundExpr,
    conjuncts: Vec<BoundExpr>,
    /// The conjuncts, for the account.
    pub tests: Vec<NamedTest>,
    /// Per spec, each conjunct projected to the partition values.
    projected: HashMap<i32, Vec<BoundExpr>>,
    /// Per spec, what is left to ask in its partitions.
    residuals: HashMap<i32, Residuals>,
    /// The columns of each conjunct, if keys that are equal are alike to it.
    told_by_keys: Vec<Option<Vec<i32>>>,
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
        let tests = conjuncts.iter().map(NamedTest::of).collect();
        let told_by_keys = conjuncts.iter().map(columns_without_floats).collect();
        Self { whole, conjuncts, tests, projected, residuals, told_by_keys }
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
            tally.drop(NO_TEST, "no live entries", &manifest.manifest_path);
            return false;
        }
        let Some(summaries) = &manifest.partitions else { return true };
        let stats = SummaryStats { partition_type: &spec.partition_type, summaries };
        for (number, projected) in self.projected_of(spec).iter().enumerate() {
            if !may_match(projected, &stats) {
                tally.drop(number, "partition summary", &manifest.manifest_path);
                return false;
            }
        }
        true
    }

    /// Which of the kept entries can match by their partition values? `None` keeps all.
    pub fn keep_by_partition(
        &self,
        entries: &ManifestEntries,
        spec: &PlannedSpec,
        kept: Option<Vec<bool>>,
        tally: &mut Tally,
    ) -> Result<Option<Vec<bool>>> {
        let projected = self.projected_of(spec);
        if projected.iter().all(|projected| *projected == BoundExpr::True) {
            tally.enter(kept_of(kept.as_deref(), entries.len()));
            return Ok(kept);
        }
        let rows = partition_rows(entries, spec)?;
        let mut verdicts = Verdicts::new(kept, entries.len());
        for (number, projected) in projected.iter().enumerate() {
            if *projected == BoundExpr::True {
                continue;
            }
            let matching: BooleanArray = evaluate_batch(projected, &rows)?;
            for (row, matches) in matching.values().iter().enumerate() {
                if !matches {
                    verdicts.drop(row, number, "partition value");
                }
            }
        }
        tally.count(&verdicts, &entries.file_path);
        Ok(Some(verdicts.into_mask()))
    }

    /// Which of the kept entries can match by their counts and bounds? `None` keeps all.
    pub fn keep_by_bounds(
        &self,
        entries: &ManifestEntries,
        kept: Option<Vec<bool>>,
        tally: &mut Tally,
    ) -> Option<Vec<bool>> {
        if self.is_true() {
            tally.enter(kept_of(kept.as_deref(), entries.len()));
            return kept;
        }
        let mut verdicts = Verdicts::new(kept, entries.len());
        for (row, records) in entries.record_count.values().iter().enumerate() {
            if *records == 0 {
                verdicts.drop(row, NO_TEST, "no rows");
            }
        }
        let stats = BlockStats { entries };
        for (number, conjunct) in self.conjuncts.iter().enumerate() {
            let rows = verdicts.kept();
            for (row, found) in rows.iter().zip(explain_mismatches(conjunct, &stats, &rows)) {
                if let Some(reason) = found {
                    verdicts.drop(*row, number, reason.text());
                }
            }
        }
        tally.count(&verdicts, &entries.file_path);
        Some(verdicts.into_mask())
    }

    /// Does the filter drop every row that an equality delete file deletes?
    ///
    /// A row is as its key to a conjunct of key columns alone: if no key in the file can match it, neither can a row that
    /// one of them deletes. Gives the conjunct's number and the reason.
    pub fn mismatch_of_keys(&self, equality_ids: &[i32], keys: &dyn Stats) -> Option<(usize, &'static str)> {
        self.told_by_keys.iter().enumerate().find_map(|(number, columns)| {
            let is_told = columns.as_ref()?.iter().all(|id| equality_ids.contains(id));
            let conjunct = &self.conjuncts[number];
            let mismatch = is_told.then(|| explain_mismatch(conjunct, keys)).flatten()?;
            Some((number, mismatch.reason.text()))
        })
    }

    fn projected_of(&self, spec: &PlannedSpec) -> &[BoundExpr] {
        self.projected.get(&spec.spec_id).map_or(&[], Vec::as_slice)
    }
}

/// How many a mask keeps; no mask keeps all.
fn kept_of(mask: Option<&[bool]>, all: usize) -> usize {
    mask.map_or(all, |mask| mask.iter().filter(|keep| **keep).count())
}

/// The columns of a conjunct; `None` where there are none or a float is among them. Engines that read a plan do not agree
/// whether NaN is above every number: a delete of NaN is for each of them to apply.
fn columns_without_floats(conjunct: &BoundExpr) -> Option<Vec<i32>> {
    fn add(conjunct: &BoundExpr, columns: &mut Vec<i32>) -> bool {
        match conjunct {
            BoundExpr::True | BoundExpr::False => true,
            BoundExpr::And(children) | BoundExpr::Or(children) => {
                children.iter().all(|child| add(child, columns))
            }
            BoundExpr::Predicate(test) => {
                columns.push(test.column.id);
                let primitive = test.column.field_type.as_primitive();
                !matches!(primitive, None | Some(PrimitiveType::Float | PrimitiveType::Double))
            }
        }
    }
    let mut columns = Vec::new();
    (add(conjunct, &mut columns) && !columns.is_empty()).then_some(columns)
}

/// The entries' partition values as a batch whose columns carry the partition field ids.
fn partition_rows(entries: &ManifestEntries, spec: &PlannedSpec) -> Result<RecordBatch> {
    let fields = spec.partition_type.fields.iter().map(field_to_arrow).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(entries.len()));
    RecordBatch::try_new_with_options(
        Arc::new(ArrowSchema::new(fields)),
        spec.known_columns(&entries.partition),
        &options,
    )
    .map_err(|error| Error::internal("partition values do not have their spec's types").caused_by(error))
}
