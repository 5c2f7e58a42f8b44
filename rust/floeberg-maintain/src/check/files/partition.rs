//! Are the partition values of a file those of each of its rows?
//!
//! Spec: Partitioning; Partition Transforms; Scan Planning, note 3.

use arrow_array::{Array, ArrayRef, Scalar};
use arrow_ord::cmp::distinct;
use floeberg_core::arrow_values::{from_array, to_array};
use floeberg_core::schema::Type;
use floeberg_core::transform::Transform;
use floeberg_core::value::{Value, equal_for_partition};
use floeberg_core::{Error, Result};

use crate::check::known::Known;
use crate::check::rules::rows::PARTITION_VALUES;
use floeberg_core::finding::Findings;

use super::entry::FileEntry;

/// A partition field whose values are compared with those of rows.
#[derive(Debug)]
pub(super) struct PartitionValue {
    pub(super) source: i32,
    name: String,
    transform: Transform,
    expected: Option<Value>,
    is_wrong: bool,
}

/// The partition fields of a file that its rows can be compared with.
///
/// Errors: `InvalidInput` for values that are not of their type.
pub(super) fn partition_values(known: &Known, entry: &FileEntry) -> Result<Vec<PartitionValue>> {
    let spec = known.metadata.spec(entry.spec_id)?;
    let Some(types) = known.partition_types.get(&entry.spec_id) else { return Ok(Vec::new()) };
    let mut values = Vec::new();
    for (number, (field, typed)) in spec.fields.iter().zip(&types.fields).enumerate() {
        let ([source], false) =
            (field.source_ids.as_slice(), matches!(field.transform, Transform::Unknown(_) | Transform::Void))
        else {
            continue;
        };
        if number >= entry.stored.partition.num_columns() {
            continue;
        }
        let column = entry.stored.partition.column(number);
        let expected = from_array(column.as_ref(), entry.row, &typed.field_type)?;
        values.push(PartitionValue {
            source: *source,
            name: field.name.clone(),
            transform: field.transform.clone(),
            expected,
            is_wrong: false,
        });
    }
    Ok(values)
}

impl PartitionValue {
    /// Compares the values of a batch. The first row that differs is the finding.
    ///
    /// Errors: `Internal` for values that cannot be compared.
    pub(super) fn add(
        &mut self,
        found: &mut Findings,
        array: &ArrayRef,
        source: &Type,
        first: i64,
    ) -> Result<()> {
        if self.is_wrong || array.is_empty() {
            return Ok(());
        }
        // A transform that does not fit is a finding of the metadata.
        let Ok(result_type) = self.transform.result_type(source) else { return Ok(()) };
        let values = self.transform.apply_array(array.as_ref(), source)?;
        // A column that was promoted since has values of another type.
        let Ok(expected) = to_array(self.expected.as_ref(), &result_type, 1) else { return Ok(()) };
        if expected.data_type() != values.data_type() {
            return Ok(());
        }
        let differ = distinct(&values, &Scalar::new(expected))
            .map_err(|error| Error::internal("partition values are compared").caused_by(error))?;
        if differ.true_count() == 0 {
            return Ok(());
        }
        for row in (0..values.len()).filter(|row| differ.value(*row)) {
            let value = from_array(values.as_ref(), row, &result_type)?;
            // NaN equals NaN, whatever its bits.
            if !equal_for_partition(value.as_ref(), self.expected.as_ref()) {
                let shown = |value: &Option<Value>| {
                    value.as_ref().map_or_else(|| "null".to_owned(), ToString::to_string)
                };
                let (expected, value, row) = (shown(&self.expected), shown(&value), first + row as i64);
                let message = format_args!("the file is of {expected}, row {row} of {value}");
                found.add(&PARTITION_VALUES, &self.name, message);
                self.is_wrong = true;
                break;
            }
        }
        Ok(())
    }
}
