//! Which deletes apply to each file, and what is left to ask of its rows?
//!
//! In: the kept files of one manifest. Out: for each the numbers of its deletes and of its residual.
//! Spec: Scan Planning.
//!
//! Invariant: partition values are looked at only where a delete or the filter depends on them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{Int64Array, StringArray};
use floeberg_core::Result;
use floeberg_core::expr::BoundExpr;
use floeberg_core::value::PartitionKey;

use super::bounds::EntryStats;
use super::chunk::{FileColumns, Kept, column, typed};
use super::deletes::{DataFile, DeleteIndex};
use super::explain::Tally;
use super::filter::PlanFilter;
use super::specs::PlannedSpec;
use crate::metadata::ManifestEntries;

/// The kept files of one manifest.
#[derive(Clone, Copy)]
pub(crate) struct KeptFiles<'a> {
    /// All entries of the manifest.
    pub entries: &'a ManifestEntries,
    /// Which of them are kept.
    pub kept: &'a Kept,
    /// The columns of these.
    pub columns: &'a FileColumns,
}

/// What the files of one manifest got, residuals numbered within it.
pub(crate) struct Attached {
    /// For each file the numbers of its deletes; `None` where the snapshot has none.
    pub deletes: Option<Vec<Vec<i32>>>,
    /// For each file a position in `residuals`.
    pub residual_of: Vec<u32>,
    /// A residual for each partition.
    pub residuals: Vec<BoundExpr>,
    /// Equality deletes whose scope a file is in, and those whose keys it cannot have.
    pub equalities: Tally,
}

/// Finds the deletes and the residual of every file.
pub(crate) fn attach(
    filter: &PlanFilter,
    index: &DeleteIndex,
    spec: &PlannedSpec,
    files: KeptFiles<'_>,
) -> Result<Attached> {
    let columns = files.columns;
    let of_partition = filter.residuals(spec.spec_id)?;
    let mut attached = Attached {
        deletes: None,
        residual_of: vec![0; columns.rows],
        residuals: Vec::new(),
        equalities: Tally::default(),
    };
    if !of_partition.depend_on_partition() {
        attached.residuals.push(filter.whole().clone());
        if index.is_empty() {
            return Ok(attached);
        }
    }
    let paths = typed::<StringArray>(columns.column(column::FILE_PATH))?;
    let sequence_numbers = typed::<Int64Array>(columns.column(column::DATA_SEQUENCE_NUMBER))?;
    let anywhere = PartitionKey::new([]);
    let mut numbers: HashMap<PartitionKey, u32> = HashMap::new();
    let mut deletes = (!index.is_empty()).then(|| Vec::with_capacity(columns.rows));
    for row in 0..columns.rows {
        let path = paths.value(row);
        let by_deletes = index.depends_on_partition(path, columns.spec_id);
        if by_deletes && !spec.is_comparable(&columns.partition) {
            return Err(spec.not_comparable().with("path", path));
        }
        let asked = of_partition.depend_on_partition() || by_deletes;
        let key = if asked { spec.key(&columns.partition, row)? } else { anywhere.clone() };
        if let Some(deletes) = &mut deletes {
            let data = DataFile {
                path,
                sequence_number: sequence_numbers.value(row),
                spec_id: columns.spec_id,
                partition_key: &key,
                stats: &EntryStats { entries: files.entries, row: files.kept.entry(row) },
            };
            let mut found = Vec::new();
            index.matching(data, &mut found, &mut attached.equalities)?;
            deletes.push(found);
        }
        if of_partition.depend_on_partition() {
            attached.residual_of[row] = if let Some(number) = numbers.get(&key) {
                *number
            } else {
                attached.residuals.push(of_partition.of(&spec.values(&columns.partition, row)?));
                let number = attached.residuals.len() as u32 - 1;
                numbers.insert(key, number);
                number
            };
        }
    }
    attached.deletes = deletes;
    Ok(attached)
}

/// Gives each different residual of a plan a number.
#[derive(Default)]
pub(crate) struct DistinctResiduals {
    numbers: HashMap<String, i32>,
    list: Vec<Arc<BoundExpr>>,
}

impl DistinctResiduals {
    /// The number of each file's residual in the plan, from those in its manifest.
    pub fn renumber(&mut self, residuals: Vec<BoundExpr>, residual_of: &[u32]) -> Vec<i32> {
        let numbers: Vec<i32> = residuals.into_iter().map(|residual| self.number(residual)).collect();
        residual_of.iter().map(|local| numbers[*local as usize]).collect()
    }

    /// The different residuals, by number.
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

/// A text that tells the residuals of one filter apart. Their tests share the filter's literals, so that the place of these
/// in memory says as much as thousands of them would.
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
    }
}

fn describe_all(sign: char, children: &[BoundExpr], out: &mut String) {
    out.push(sign);
    for child in children {
        describe(child, out);
    }
    out.push(')');
}
