//! What does the Python package call: the extension module `floeberg._native`?
//!
//! Classes and functions that the Python package wraps; nobody else calls them. A file a class.
//!
//! - `aggregate`: answers of counts and bounds.
//! - `error`: the one mapping of errors to exceptions.
//! - `incoming`: Arrow data of users.
//! - `pickle`: the envelope of recipes.
//! - `arrow`: Arrow data for Python; with `incoming` the only code that shares memory with Python.
//! - `recipe`: what another process needs to open the same table, or to make the same scan.
//! - `runtime`: the one door out of Python: it lets go of the lock, and polls for Ctrl-C.
//! - `properties`: properties of tables.
//! - `explain`: the account of a plan.
//! - `expression`: filters, as text, JSON and trees.
//! - `files`: what catalogs ask of files beside tables.
//! - `engine_schema`: in which form batches reach Python.
//! - `metadata_reader`: the rows of a metadata table.
//! - `receipt`: files that a writer wrote, on their way to a commit.
//! - `operation`: what is asked to be done to a table.
//! - `stream`: batches, one at a time.
//! - `renewal`: asks a function of Python for new options of a store.
//! - `rows`: rows of a scan, or of tasks of one.
//! - `task`: a file scan task.
//! - `task_group`: what a worker needs to read its part of a plan.
//! - `plan`: a plan.
//! - `transforms`: partition transforms of columns.
//! - `variant`: values of Python, as variants.
//! - `view`: a view.
//! - `scan`: a scan.
//! - `table`: a table.
//! - `commit`: tries of a commit.
//! - `schema`: schemas of a user, and their changes.
//! - `statistics`: statistics files.
//! - `writer`: rows to files of a table.

mod aggregate;
mod error;
mod incoming;
mod pickle;
mod arrow;
mod recipe;
mod renewal;
mod runtime;
mod properties;
mod explain;
mod expression;
mod files;
mod engine_schema;
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
mod scan;
mod table;
mod commit;
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
        canonical_location, file_exists, list_folder, local_path, location_from_user, put_file, read_file,
        remove_files, remove_files_below, without_passwords,
    };
    #[pymodule_export]
    use crate::metadata_reader::MetadataReader;
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::properties::{table_properties, table_property};
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

    /// A damaged file is reported by its error alone.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "the attribute wants a result")]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        floeberg_iceberg::silence_caught_panics();
        Ok(())
    }
}
