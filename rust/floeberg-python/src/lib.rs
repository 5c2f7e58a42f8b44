//! What does the Python package call: the extension module `floeberg._native`?
//!
//! Classes and functions that only the Python package calls. Each subject has a folder, and each class a file.
//!
//! - `error`: the one mapping of errors to exceptions.
//! - `pickle`: the envelope of recipes.
//! - `key_management`: who wraps the keys of encrypted tables.
//! - `recipe`: what another process needs to open the same table, or to make the same scan.
//! - `renewal`: asks a function of Python for new options of a store.
//! - `log`: lines of the log for Python.
//! - `runtime`: the only place that leaves Python: it releases the GIL, and polls for Ctrl-C.
//! - `arrow`: Arrow data for Python; with `incoming` the only code that shares memory with Python.
//! - `absent_buffers`: arrays of users that come without their buffers.
//! - `incoming`: Arrow data of users.
//! - `values`: filters, transforms and variants.
//! - `scan`: scans, plans, task groups, and rows.
//! - `table`: tables, views, what they say of themselves, and files.
//! - `write`: rows to files.
//! - `rows`: changes of rows.
//! - `commit`: operations, and tries of a commit.
//! - `lance`: Lance tables, and their rows.
//! - `maintain`: which files of a table may go.

mod error;
mod pickle;
mod key_management;
mod recipe;
mod renewal;
mod log;
mod runtime;
mod arrow;
mod absent_buffers;
mod incoming;
mod values;
mod scan;
mod table;
mod write;
mod rows;
mod commit;
mod lance;
mod maintain;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// Threads make and drop many buffers at once, whose pages glibc gives back to the system each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// What the Python package is built on. Use `floeberg`, not this.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::arrow::{ArrowSchema, Batch, Batches, Column};
    #[pymodule_export]
    use crate::commit::commit::{Attempt, Commit, check_requirements};
    #[pymodule_export]
    use crate::commit::operation::Operation;
    #[pymodule_export]
    use crate::commit::view::{ViewAttempt, ViewOperation};
    #[pymodule_export]
    use crate::incoming::with_buffers;
    #[pymodule_export]
    use crate::lance::changelog::LanceChangelog;
    #[pymodule_export]
    use crate::lance::changes::{
        LanceRowsChanged, change_lance_rows, compact_lance_fragments, lance_column_types, write_lance_columns,
    };
    #[pymodule_export]
    use crate::lance::commit::{
        LanceCommit, change_lance_ref, check_lance_files, clean_up_lance_table, finalize_lance_version,
        remove_lance_files, rename_lance_manifests, shallow_clone_lance_table,
    };
    #[pymodule_export]
    use crate::lance::data_files::{LanceDataFiles, write_lance_rows};
    #[pymodule_export]
    use crate::lance::diff::LanceDiff;
    #[pymodule_export]
    use crate::lance::keys::LanceKeys;
    #[pymodule_export]
    use crate::lance::operation::{
        LanceOperation, create_lance_table, plan_lance_compaction, stage_lance_table,
    };
    #[pymodule_export]
    use crate::lance::plan::LancePlan;
    #[pymodule_export]
    use crate::lance::rows::LanceRows;
    #[pymodule_export]
    use crate::lance::scan::LanceScan;
    #[pymodule_export]
    use crate::lance::table::LanceTable;
    #[pymodule_export]
    use crate::lance::task_group::LanceTaskGroup;
    #[pymodule_export]
    use crate::maintain::check::{Check, check_files, check_rules};
    #[pymodule_export]
    use crate::maintain::compaction::{check_rewrite, delete_file_groups, rewrite_groups};
    #[pymodule_export]
    use crate::maintain::copies::{
        copy_group, gather_rows, group_parts, range_ends, sample_keys, spread_rows,
    };
    #[pymodule_export]
    use crate::maintain::diff::TableDiff;
    #[pymodule_export]
    use crate::maintain::diff_tasks::{
        changes_of_task, counts_of_matched, counts_of_task, matched_changes, spread_changes,
    };
    #[pymodule_export]
    use crate::maintain::orphans::{
        ListedFiles, check_no_other_table, listed_places, named_parts, named_places, store_time_ms,
    };
    #[pymodule_export]
    use crate::maintain::paths::rewrite_table_path;
    #[pymodule_export]
    use crate::maintain::rebuild::{plan_rebuild, rebuild_candidates};
    #[pymodule_export]
    use crate::maintain::repair::{plan_repair, repair_folder};
    #[pymodule_export]
    use crate::maintain::statistics::{compute_partition_stats, compute_table_stats};
    #[pymodule_export]
    use crate::maintain::two_tables::TwoTables;
    #[pymodule_export]
    use crate::maintain::unneeded::{
        ExpiredFiles, files_of_dropped_table, remove_unneeded_files, unneeded_files,
    };
    #[pymodule_export]
    use crate::rows::change_rows::{RowsChanged, change_rows_of_table};
    #[pymodule_export]
    use crate::rows::computed_columns::columns_that_are_computed;
    #[pymodule_export]
    use crate::rows::new_value::{MergeClause, NewValue, columns_that_are_assigned};
    #[pymodule_export]
    use crate::rows::row_change::{RowChange, check_feed};
    #[pymodule_export]
    use crate::rows::source::SourceRows;
    #[pymodule_export]
    use crate::scan::changelog::ChangelogScan;
    #[pymodule_export]
    use crate::scan::lane::{deleted_rows, parquet_shapes};
    #[pymodule_export]
    use crate::scan::parts::{PlanParts, plan_part, plan_parts, read_manifests};
    #[pymodule_export]
    use crate::scan::plan::Plan;
    #[pymodule_export]
    use crate::scan::scan::Scan;
    #[pymodule_export]
    use crate::scan::stream::BatchReader;
    #[pymodule_export]
    use crate::scan::task_group::TaskGroup;
    #[pymodule_export]
    use crate::table::files::{
        canonical_location, file_exists, files_below, list_folder, local_path, location_from_user, put_file,
        put_file_if_absent, read_file, remove_files, remove_files_below, request_budget, without_passwords,
    };
    #[pymodule_export]
    use crate::table::metadata_reader::MetadataReader;
    #[pymodule_export]
    use crate::table::properties::{table_properties, table_property};
    #[pymodule_export]
    use crate::table::schema::{checked_type, columns_to_add, evolved_schema, schema_from_arrow};
    #[pymodule_export]
    use crate::table::statistics::{
        partition_statistics_files, partition_statistics_rows, statistics_blob, statistics_blobs,
        statistics_files,
    };
    #[pymodule_export]
    use crate::table::table::Table;
    #[pymodule_export]
    use crate::table::view::View;
    #[pymodule_export]
    use crate::values::casts::{check_fits, plain_batch, plain_schema};
    #[pymodule_export]
    use crate::values::expression::{
        expression_from_json, expression_to_json, expression_to_text, parse_expression, value_columns,
    };
    #[pymodule_export]
    use crate::values::json::split_json;
    #[pymodule_export]
    use crate::values::sql_expression::SqlExpression;
    #[pymodule_export]
    use crate::values::transforms::transform_column;
    #[pymodule_export]
    use crate::values::variant::{encode_variant, encode_variants};
    #[pymodule_export]
    use crate::write::add_files::describe_files;
    #[pymodule_export]
    use crate::write::delete_recipe::DeleteRecipe;
    #[pymodule_export]
    use crate::write::keys::{FoundRows, SourceKeys, memory_of_source};
    #[pymodule_export]
    use crate::write::receipt::Receipt;
    #[pymodule_export]
    use crate::write::row_delta::{KeyRecipe, RowDeltaReceipt};
    #[pymodule_export]
    use crate::write::writer::WriteRecipe;

    /// A damaged file is reported by its error alone.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "the attribute wants a result")]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        floeberg_parquet::silence_caught_panics();
        crate::key_management::open_described_services();
        Ok(())
    }
}
