//! Which pages of a row group may hold a matching row?
//!
//! In: the page index and a filter. Out: a selection of rows.
//! Spec: Appendix A, Parquet (column and offset indexes are Parquet's own).
//!
//! Invariant: rows are skipped only if the statistics of their pages prove that none matches. The pages of different columns
//! end at different rows, so every row range between two ends is tested by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::expr::{BoundColumn, ColumnStats, Stats, VariantField, may_match};
use floeberg_core::schema::Type;
use floeberg_files::{Counted, ReadCounts, RowPredicate};
use parquet::arrow::arrow_reader::RowSelection;

use super::ParquetFile;
use super::group_statistics::visit;
use super::statistics::ColumnBounds;
use super::typed_fields::{FieldBounds, FieldKey, visit_fields};

/// The rows of a row group that may match; `None` is all of them.
pub(super) fn select(
    file: &ParquetFile,
    predicate: &RowPredicate,
    group: usize,
    counts: Option<&ReadCounts>,
) -> Option<RowSelection> {
    let filter = &*predicate.expr;
    let mut tested: BTreeMap<i32, Arc<BoundColumn>> = BTreeMap::new();
    visit(filter, &mut |column| {
        tested.insert(column.id, Arc::clone(column));
    });
    let known = tested.iter().filter_map(|(id, column)| {
        let bounds = ColumnBounds::of_pages(file, predicate, column, group)?;
        let ends = ends(bounds.rows());
        Some((*id, Pages { bounds, ends }))
    });
    let pages: BTreeMap<i32, Pages> = known.collect();
    let mut fields: BTreeMap<FieldKey, FieldPages> = BTreeMap::new();
    visit_fields(filter, &mut |field| {
        if let Some(bounds) = FieldBounds::of_pages(file, predicate, field, group) {
            let ends = ends(bounds.rows());
            fields.insert(field.key(), FieldPages { bounds, ends });
        }
    });
    let each_ends =
        || pages.values().map(|column| &column.ends).chain(fields.values().map(|field| &field.ends));
    let all_ends: BTreeSet<u64> = each_ends().flatten().copied().collect();
    if all_ends.len() < 2 {
        return None;
    }
    let rows = usize::try_from(*all_ends.last()?).ok()?;
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in all_ends {
        if may_match(filter, &PageRun { pages: &pages, fields: &fields, start }) {
            kept.push(start as usize..end as usize);
        }
        start = end;
    }
    if let Some(counts) = counts {
        count(each_ends(), &kept, counts);
    }
    Some(RowSelection::from_consecutive_ranges(kept.into_iter(), rows))
}

/// Counts the pages, and those of which no row is left.
fn count<'a>(pages: impl Iterator<Item = &'a Vec<u64>>, kept: &[Range<usize>], counts: &ReadCounts) {
    for ends in pages {
        let mut start = 0;
        for end in ends {
            // The first range that ends after the page begins.
            let next = kept.get(kept.partition_point(|range| range.end as u64 <= start));
            counts.add(Counted::Pages, 1);
            counts.add(Counted::PagesSkipped, u64::from(next.is_none_or(|range| range.start as u64 >= *end)));
            start = *end;
        }
    }
}

/// The pages of a column.
struct Pages {
    bounds: ColumnBounds,
    /// The row after the last of each page.
    ends: Vec<u64>,
}

/// The pages of the typed column of a field of variants.
struct FieldPages {
    bounds: FieldBounds,
    /// The row after the last of each page.
    ends: Vec<u64>,
}

/// Rows that lie in one page of every column.
struct PageRun<'a> {
    pages: &'a BTreeMap<i32, Pages>,
    fields: &'a BTreeMap<FieldKey, FieldPages>,
    start: u64,
}

impl Stats for PageRun<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        let Some(column) = self.pages.get(&id) else { return ColumnStats::default() };
        let page = column.ends.partition_point(|end| *end <= self.start);
        column.bounds.stats(page, field_type)
    }

    fn variant_field(&self, field: &VariantField) -> ColumnStats {
        let Some(found) = self.fields.get(&field.key()) else { return ColumnStats::default() };
        let page = found.ends.partition_point(|end| *end <= self.start);
        found.bounds.stats(page, &field.primitive)
    }
}

fn ends(rows: &[u64]) -> Vec<u64> {
    let mut end = 0;
    rows.iter()
        .map(|rows| {
            end += rows;
            end
        })
        .collect()
}
