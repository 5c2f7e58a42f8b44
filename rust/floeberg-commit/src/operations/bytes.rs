//! Which bytes stand for an operation, in other processes?
//!
//! ```text
//! length   header         receipts
//! u32 LE   JSON, kebab    the rest: bytes of one receipt, or of two, or none
//! ```
//!
//! Invariant: an operation that is read back does the same.

use floeberg_core::expr::{Expr, json as expression_json};
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::json::{ObjectWriter, emit_map, emit_order, emit_spec};
use floeberg_iceberg::metadata::{SpecChanges, declare_table};
use floeberg_iceberg::wire::json::{
    JsonPath, ObjectReader, boolean, int, list, long, raw, string, string_map,
};
use floeberg_iceberg::write::Receipt;
use serde_json::{Map, Value as Json};

use super::delete_rewrite::DeleteRewrite;
use super::expiry::Expiry;
use super::manifest_rewrite::ManifestRewrite;
use super::repair::Repair;
use super::rewrite::Rewrite;
use super::row_delta::RowDelta;
use super::sort_order_change::SortOrderChange;
use crate::refs::RefChange;
use crate::{DeleteMode, IsolationLevel, NewTable, Operation, StatisticsChange};

impl Operation {
    /// The bytes. Errors: `LimitExceeded` for a receipt of millions of files.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut object = ObjectWriter::default();
        object.put("operation", self.name());
        let mut body = Vec::new();
        match self {
            Self::Append { receipt, merge } => {
                object.put_some("merge", *merge);
                body = receipt.to_bytes()?;
            }
            Self::AddFiles { receipt, name_mapping } => {
                object.put_some("name-mapping", name_mapping.as_deref());
                body = receipt.to_bytes()?;
            }
            Self::Overwrite { receipt, filter, case_sensitive, isolation, mode } => {
                put_rows(&mut object, filter, *case_sensitive)?;
                put_isolation(&mut object, *isolation);
                object.put_some("mode", mode.map(DeleteMode::name));
                body = receipt.to_bytes()?;
            }
            Self::Delete { filter, case_sensitive, isolation, mode, finds_again } => {
                put_rows(&mut object, filter, *case_sensitive)?;
                put_isolation(&mut object, *isolation);
                object.put_some("mode", mode.map(DeleteMode::name));
                object.put("finds-again", *finds_again);
            }
            Self::DynamicOverwrite { receipt, isolation } => {
                put_isolation(&mut object, *isolation);
                body = receipt.to_bytes()?;
            }
            Self::RowDelta(delta) => body = delta.put(&mut object)?,
            Self::CreateTable(table) | Self::ReplaceTable(table) => {
                let declared = &table.declared;
                object.put("schema", schema_to_json(&declared.schema)?);
                object.put("spec", emit_spec(&declared.spec));
                object.put("sort-order", emit_order(&declared.sort_order));
                object.put("location", table.location.as_str());
                object.put("properties", emit_map(&table.properties));
                object.put("format-version", table.format_version);
                object.put_some("uuid", table.uuid.as_deref());
            }
            Self::SetProperties(properties) => object.put("properties", emit_map(properties)),
            Self::RemoveProperties(names) => object.put("names", names.clone()),
            Self::UpdateSchema(changes) => object.put("changes", changes.clone()),
            Self::UpgradeFormatVersion(version) => object.put("format-version", *version),
            Self::UpdateSpec(changes) | Self::ReplaceSortOrder(changes) => {
                object.put("changes", changes.clone());
            }
            Self::SetLocation(location) => object.put("location", location.as_str()),
            Self::SetStatistics(change) => object.put("change", change.to_json()),
            Self::RewriteDataFiles(rewrite) => object.put("rewrite", rewrite.to_json()),
            Self::RewriteDeletes(rewrite) => object.put("rewrite", rewrite.to_json()),
            Self::RewriteManifests(rewrite) => object.put("rewrite", rewrite.to_json()),
            Self::ExpireSnapshots(expiry) => object.put("expiry", expiry.to_json()),
            Self::ChangeRef(change) => object.put("change", change.to_json()),
            Self::Cherrypick(snapshot_id) => object.put("snapshot-id", *snapshot_id),
            Self::Rebuild(_) => {
                return Err(Error::unsupported(
                    "a rebuild cannot be sent to another process: send the location, and rebuild the table there",
                ));
            }
            Self::Repair(repair) => {
                object.put("repair", repair.to_json());
                body = repair.described.to_bytes()?;
            }
        }
        let header = object.finish(&Map::new()).to_string();
        let length = u32::try_from(header.len()).map_err(|_| Error::limit("an operation is too large"))?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.append(&mut body);
        Ok(bytes)
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not an operation.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::invalid_input("an operation is damaged: its bytes are truncated");
        let (length, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, receipt) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let header = serde_json::from_slice(header)
            .map_err(|error| Error::invalid_input("an operation is damaged").caused_by(error))?;
        parse(header, receipt).map_err(|error| {
            Error::invalid_input(format!("an operation is damaged: {}", error.message())).caused_by(error)
        })
    }
}

fn parse(header: Json, receipt: &[u8]) -> Result<Operation> {
    let path = JsonPath::root("operation");
    let mut object = ObjectReader::new(header, &path)?;
    let name = object.required("operation", string)?;
    Ok(match name.as_str() {
        "append" => {
            let merge = object.optional("merge", boolean)?;
            Operation::Append { receipt: Receipt::from_bytes(receipt)?, merge }
        }
        "add files" => {
            let name_mapping = object.optional("name-mapping", string)?;
            Operation::AddFiles { receipt: Receipt::from_bytes(receipt)?, name_mapping }
        }
        "overwrite" => {
            let (filter, case_sensitive) = rows(&mut object)?;
            let isolation = object.optional("isolation", level)?;
            let mode = object.optional("mode", string)?.map(|mode| mode.parse()).transpose()?;
            let receipt = Receipt::from_bytes(receipt)?;
            Operation::Overwrite { receipt, filter, case_sensitive, isolation, mode }
        }
        "delete" => {
            let (filter, case_sensitive) = rows(&mut object)?;
            let isolation = object.optional("isolation", level)?;
            let mode = object.optional("mode", string)?.map(|mode| mode.parse()).transpose()?;
            // Deletes of earlier versions found their rows on one base.
            let finds_again = object.optional("finds-again", boolean)?.unwrap_or(false);
            Operation::Delete { filter, case_sensitive, isolation, mode, finds_again }
        }
        "dynamic overwrite" => {
            let isolation = object.optional("isolation", level)?;
            Operation::DynamicOverwrite { receipt: Receipt::from_bytes(receipt)?, isolation }
        }
        "row delta" | "update" | "upsert" | "merge" => {
            Operation::RowDelta(Box::new(RowDelta::read(&mut object, name.parse()?, receipt)?))
        }
        "create table" | "replace table" => {
            let format_version = object.required("format-version", version)?;
            let (schema, spec) = (object.required("schema", raw)?, object.required("spec", raw)?);
            let declared =
                declare_table(&schema, &spec, &object.required("sort-order", raw)?, format_version)?;
            let location = object.required("location", string)?;
            let properties = object.required("properties", string_map)?;
            let uuid = object.optional("uuid", string)?;
            let table = Box::new(NewTable { declared, location, properties, format_version, uuid });
            if name == "create table" {
                Operation::CreateTable(table)
            } else {
                Operation::ReplaceTable(table)
            }
        }
        "set properties" => Operation::SetProperties(object.required("properties", string_map)?),
        "remove properties" => Operation::RemoveProperties(object.required("names", list(string))?),
        "update schema" => {
            let changes = object.required("changes", raw)?;
            SchemaChanges::from_json(&changes)?;
            Operation::UpdateSchema(changes)
        }
        "upgrade format version" => {
            Operation::UpgradeFormatVersion(object.required("format-version", version)?)
        }
        "update spec" => {
            let changes = object.required("changes", raw)?;
            SpecChanges::from_json(&changes)?;
            Operation::UpdateSpec(changes)
        }
        "replace sort order" => {
            let change = object.required("changes", raw)?;
            SortOrderChange::from_json(&change)?;
            Operation::ReplaceSortOrder(change)
        }
        "set location" => Operation::SetLocation(object.required("location", string)?),
        "set statistics" => {
            Operation::SetStatistics(StatisticsChange::from_json(object.required("change", raw)?)?)
        }
        "rewrite data files" => {
            Operation::RewriteDataFiles(Rewrite::from_json(&object.required("rewrite", raw)?)?)
        }
        "rewrite position delete files" | "convert equality deletes" | "remove dangling deletes" => {
            Operation::RewriteDeletes(DeleteRewrite::from_json(&object.required("rewrite", raw)?)?)
        }
        "rewrite manifests" => {
            Operation::RewriteManifests(ManifestRewrite::from_json(&object.required("rewrite", raw)?)?)
        }
        "expire snapshots" => {
            Operation::ExpireSnapshots(Expiry::from_json(&object.required("expiry", raw)?)?)
        }
        "change ref" => Operation::ChangeRef(RefChange::from_json(object.required("change", raw)?)?),
        "repair" => {
            let repair = Repair::from_json(&object.required("repair", raw)?, Receipt::from_bytes(receipt)?)?;
            Operation::Repair(Box::new(repair))
        }
        "cherrypick" => Operation::Cherrypick(object.required("snapshot-id", long)?),
        _ => return Err(path.invalid(format_args!("unknown operation {name:?}"))),
    })
}

fn put_rows(object: &mut ObjectWriter, filter: &Expr, case_sensitive: bool) -> Result<()> {
    object.put("filter", expression_json::to_json(filter)?);
    object.put("case-sensitive", case_sensitive);
    Ok(())
}

fn put_isolation(object: &mut ObjectWriter, isolation: Option<IsolationLevel>) {
    object.put_some("isolation", isolation.map(IsolationLevel::name));
}

fn rows(object: &mut ObjectReader<'_>) -> Result<(Expr, bool)> {
    let filter = expression_json::from_json(&object.required("filter", raw)?)?;
    Ok((filter, object.required("case-sensitive", boolean)?))
}

fn level(json: Json, path: &JsonPath<'_>) -> Result<IsolationLevel> {
    string(json, path)?.parse()
}

/// A format version: a small number.
pub(crate) fn version(json: Json, path: &JsonPath<'_>) -> Result<u8> {
    let number = int(json, path)?;
    u8::try_from(number).map_err(|_| path.invalid(format_args!("expected a format version, found {number}")))
}
