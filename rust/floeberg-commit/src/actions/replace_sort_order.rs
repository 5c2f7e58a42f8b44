//! How is the sort order of a table changed?
//!
//! Spec: Sorting.
//!
//! Invariant: only metadata is written. Files keep the orders that they were written with.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::metadata::{TableMetadata, build_sort_order};
use serde_json::Value as Json;

use crate::columns::check_columns;
use crate::conflicts::{Validation, as_conflict_if};
use crate::operations::SortOrderChange;
use crate::produce::Produced;
use crate::{LAST_ADDED, Update};

/// Sorts new data by other fields; without fields, not at all.
///
/// Errors: `InvalidInput` for a field that cannot be sorted by; `CommitConflict` if another writer changed the columns, so that it
/// cannot be any more; `Unsupported` for a transform that is not known.
pub(super) fn replace_sort_order(
    metadata: &TableMetadata,
    validation: Validation<'_>,
    change: &Json,
) -> Result<Produced> {
    let change = SortOrderChange::from_json(change)?;
    for field in &change.fields {
        let columns = &field.source.columns;
        check_columns(
            validation.columns_at_start,
            metadata.current_schema(),
            columns,
            change.case_sensitive,
        )?;
    }
    let schema = metadata.current_schema();
    let (known, version) = (&metadata.sort_orders, metadata.format_version);
    let order = build_sort_order(schema, known, &change.fields, version, change.case_sensitive)
        .map_err(as_conflict_if(validation, "columns", |metadata| Arc::clone(metadata.current_schema())))?;
    if order.fields == metadata.default_sort_order().fields {
        return Ok(Produced::default());
    }
    Ok(Produced::of(vec![Update::AddSortOrder(Arc::new(order)), Update::SetDefaultSortOrder(LAST_ADDED)]))
}
