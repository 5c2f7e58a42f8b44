//! What does a server say of a file?
//!
//! In: JSON of a file. Out: its fields, checked.
//! Spec: REST catalog specification, `ContentFile`, `DataFile`, `DeleteFile`; Data File Fields.

use floeberg_core::error::beginning;
use floeberg_core::schema::{StructType, value_json};
use floeberg_core::value::Value;
use floeberg_core::{Context, Error, Result};
use floeberg_io::Relocation;
use serde_json::Value as Json;

use super::{expected, member};
use crate::manifest::Specs;
use crate::plan::{DeleteFile, DeleteKind, FileFormat};

/// A data file.
pub(super) struct ServedFile<'a> {
    pub path: &'a str,
    pub format: FileFormat,
    pub spec_id: i32,
    /// By the fields of the spec.
    pub partition: Vec<Option<Value>>,
    pub record_count: i64,
    pub size: i64,
    pub first_row_id: Option<i64>,
    pub split_offsets: Option<Vec<i64>>,
}

impl<'a> ServedFile<'a> {
    pub fn read(json: &'a Json, specs: &Specs) -> Result<Self> {
        let common = Common::read(json, specs)?;
        let of_file = || -> Result<Self> {
            if common.content != Content::Data {
                return Err(Error::invalid_data(
                    "expected a data file in a task of the server, found a delete file",
                ));
            }
            if common.format == FileFormat::Puffin {
                return Err(Error::invalid_data("expected a data file, found a Puffin file"));
            }
            Ok(Self {
                path: common.path,
                format: common.format,
                spec_id: common.spec_id,
                partition: common.partition.clone(),
                record_count: common.record_count,
                size: common.size,
                first_row_id: optional_count(json, "first-row-id")?,
                split_offsets: split_offsets(json)?,
            })
        };
        of_file().context("path", common.path)
    }
}

/// A delete file.
pub(super) struct ServedDelete {
    pub file_path: String,
    format: FileFormat,
    kind: DeleteKind,
    spec_id: i32,
    partition: Vec<(i32, Option<Value>)>,
    record_count: i64,
    size: i64,
    referenced_data_file: Option<String>,
}

impl ServedDelete {
    pub fn read(json: &Json, specs: &Specs) -> Result<Self> {
        let common = Common::read(json, specs)?;
        let kind = kind_of(json, &common).context("path", common.path)?;
        let fields = &specs.get(common.spec_id)?.partition_type.fields;
        let referenced = json.get("referenced-data-file").and_then(Json::as_str);
        Ok(Self {
            file_path: common.path.to_owned(),
            format: common.format,
            kind,
            spec_id: common.spec_id,
            partition: fields.iter().map(|field| field.id).zip(common.partition).collect(),
            record_count: common.record_count,
            size: common.size,
            referenced_data_file: referenced.map(str::to_owned),
        })
    }

    pub fn is_vector(&self) -> bool {
        matches!(self.kind, DeleteKind::Vector { .. })
    }

    /// The delete of the plan: that of one data file, for a deletion vector.
    pub fn of_file(&self, data_file: Option<&str>, relocation: &Relocation) -> DeleteFile {
        DeleteFile {
            file_path: self.file_path.clone(),
            location: relocation.apply(&self.file_path),
            file_format: self.format,
            kind: self.kind.clone(),
            record_count: self.record_count,
            file_size_in_bytes: self.size,
            data_sequence_number: 1,
            referenced_data_file: data_file.map(str::to_owned).or_else(|| self.referenced_data_file.clone()),
            spec_id: self.spec_id,
            partition: self.partition.clone(),
        }
    }
}

fn kind_of(json: &Json, common: &Common<'_>) -> Result<DeleteKind> {
    let (offset, size) =
        (optional_count(json, "content-offset")?, optional_count(json, "content-size-in-bytes")?);
    match (common.content, common.format) {
        (Content::Data, _) => {
            Err(Error::invalid_data("expected a delete file among delete-files, found a data file"))
        }
        (Content::Equality, FileFormat::Puffin) => {
            Err(Error::invalid_data("expected an equality delete file, found a Puffin file"))
        }
        (Content::Equality, _) => {
            let ids = member(json, "equality-ids")?;
            let items = ids.as_array().filter(|items| !items.is_empty());
            let read = items.and_then(|items| {
                items.iter().map(|id| id.as_i64().and_then(|id| i32::try_from(id).ok())).collect()
            });
            let equality_ids = read.ok_or_else(|| expected("one or more field ids", "equality-ids", ids))?;
            Ok(DeleteKind::Equality { equality_ids })
        }
        (Content::Position, FileFormat::Puffin) => match (offset, size) {
            (Some(content_offset), Some(content_size_in_bytes)) => {
                Ok(DeleteKind::Vector { content_offset, content_size_in_bytes })
            }
            _ => Err(Error::invalid_data(
                "expected content-offset and content-size-in-bytes of a deletion vector, found one or neither",
            )),
        },
        (Content::Position, _) => Ok(DeleteKind::Position),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Data,
    Position,
    Equality,
}

/// What all files have.
struct Common<'a> {
    path: &'a str,
    content: Content,
    format: FileFormat,
    spec_id: i32,
    partition: Vec<Option<Value>>,
    record_count: i64,
    size: i64,
}

impl<'a> Common<'a> {
    fn read(json: &'a Json, specs: &Specs) -> Result<Self> {
        let path = text(json, "file-path")?;
        let of_file = || -> Result<Self> {
            if json.get("key-metadata").is_some_and(|key| !key.is_null()) {
                return Err(Error::unsupported("an encrypted file cannot be read yet"));
            }
            let spec_id = count(json, "spec-id")?;
            let spec_id = i32::try_from(spec_id)
                .map_err(|_| expected("the id of a partition spec", "spec-id", &Json::from(spec_id)))?;
            let partition_type = &specs.get(spec_id)?.partition_type;
            Ok(Self {
                path,
                content: content(json)?,
                format: text(json, "file-format")?.parse()?,
                spec_id,
                partition: partition(json.get("partition"), partition_type)?,
                record_count: count(json, "record-count")?,
                size: count(json, "file-size-in-bytes")?,
            })
        };
        of_file().context("path", path)
    }
}

/// Java's server writes the names of its constants.
fn content(json: &Json) -> Result<Content> {
    let written = text(json, "content")?;
    match written.to_ascii_lowercase().replace('_', "-").as_str() {
        "data" => Ok(Content::Data),
        "position-deletes" => Ok(Content::Position),
        "equality-deletes" => Ok(Content::Equality),
        _ => Err(expected("data, position-deletes or equality-deletes", "content", &Json::from(written))),
    }
}

/// A list by the fields of the spec; or, of older servers, an object by their ids.
fn partition(json: Option<&Json>, fields: &StructType) -> Result<Vec<Option<Value>>> {
    let fields = &fields.fields;
    let value = |json: &Json, place: usize| {
        value_json::from_json(json, &fields[place].field_type).context("field", &fields[place].name)
    };
    match json {
        None | Some(Json::Null) if fields.is_empty() => Ok(Vec::new()),
        Some(Json::Array(values)) if values.len() == fields.len() => {
            values.iter().enumerate().map(|(place, json)| value(json, place)).collect()
        }
        Some(Json::Object(by_id)) => {
            let known: Vec<String> = fields.iter().map(|field| field.id.to_string()).collect();
            if let Some(unknown) = by_id.keys().find(|key| !known.contains(key)) {
                return Err(Error::invalid_data(format!(
                    "the partition of a file has a field {unknown:?}, expected the ids {known:?}"
                )));
            }
            let of =
                |(place, id): (usize, &String)| by_id.get(id).map_or(Ok(None), |json| value(json, place));
            known.iter().enumerate().map(of).collect()
        }
        other => Err(Error::invalid_data(format!(
            "expected a list of {} partition values of a file, found {}",
            fields.len(),
            other.map_or_else(|| "nothing".to_owned(), beginning)
        ))),
    }
}

fn split_offsets(json: &Json) -> Result<Option<Vec<i64>>> {
    let Some(offsets) = json.get("split-offsets").filter(|offsets| !offsets.is_null()) else {
        return Ok(None);
    };
    let read = offsets.as_array().and_then(|items| items.iter().map(Json::as_i64).collect());
    read.map(Some).ok_or_else(|| expected("a list of offsets", "split-offsets", offsets))
}

fn text<'a>(json: &'a Json, name: &str) -> Result<&'a str> {
    let found = member(json, name)?;
    found.as_str().filter(|text| !text.is_empty()).ok_or_else(|| expected("a text", name, found))
}

fn count(json: &Json, name: &str) -> Result<i64> {
    optional_count(json, name)?.map_or_else(|| member(json, name).and(Ok(0)), Ok)
}

fn optional_count(json: &Json, name: &str) -> Result<Option<i64>> {
    match json.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(found) => found
            .as_i64()
            .filter(|count| *count >= 0)
            .map(Some)
            .ok_or_else(|| expected("a whole number of at least 0", name, found)),
    }
}
