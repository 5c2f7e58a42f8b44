//! What does Python ask to be done to a table?

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_commit::{
    DeleteRewrite, Expiry, ManifestRewrite, NewTable, Operation as IcebergOperation, RefChange, Rewrite,
    RowDelta, SortOrderChange, StatisticsChange,
};
use floeberg_core::Result;
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_iceberg::metadata::{SpecChanges, declare_table};
use floeberg_io::Location;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value as Json;

use crate::pickle::Envelope;
use crate::runtime;
use crate::values::expression::Tree;
use crate::values::json::json;
use crate::write::keys::{FoundRows, SourceKeys};
use crate::write::receipt::Receipt;
use crate::write::row_delta::RowDeltaReceipt;

/// Version 2 has the mode of overwrites, which version 1 would leave out.
const OPERATION: Envelope = Envelope { kind: "Operation", version: 2 };

/// An operation on a table, not bound to a base yet.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Operation(pub IcebergOperation);

#[pymethods]
impl Operation {
    #[staticmethod]
    #[pyo3(signature = (receipt, *, merge))]
    fn append(receipt: &Receipt, merge: Option<bool>) -> Self {
        Self(IcebergOperation::Append { receipt: receipt.0.clone(), merge })
    }

    #[staticmethod]
    #[pyo3(signature = (receipt, *, name_mapping))]
    fn add_files(receipt: &Receipt, name_mapping: Option<String>) -> Self {
        Self(IcebergOperation::AddFiles { receipt: receipt.0.clone(), name_mapping })
    }

    #[staticmethod]
    #[pyo3(signature = (receipt, row_filter, *, case_sensitive, isolation, mode))]
    fn overwrite(
        py: Python<'_>,
        receipt: &Receipt,
        row_filter: Tree,
        case_sensitive: bool,
        isolation: Option<&str>,
        mode: Option<&str>,
    ) -> PyResult<Self> {
        let isolation = runtime::call(py, || isolation.map(str::parse).transpose())?;
        let mode = runtime::call(py, || mode.map(str::parse).transpose())?;
        let (receipt, filter) = (receipt.0.clone(), row_filter.0);
        Ok(Self(IcebergOperation::Overwrite { receipt, filter, case_sensitive, isolation, mode }))
    }

    #[staticmethod]
    #[pyo3(signature = (
        receipt, row_filter, *, case_sensitive, isolation, read_snapshot_id, command="row delta", mode=None, keys=None,
        inserts_keys=false, found=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each of a row delta")]
    fn row_delta(
        py: Python<'_>,
        receipt: &RowDeltaReceipt,
        row_filter: Option<Tree>,
        case_sensitive: bool,
        isolation: Option<&str>,
        read_snapshot_id: Option<i64>,
        command: &str,
        mode: Option<&str>,
        keys: Option<PyRef<'_, SourceKeys>>,
        inserts_keys: bool,
        found: Option<PyRef<'_, FoundRows>>,
    ) -> PyResult<Self> {
        let isolation = runtime::call(py, || isolation.map(str::parse).transpose())?;
        let mode = runtime::call(py, || mode.map(str::parse).transpose())?;
        let command = runtime::call(py, || command.parse())?;
        Ok(Self(IcebergOperation::RowDelta(Box::new(RowDelta {
            filter: row_filter.map(|tree| tree.0),
            case_sensitive,
            isolation,
            read_snapshot_id,
            command,
            mode,
            keys: keys.map(|keys| Arc::clone(&keys.0)),
            inserts_keys,
            read_rows: found.map(|found| Arc::clone(&found.0)),
            ..receipt.0.clone()
        }))))
    }

    #[staticmethod]
    #[pyo3(signature = (row_filter, *, case_sensitive, isolation, mode, finds_again))]
    fn delete(
        py: Python<'_>,
        row_filter: Tree,
        case_sensitive: bool,
        isolation: Option<&str>,
        mode: Option<&str>,
        finds_again: bool,
    ) -> PyResult<Self> {
        let isolation = runtime::call(py, || isolation.map(str::parse).transpose())?;
        let mode = runtime::call(py, || mode.map(str::parse).transpose())?;
        let filter = row_filter.0;
        Ok(Self(IcebergOperation::Delete { filter, case_sensitive, isolation, mode, finds_again }))
    }

    #[staticmethod]
    #[pyo3(signature = (receipt, *, isolation))]
    fn dynamic_overwrite(py: Python<'_>, receipt: &Receipt, isolation: Option<&str>) -> PyResult<Self> {
        let isolation = runtime::call(py, || isolation.map(str::parse).transpose())?;
        Ok(Self(IcebergOperation::DynamicOverwrite { receipt: receipt.0.clone(), isolation }))
    }

    #[staticmethod]
    #[pyo3(signature = (*, schema_json, spec_json, sort_order_json, location, properties, format_version, uuid=None, replaces=false))]
    #[expect(clippy::too_many_arguments, reason = "one keyword each")]
    fn create_table(
        py: Python<'_>,
        schema_json: &str,
        spec_json: Option<&str>,
        sort_order_json: Option<&str>,
        location: String,
        properties: BTreeMap<String, String>,
        format_version: u8,
        uuid: Option<String>,
        replaces: bool,
    ) -> PyResult<Self> {
        let read = || -> Result<NewTable> {
            let (spec, order) = (json("partition spec", spec_json)?, json("sort order", sort_order_json)?);
            let declared = declare_table(&json("schema", Some(schema_json))?, &spec, &order, format_version)?;
            Ok(NewTable { declared, location, properties, format_version, uuid })
        };
        let table = Box::new(runtime::call(py, read)?);
        Ok(Self(if replaces {
            IcebergOperation::ReplaceTable(table)
        } else {
            IcebergOperation::CreateTable(table)
        }))
    }

    #[staticmethod]
    fn set_properties(properties: BTreeMap<String, String>) -> Self {
        Self(IcebergOperation::SetProperties(properties))
    }

    #[staticmethod]
    fn remove_properties(names: Vec<String>) -> Self {
        Self(IcebergOperation::RemoveProperties(names))
    }

    #[staticmethod]
    fn update_schema(py: Python<'_>, changes_json: &str) -> PyResult<Self> {
        let read = || -> Result<Json> {
            let changes = json("list of changes", Some(changes_json))?;
            SchemaChanges::from_json(&changes)?;
            Ok(changes)
        };
        runtime::call(py, read).map(|changes| Self(IcebergOperation::UpdateSchema(changes)))
    }

    #[staticmethod]
    fn upgrade_format_version(version: u8) -> Self {
        Self(IcebergOperation::UpgradeFormatVersion(version))
    }

    #[staticmethod]
    fn update_spec(py: Python<'_>, changes_json: &str) -> PyResult<Self> {
        let read = || -> Result<Json> {
            let changes = json("list of changes", Some(changes_json))?;
            SpecChanges::from_json(&changes)?;
            Ok(changes)
        };
        runtime::call(py, read).map(|changes| Self(IcebergOperation::UpdateSpec(changes)))
    }

    #[staticmethod]
    fn replace_sort_order(py: Python<'_>, change_json: &str) -> PyResult<Self> {
        let read = || -> Result<Json> {
            let change = json("sort order", Some(change_json))?;
            SortOrderChange::from_json(&change)?;
            Ok(change)
        };
        runtime::call(py, read).map(|change| Self(IcebergOperation::ReplaceSortOrder(change)))
    }

    #[staticmethod]
    fn set_location(py: Python<'_>, location: &str) -> PyResult<Self> {
        let location = runtime::call(py, || Location::from_user(location))?;
        Ok(Self(IcebergOperation::SetLocation(location)))
    }

    #[staticmethod]
    fn set_statistics(py: Python<'_>, change_json: &str) -> PyResult<Self> {
        let read = || StatisticsChange::from_json(json("change of statistics files", Some(change_json))?);
        runtime::call(py, read).map(|change| Self(IcebergOperation::SetStatistics(change)))
    }

    #[staticmethod]
    fn change_ref(py: Python<'_>, change_json: &str) -> PyResult<Self> {
        let read = || RefChange::from_json(json("change of a ref", Some(change_json))?);
        runtime::call(py, read).map(|change| Self(IcebergOperation::ChangeRef(change)))
    }

    #[staticmethod]
    fn rewrite_data_files(py: Python<'_>, rewrite_json: &str) -> PyResult<Self> {
        let read = || Rewrite::from_json(&json("which files are written again", Some(rewrite_json))?);
        runtime::call(py, read).map(|rewrite| Self(IcebergOperation::RewriteDataFiles(rewrite)))
    }

    #[staticmethod]
    fn rewrite_deletes(py: Python<'_>, rewrite_json: &str) -> PyResult<Self> {
        let read =
            || DeleteRewrite::from_json(&json("which delete files are written again", Some(rewrite_json))?);
        runtime::call(py, read).map(|rewrite| Self(IcebergOperation::RewriteDeletes(rewrite)))
    }

    #[staticmethod]
    fn rewrite_manifests(py: Python<'_>, rewrite_json: &str) -> PyResult<Self> {
        let read =
            || ManifestRewrite::from_json(&json("which manifests are written again", Some(rewrite_json))?);
        runtime::call(py, read).map(|rewrite| Self(IcebergOperation::RewriteManifests(rewrite)))
    }

    #[staticmethod]
    fn expire_snapshots(py: Python<'_>, expiry_json: &str) -> PyResult<Self> {
        let read = || Expiry::from_json(&json("which snapshots expire", Some(expiry_json))?);
        runtime::call(py, read).map(|expiry| Self(IcebergOperation::ExpireSnapshots(expiry)))
    }

    #[staticmethod]
    fn cherrypick(snapshot_id: i64) -> Self {
        Self(IcebergOperation::Cherrypick(snapshot_id))
    }

    /// Does it make a snapshot?
    #[getter]
    fn changes_rows(&self) -> bool {
        self.0.changes_rows()
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Operation({:?})", self.0.name())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, operation) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(OPERATION.wrap(&operation.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergOperation::from_bytes(OPERATION.open(recipe)?)).map(Self)
    }
}
