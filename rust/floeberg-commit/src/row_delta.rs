//! Which files change rows?
//!
//! In: files that come, files that go, and what they were made from. Out: their bytes, for other processes, and back.
//! Spec: Snapshots (`overwrite`, `delete`); Row-level Deletes. The name is Iceberg Java's.

use floeberg_core::expr::{Expr, json as expression_json};
use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::isolation::IsolationLevel;
use floeberg_iceberg::metadata::json::ObjectWriter;
use floeberg_iceberg::wire::json::{JsonPath, ObjectReader, list, long, raw, string};
use floeberg_iceberg::write::Receipt;

/// Changes of rows: new data files and delete files, and the files that they replace.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowDelta {
    /// The data files and delete files to add.
    pub added: Receipt,
    /// The data files and delete files to remove, as the table lists them.
    pub removed: Receipt,
    /// Data files that new deletes are for, besides those that delete files name.
    pub referenced_data_files: Vec<String>,
    /// The snapshot that positions and rows were read from; `None` is a branch without one.
    pub read_snapshot_id: Option<i64>,
    /// The filter of the operation. A matching row that was added after it read is a conflict; `None` skips this
    /// test.
    pub filter: Option<Expr>,
    /// Are column names case-sensitive?
    pub case_sensitive: bool,
    /// `None` follows the table's `write.delete.isolation-level`.
    pub isolation: Option<IsolationLevel>,
}

impl RowDelta {
    /// Puts what is not in receipts into a header. Gives the bytes of both receipts.
    pub(super) fn put(&self, object: &mut ObjectWriter) -> Result<Vec<u8>> {
        let (mut added, mut removed) = (self.added.to_bytes()?, self.removed.to_bytes()?);
        object.put("added-length", added.len() as u64);
        object.put("referenced-data-files", self.referenced_data_files.clone());
        object.put_some("read-snapshot-id", self.read_snapshot_id);
        if let Some(filter) = &self.filter {
            object.put("filter", expression_json::to_json(filter)?);
        }
        object.put("case-sensitive", self.case_sensitive);
        object.put_some("isolation", self.isolation.map(IsolationLevel::name));
        added.append(&mut removed);
        Ok(added)
    }

    /// Reads it back.
    pub(super) fn read(object: &mut ObjectReader<'_>, receipts: &[u8]) -> Result<Self> {
        let length = usize::try_from(object.required("added-length", long)?).ok();
        let split = length.and_then(|length| receipts.split_at_checked(length));
        let (added, removed) = split.ok_or_else(|| Error::invalid_input("its receipts are truncated"))?;
        let filter = object.optional("filter", raw)?;
        let isolation = object.optional("isolation", string)?;
        Ok(Self {
            added: Receipt::from_bytes(added)?,
            removed: Receipt::from_bytes(removed)?,
            referenced_data_files: object.required("referenced-data-files", list(string))?,
            read_snapshot_id: object.optional("read-snapshot-id", long)?,
            filter: filter.map(|filter| expression_json::from_json(&filter)).transpose()?,
            case_sensitive: object.required("case-sensitive", boolean)?,
            isolation: isolation.map(|level| level.parse()).transpose()?,
        })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "has the shape of the readers of wire::json")]
pub(super) fn boolean(json: Json, path: &JsonPath<'_>) -> Result<bool> {
    json.as_bool().ok_or_else(|| path.expected("true or false", &json))
}
