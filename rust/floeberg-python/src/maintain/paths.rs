//! How does a table get to another location?

use floeberg_core::Cancel;
use floeberg_maintain::PathRewrite;
use pyo3::prelude::*;

use crate::runtime;
use crate::table::table::Table;

/// The name of the last version, the staging folder, the list of files, and how many manifests, delete files and files there are.
type Rewritten = (String, Option<String>, Option<String>, u64, u64, u64);

/// Stages the files of a table that name others, with other paths, and lists all files to copy.
#[pyfunction]
#[pyo3(signature = (table, *, source_prefix, target_prefix, start_version, end_version, staging_location, create_file_list, dry_run))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn rewrite_table_path(
    py: Python<'_>,
    table: &Table,
    source_prefix: String,
    target_prefix: String,
    start_version: Option<String>,
    end_version: Option<String>,
    staging_location: Option<String>,
    create_file_list: bool,
    dry_run: bool,
) -> PyResult<Rewritten> {
    let table = table.table.clone();
    runtime::run(py, &Cancel::default(), move |cancel| {
        let request = PathRewrite {
            source_prefix: &source_prefix,
            target_prefix: &target_prefix,
            start_version: start_version.as_deref(),
            end_version: end_version.as_deref(),
            staging_location: staging_location.as_deref(),
            create_file_list,
            dry_run,
        };
        let done = floeberg_maintain::rewrite_table_path(&table, &request, cancel)?;
        let counts = (done.manifests, done.delete_files, done.files);
        Ok((
            done.latest_version,
            done.staging_location,
            done.file_list_location,
            counts.0,
            counts.1,
            counts.2,
        ))
    })
}
