//! The Python extension module `floeberg._native`.
//!
//! Classes and functions that the Python package wraps; nobody else calls them. `runtime` is the one door out of
//! Python, `error` the one mapping of errors, `arrow` and `incoming` the only code that shares memory with Python.

mod account;
mod error;
mod incoming;
mod pickle;
mod arrow;
mod recipe;
mod renewal;
mod runtime;
mod explain;
mod expression;
mod files;
mod form;
mod metadata_reader;
mod receipt;
mod operation;
mod stream;
mod rows;
mod task;
mod task_group;
mod plan;
mod transforms;
mod variant;
mod view;
mod table;
mod commit;
mod scan;
mod schema;
mod statistics;
mod writer;

use pyo3::prelude::*;

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
    use crate::commit::{Attempt, Commit};
    #[pymodule_export]
    use crate::expression::{expression_from_json, expression_to_json, expression_to_text, parse_expression};
    #[pymodule_export]
    use crate::files::{
        file_exists, list_folder, local_path, location_from_user, place, put_file, read_file, remove_files,
        remove_files_below, without_passwords,
    };
    #[pymodule_export]
    use crate::metadata_reader::MetadataReader;
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::receipt::Receipt;
    #[pymodule_export]
    use crate::scan::Scan;
    #[pymodule_export]
    use crate::schema::{checked_type, columns_to_add, evolved_schema, schema_from_arrow};
    #[pymodule_export]
    use crate::statistics::{
        partition_statistics_files, partition_statistics_rows, statistics_blob, statistics_blobs,
        statistics_files,
    };
    #[pymodule_export]
    use crate::stream::BatchReader;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::task_group::TaskGroup;
    #[pymodule_export]
    use crate::transforms::transform_column;
    #[pymodule_export]
    use crate::variant::{encode_variant, encode_variants};
    #[pymodule_export]
    use crate::view::View;
    #[pymodule_export]
    use crate::writer::WriteRecipe;

    /// A damaged file is told by its error alone.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "the attribute wants a result")]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        floeberg_iceberg::read::hush_fenced_panics();
        Ok(())
    }
}
