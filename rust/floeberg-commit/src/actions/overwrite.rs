//! How are the rows that match a filter replaced?
//!
//! Spec: Snapshots (`overwrite`); Scan Planning (strict projection).
//!
//! Invariant: only whole files are removed. A file of which some rows would stay is an error that names the file.

use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, Expr};
use floeberg_iceberg::write::Receipt;
use floeberg_properties::UPDATE_ISOLATION;

use crate::IsolationLevel;
use crate::produce::{ActionContext, FileChange, Produced, Removal, change_files};
use crate::validate::validate_no_conflicts;
use crate::validation::Validation;

/// The rows that go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub filter: &'a Expr,
    pub case_sensitive: bool,
}

/// Removes the rows that match and adds files.
pub(super) fn overwrite(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    receipt: &Receipt,
    rows: Rows<'_>,
    isolation: Option<IsolationLevel>,
) -> Result<Produced> {
    let bound = context.bind(rows.filter, rows.case_sensitive, validation.seen)?;
    // As in Iceberg Java, the request decides the operation, not the files that were found.
    let operation = match (bound == BoundExpr::False, receipt.files().is_empty()) {
        (true, _) => "append",
        (false, true) => "delete",
        (false, false) => "overwrite",
    };
    let by_property = || IsolationLevel::of(&context.metadata, UPDATE_ISOLATION);
    let level = isolation.map_or_else(by_property, Ok)?;
    let removal = Removal::rows(bound, context.specs()?);
    validate_no_conflicts(context, validation, level, &removal)?;
    let change = FileChange {
        operation,
        added: receipt.files(),
        removal: Some(&removal),
        merges: true,
        replaces_partitions: false,
        is_of_attempt: false,
    };
    change_files(context, change)
}
