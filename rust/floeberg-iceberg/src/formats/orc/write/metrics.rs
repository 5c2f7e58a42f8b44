//! Which metrics does an ORC file have?
//!
//! In: what was written of each column. Out: sizes, counts and bounds by field id, as Iceberg Java gives them.
//! Spec: Data File Fields (notes 1 and 2 on bounds).
//!
//! Invariant: parts of lists and maps have none. Bytes, uuids and fixed have no bounds. NaN is never a bound. Nulls of a field are
//! counted with those of the structs around it.

use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_core::value::single_value;
use floeberg_files::{FileMetrics, Mode, Modes, shorter_lower, shorter_upper, signed_zero};
use floeberg_orc::write::ColumnTotals;

/// The metrics of the columns of a file with so many rows.
pub(super) fn described(columns: &[ColumnTotals], rows: u64, modes: &Modes) -> Result<FileMetrics> {
    let (mut sizes, mut values, mut nulls, mut nans) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let (mut lower, mut upper) = (BTreeMap::new(), BTreeMap::new());
    for column in columns {
        let (id, mode) = (column.id, modes.of(column.id));
        if mode == Mode::None || column.is_repeated {
            continue;
        }
        sizes.insert(id, column.bytes as i64);
        values.insert(id, rows as i64);
        nulls.insert(id, rows.saturating_sub(column.values) as i64);
        if let Some(count) = column.nans {
            nans.insert(id, count as i64);
        }
        let length = match mode {
            Mode::None | Mode::Counts => continue,
            Mode::Truncate(length) => length,
            Mode::Full => u32::MAX,
        };
        if let Some((least, most)) = column.ends.clone() {
            let least = shorter_lower(signed_zero(least, -1.0), length);
            lower.insert(id, single_value::to_bytes(&least)?);
            if let Some(most) = shorter_upper(signed_zero(most, 1.0), length) {
                upper.insert(id, single_value::to_bytes(&most)?);
            }
        }
    }
    Ok(FileMetrics {
        record_count: rows as i64,
        column_sizes: Some(sizes),
        value_counts: Some(values),
        null_value_counts: Some(nulls),
        nan_value_counts: Some(nans),
        lower_bounds: Some(lower),
        upper_bounds: Some(upper),
        ..FileMetrics::default()
    })
}
