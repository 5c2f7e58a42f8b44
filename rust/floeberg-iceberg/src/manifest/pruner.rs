//! Which manifests and files can hold matching rows, and of which files do all rows match?
//!
//! In: a filter bound to the read schema, as conjuncts. Out: kept manifests, masks of kept entries, residuals; and for each entry
//! whether none, some or all of its rows match.
//! Spec: Scan Planning.
//!
//! Invariant: a file is dropped only if it provably has no matching row. All rows match only if that is proved too: by counts and
//! bounds of a column without nulls and NaNs, or by a partition value. Deletes are ignored.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::expr::{
    BoundExpr, Residuals, Stats, evaluate_batch, explain_mismatch, explain_mismatches, may_match,
    must_match_each, project_inclusive,
};
use floeberg_core::schema::PrimitiveType;
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::{Error, Result};

use super::bounds::BlockStats;
use super::prune_counts::{NO_TEST, NamedTest, PruneCounts};
use super::prune_mask::PruneMask;
use super::residuals::DistinctResiduals;
use super::rows_match::RowsMatch;
use super::specs::{BoundSpec, Specs};
use super::summary::SummaryStats;
use super::untrusted::UntrustedColumns;
use crate::manifest::{ManifestEntries, ManifestFile};

/// A row filter, ready for the specs of a table.
#[derive(Debug)]
pub struct Pruner {
    whole: BoundExpr,
    conjuncts: Vec<BoundExpr>,
    /// The conjuncts, for `explain`.
    pub(crate) tests: Vec<NamedTest>,
    /// Per spec, each conjunct projected to the partition values.
    projected: HashMap<i32, Vec<BoundExpr>>,
    /// Per spec, the residuals of its partitions.
    residuals: HashMap<i32, Residuals>,
    /// The columns of each conjunct that treats equal keys alike.
    decided_by_keys: Vec<Option<Vec<i32>>>,
    untrusted: UntrustedColumns,
}

impl Pruner {
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
        let decided_by_keys = conjuncts.iter().map(columns_without_floats).collect();
        let untrusted = specs.untrusted().clone();
        Self { whole, conjuncts, tests, projected, residuals, decided_by_keys, untrusted }
    }

    /// The whole filter.
    pub fn whole(&self) -> &BoundExpr {
        &self.whole
    }

    /// Its residuals in the partitions of a spec.
    pub(crate) fn residuals(&self, spec_id: i32) -> Result<&Residuals> {
        let found = self.residuals.get(&spec_id);
        found.ok_or_else(|| Error::internal(format!("the filter was not projected to spec {spec_id}")))
    }

    /// Does it keep everything?
    pub(crate) fn is_true(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// Can the manifest hold files that match, by its counts and partition summaries?
    pub(crate) fn keeps_manifest(
        &self,
        manifest: &ManifestFile,
        spec: &BoundSpec,
        counts: &mut PruneCounts,
    ) -> bool {
        counts.enter(1);
        if manifest.added_files_count == Some(0) && manifest.existing_files_count == Some(0) {
            counts.drop(NO_TEST, "no live entries", &manifest.manifest_path);
            return false;
        }
        match self.ruled_out(manifest, spec) {
            Some(number) => {
                counts.drop(number, "partition summary", &manifest.manifest_path);
                false
            }
            None => true,
        }
    }

    /// Can an entry of the manifest, live or deleted, be of a file that matches, by the partition summaries?
    pub fn may_list_matches(&self, manifest: &ManifestFile, spec: &BoundSpec) -> bool {
        self.ruled_out(manifest, spec).is_none()
    }

    /// The number of the conjunct that no partition in a manifest can match.
    fn ruled_out(&self, manifest: &ManifestFile, spec: &BoundSpec) -> Option<usize> {
        let summaries = manifest.partitions.as_ref()?;
        let stats = SummaryStats { partition_type: &spec.partition_type, summaries };
        self.projected_of(spec).iter().position(|projected| !may_match(projected, &stats))
    }

    /// Which of the kept entries can match by their partition values? `None` keeps all.
    pub(crate) fn keep_by_partition(
        &self,
        entries: &ManifestEntries,
        spec: &BoundSpec,
        kept: Option<Vec<bool>>,
        counts: &mut PruneCounts,
    ) -> Result<Option<Vec<bool>>> {
        let projected = self.projected_of(spec);
        if projected.iter().all(|projected| *projected == BoundExpr::True) {
            counts.enter(kept_of(kept.as_deref(), entries.len()));
            return Ok(kept);
        }
        let rows = partition_rows(entries, spec)?;
        let mut mask = PruneMask::new(kept, entries.len());
        for (number, projected) in projected.iter().enumerate() {
            if *projected == BoundExpr::True {
                continue;
            }
            let matching: BooleanArray = evaluate_batch(projected, &rows)?;
            for (row, matches) in matching.values().iter().enumerate() {
                if !matches {
                    mask.drop(row, number, "partition value");
                }
            }
        }
        counts.count(&mask, &entries.file_path);
        Ok(Some(mask.into_mask()))
    }

    /// Which of the kept entries can match by their counts and bounds? `None` keeps all.
    pub(crate) fn keep_by_bounds(
        &self,
        entries: &ManifestEntries,
        kept: Option<Vec<bool>>,
        counts: &mut PruneCounts,
    ) -> Option<Vec<bool>> {
        if self.is_true() {
            counts.enter(kept_of(kept.as_deref(), entries.len()));
            return kept;
        }
        let mut mask = PruneMask::new(kept, entries.len());
        for (row, records) in entries.record_count.values().iter().enumerate() {
            if *records == 0 {
                mask.drop(row, NO_TEST, "no rows");
            }
        }
        let stats = BlockStats { entries, untrusted: &self.untrusted };
        for (number, conjunct) in self.conjuncts.iter().enumerate() {
            let rows = mask.kept();
            for (row, found) in rows.iter().zip(explain_mismatches(conjunct, &stats, &rows)) {
                if let Some(reason) = found {
                    mask.drop(*row, number, reason.text());
                }
            }
        }
        counts.count(&mask, &entries.file_path);
        Some(mask.into_mask())
    }

    /// Do none, some or all rows of each entry match? Counts the entries that partition values, and counts and bounds, rule out.
    pub fn rows_match(
        &self,
        entries: &ManifestEntries,
        spec: &BoundSpec,
        [by_partition, by_bounds]: [&mut PruneCounts; 2],
    ) -> Result<Vec<RowsMatch>> {
        let in_partition = self.keep_by_partition(entries, spec, None, by_partition)?;
        let left = self.keep_by_bounds(entries, in_partition.clone(), by_bounds);
        let keeps = |mask: &Option<Vec<bool>>, row: usize| mask.as_ref().is_none_or(|mask| mask[row]);
        let stats = BlockStats { entries, untrusted: &self.untrusted };
        let mut found = vec![RowsMatch::None; entries.len()];
        for (residual, rows) in self.by_residual(entries, spec)? {
            let (empty, rows): (Vec<_>, Vec<_>) = rows
                .into_iter()
                .filter(|row| keeps(&in_partition, *row))
                .partition(|row| entries.record_count.value(*row) == 0);
            if residual == BoundExpr::True {
                // A file without rows too: all rows of its partition match.
                for row in empty {
                    found[row] = RowsMatch::All;
                }
            }
            let rows: Vec<usize> = rows.into_iter().filter(|row| keeps(&left, *row)).collect();
            // The residual has fewer tests than the filter, and may be ruled out although the filter is not.
            let mismatches = explain_mismatches(&residual, &stats, &rows);
            let all = must_match_each(&residual, &stats, &rows);
            for ((row, mismatch), all) in rows.into_iter().zip(mismatches).zip(all) {
                found[row] = match (mismatch, all) {
                    (Some(_), _) => RowsMatch::None,
                    (None, true) => RowsMatch::All,
                    (None, false) => RowsMatch::Some,
                };
            }
        }
        Ok(found)
    }

    /// The entries, by the residuals of their partitions.
    fn by_residual(
        &self,
        entries: &ManifestEntries,
        spec: &BoundSpec,
    ) -> Result<Vec<(BoundExpr, Vec<usize>)>> {
        let residuals = self.residuals(spec.spec_id)?;
        if !residuals.depend_on_partition() {
            return Ok(vec![(self.whole.clone(), (0..entries.len()).collect())]);
        }
        let partitions = spec.partitions(&entries.partition)?;
        let of = |row: &usize| Ok(residuals.of(&spec.values(&entries.partition, *row)?));
        let each = partitions.rows.iter().map(of).collect::<Result<_>>()?;
        let mut distinct = DistinctResiduals::default();
        let numbers = distinct.numbers(each);
        let list = distinct.into_list();
        let mut rows = vec![Vec::new(); list.len()];
        for (row, partition) in partitions.of.iter().enumerate() {
            rows[numbers[*partition as usize] as usize].push(row);
        }
        Ok(list.into_iter().map(Arc::unwrap_or_clone).zip(rows).collect())
    }

    /// Does the filter drop every row that an equality delete file deletes?
    ///
    /// A row is as its key to a conjunct of key columns alone: if no key in the file can match it, neither can a row that
    /// one of them deletes. Gives the conjunct's number and the reason.
    pub(crate) fn mismatch_of_keys(
        &self,
        equality_ids: &[i32],
        keys: &dyn Stats,
    ) -> Option<(usize, &'static str)> {
        self.decided_by_keys.iter().enumerate().find_map(|(number, columns)| {
            let is_decided = columns.as_ref()?.iter().all(|id| equality_ids.contains(id));
            let conjunct = &self.conjuncts[number];
            let mismatch = is_decided.then(|| explain_mismatch(conjunct, keys)).flatten()?;
            Some((number, mismatch.reason.text()))
        })
    }

    fn projected_of(&self, spec: &BoundSpec) -> &[BoundExpr] {
        self.projected.get(&spec.spec_id).map_or(&[], Vec::as_slice)
    }
}

/// How many a mask keeps; no mask keeps all.
fn kept_of(mask: Option<&[bool]>, all: usize) -> usize {
    mask.map_or(all, |mask| mask.iter().filter(|keep| **keep).count())
}

/// The columns of a conjunct; `None` without columns, or with a float column. Engines disagree whether NaN is larger
/// than every number, so each engine applies deletes of NaN itself.
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
            // Statistics never rule it out.
            BoundExpr::Condition(_) => false,
        }
    }
    let mut columns = Vec::new();
    (add(conjunct, &mut columns) && !columns.is_empty()).then_some(columns)
}

/// The entries' partition values as a batch whose columns carry the partition field ids.
fn partition_rows(entries: &ManifestEntries, spec: &BoundSpec) -> Result<RecordBatch> {
    let fields = spec.partition_type.fields.iter().map(field_to_arrow).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(entries.len()));
    RecordBatch::try_new_with_options(
        Arc::new(ArrowSchema::new(fields)),
        spec.known_columns(&entries.partition),
        &options,
    )
    .map_err(|error| Error::internal("partition values do not have their spec's types").caused_by(error))
}
