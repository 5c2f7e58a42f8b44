//! Which bytes stand for a receipt?
//!
//! In: files. Out: their JSON, compressed, and back.
//!
//! Invariant: a value keeps its type, since it is read back without a spec.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::PrimitiveType;
use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::value::{Value, single_value};
use floeberg_core::{Error, Result};
use floeberg_io::KeyRing;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Purpose, Receipt, WrittenFile};
use crate::manifest::{DataFile, FileContent};
use crate::metadata::json::{emit_spec, parse_spec};
use crate::wire::json::JsonPath;
use crate::wire::{Packing, unpack};

/// Its name in errors.
const RECEIPT: &str = "a receipt";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ReceiptText {
    purposes: Vec<PurposeText>,
    files: Vec<FileText>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PurposeText {
    table_uuid: Option<String>,
    location: String,
    schema: Json,
    spec: Json,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct FileText {
    /// The number of the file's purpose.
    purpose: Option<usize>,
    spec_id: i32,
    content: u8,
    file_path: String,
    file_format: String,
    /// Type and single-value bytes of each value.
    partition: Vec<Option<(String, Vec<u8>)>>,
    record_count: i64,
    file_size_in_bytes: i64,
    column_sizes: Option<BTreeMap<i32, i64>>,
    value_counts: Option<BTreeMap<i32, i64>>,
    null_value_counts: Option<BTreeMap<i32, i64>>,
    nan_value_counts: Option<BTreeMap<i32, i64>>,
    lower_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    upper_bounds: Option<BTreeMap<i32, Vec<u8>>>,
    key_metadata: Option<Vec<u8>>,
    split_offsets: Option<Vec<i64>>,
    equality_ids: Option<Vec<i32>>,
    sort_order_id: Option<i32>,
    first_row_id: Option<i64>,
    referenced_data_file: Option<String>,
    content_offset: Option<i64>,
    content_size_in_bytes: Option<i64>,
}

impl Receipt {
    /// The bytes, compressed: bounds and paths are long and similar. Errors: `LimitExceeded` for millions of files.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut packing = Packing::default();
        let (purposes, numbers) = Self::purposes(&self.files);
        packing.text(b"{\"purposes\":")?;
        packing.list(purposes.into_iter().map(|purpose| PurposeText::of(purpose)))?;
        packing.text(b",\"files\":")?;
        packing.list(self.files.iter().zip(numbers).map(|(file, purpose)| FileText::of(file, purpose)))?;
        packing.text(b"}")?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not a receipt, `LimitExceeded` for larger ones than any receipt.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let text: ReceiptText = unpack(bytes, RECEIPT)?;
        let purposes = text.purposes.into_iter().map(PurposeText::purpose).collect::<Result<Vec<_>>>()?;
        Self::new(text.files.into_iter().map(|file| file.written(&purposes)).collect::<Result<_>>()?)
    }
}

impl PurposeText {
    fn of(purpose: &Purpose) -> Result<Self> {
        Ok(Self {
            table_uuid: purpose.table_uuid.clone(),
            location: purpose.location.clone(),
            schema: schema_to_json(&purpose.schema)?,
            spec: emit_spec(&purpose.spec),
        })
    }

    fn purpose(self) -> Result<Arc<Purpose>> {
        let wrong = |error: Error| damaged("what it was written for").caused_by(error);
        Ok(Arc::new(Purpose {
            table_uuid: self.table_uuid,
            location: self.location,
            schema: Arc::new(schema_from_json(&self.schema).map_err(wrong)?),
            spec: parse_spec(self.spec, &JsonPath::root(RECEIPT).key("spec")).map_err(wrong)?,
        }))
    }
}

impl FileText {
    fn of(written: &WrittenFile, purpose: Option<usize>) -> Result<Self> {
        let WrittenFile { spec_id, file, .. } = written.clone();
        if file.key_metadata.as_deref().is_some_and(|key| !KeyRing::is_sealed_key(key)) {
            let message =
                "the key of a file of an encrypted table does not travel: commit in the process that read it";
            return Err(Error::unsupported(message).with("path", file.file_path));
        }
        let value = |value: &Option<Value>| value.as_ref().map(typed_bytes).transpose();
        Ok(Self {
            purpose,
            spec_id,
            content: file.content as u8,
            file_path: file.file_path,
            file_format: file.file_format,
            partition: file.partition.iter().map(value).collect::<Result<_>>()?,
            record_count: file.record_count,
            file_size_in_bytes: file.file_size_in_bytes,
            column_sizes: file.column_sizes,
            value_counts: file.value_counts,
            null_value_counts: file.null_value_counts,
            nan_value_counts: file.nan_value_counts,
            lower_bounds: file.lower_bounds,
            upper_bounds: file.upper_bounds,
            key_metadata: file.key_metadata,
            split_offsets: file.split_offsets,
            equality_ids: file.equality_ids,
            sort_order_id: file.sort_order_id,
            first_row_id: file.first_row_id,
            referenced_data_file: file.referenced_data_file,
            content_offset: file.content_offset,
            content_size_in_bytes: file.content_size_in_bytes,
        })
    }

    fn written(self, purposes: &[Arc<Purpose>]) -> Result<WrittenFile> {
        let known = |number: usize| {
            purposes.get(number).cloned().ok_or_else(|| damaged(format!("a purpose of number {number}")))
        };
        let purpose = self.purpose.map(known).transpose()?;
        let partition = self.partition.into_iter().map(|value| value.map(typed_value).transpose());
        let file = DataFile {
            content: match self.content {
                0 => FileContent::Data,
                1 => FileContent::PositionDeletes,
                2 => FileContent::EqualityDeletes,
                other => return Err(damaged(format!("a file of content {other}"))),
            },
            file_path: self.file_path,
            file_format: self.file_format,
            partition: partition.collect::<Result<_>>()?,
            record_count: self.record_count,
            file_size_in_bytes: self.file_size_in_bytes,
            column_sizes: self.column_sizes,
            value_counts: self.value_counts,
            null_value_counts: self.null_value_counts,
            nan_value_counts: self.nan_value_counts,
            lower_bounds: self.lower_bounds,
            upper_bounds: self.upper_bounds,
            key_metadata: self.key_metadata,
            split_offsets: self.split_offsets,
            equality_ids: self.equality_ids,
            sort_order_id: self.sort_order_id,
            first_row_id: self.first_row_id,
            referenced_data_file: self.referenced_data_file,
            content_offset: self.content_offset,
            content_size_in_bytes: self.content_size_in_bytes,
        };
        Ok(WrittenFile { spec_id: self.spec_id, file, purpose })
    }
}

fn typed_bytes(value: &Value) -> Result<(String, Vec<u8>)> {
    use PrimitiveType as P;
    let primitive = match value {
        Value::Boolean(_) => P::Boolean,
        Value::Int(_) => P::Int,
        Value::Long(_) => P::Long,
        Value::Float(_) => P::Float,
        Value::Double(_) => P::Double,
        Value::Decimal { scale, .. } => P::Decimal { precision: 38, scale: *scale },
        Value::Date(_) => P::Date,
        Value::Time(_) => P::Time,
        Value::Timestamp(_) => P::Timestamp,
        Value::Timestamptz(_) => P::Timestamptz,
        Value::TimestampNs(_) => P::TimestampNs,
        Value::TimestamptzNs(_) => P::TimestamptzNs,
        Value::String(_) => P::String,
        Value::Uuid(_) => P::Uuid,
        Value::Fixed(bytes) => P::Fixed(bytes.len() as u32),
        Value::Binary(_) => P::Binary,
        Value::Struct(_) | Value::List(_) | Value::Map(_) => {
            return Err(Error::invalid_input("a nested value cannot be a partition value"));
        }
    };
    Ok((primitive.to_string(), single_value::to_bytes(value)?))
}

fn typed_value((primitive, bytes): (String, Vec<u8>)) -> Result<Value> {
    let value = primitive.parse().and_then(|primitive| single_value::from_bytes(&primitive, &bytes));
    value.map_err(|error| damaged(format!("a partition value of type {primitive}")).caused_by(error))
}

fn damaged(found: impl std::fmt::Display) -> Error {
    Error::invalid_input(format!("{RECEIPT} is damaged: {found}"))
}
