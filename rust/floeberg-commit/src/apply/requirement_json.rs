//! How is a requirement of a commit written for a REST catalog, and read?
//!
//! Spec: REST catalog specification, `TableRequirement`.

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::json::ObjectWriter;
use floeberg_iceberg::wire::json::{JsonPath, ObjectReader, int, long, string};
use serde_json::{Map, Value as Json};

use crate::Requirement;

impl Requirement {
    /// The requirement as JSON.
    pub fn to_json(&self) -> Json {
        let mut object = ObjectWriter::default();
        let mut put = |kind: &str, key: &str, value: Json| {
            object.put("type", kind);
            if !key.is_empty() {
                object.put(key, value);
            }
        };
        match self {
            Self::Create => put("assert-create", "", Json::Null),
            Self::TableUuid(uuid) => put("assert-table-uuid", "uuid", uuid.as_str().into()),
            Self::RefSnapshotId(name, snapshot_id) => {
                put("assert-ref-snapshot-id", "ref", name.as_str().into());
                object.put("snapshot-id", *snapshot_id);
            }
            Self::LastAssignedFieldId(id) => {
                put("assert-last-assigned-field-id", "last-assigned-field-id", (*id).into());
            }
            Self::CurrentSchemaId(id) => put("assert-current-schema-id", "current-schema-id", (*id).into()),
            Self::LastAssignedPartitionId(id) => {
                put("assert-last-assigned-partition-id", "last-assigned-partition-id", (*id).into());
            }
            Self::DefaultSpecId(id) => put("assert-default-spec-id", "default-spec-id", (*id).into()),
            Self::DefaultSortOrderId(id) => {
                put("assert-default-sort-order-id", "default-sort-order-id", (*id).into());
            }
        }
        object.finish(&Map::new())
    }

    /// Reads a requirement. Errors: `InvalidInput` for malformed JSON, `Unsupported` for an unknown type, which cannot be
    /// checked.
    pub fn from_json(json: Json) -> Result<Self> {
        parse(json).map_err(|error| match error.kind() {
            ErrorKind::Unsupported => error,
            _ => Error::invalid_input(format!("a table requirement is damaged: {}", error.message())),
        })
    }
}

fn parse(json: Json) -> Result<Requirement> {
    let path = JsonPath::root("requirement");
    let mut object = ObjectReader::new(json, &path)?;
    let kind = object.required("type", string)?;
    Ok(match kind.as_str() {
        "assert-create" => Requirement::Create,
        "assert-table-uuid" => Requirement::TableUuid(object.required("uuid", string)?),
        "assert-ref-snapshot-id" => {
            let name = object.required("ref", string)?;
            Requirement::RefSnapshotId(name, object.optional("snapshot-id", long)?)
        }
        "assert-last-assigned-field-id" => {
            Requirement::LastAssignedFieldId(object.required("last-assigned-field-id", int)?)
        }
        "assert-current-schema-id" => {
            Requirement::CurrentSchemaId(object.required("current-schema-id", int)?)
        }
        "assert-last-assigned-partition-id" => {
            Requirement::LastAssignedPartitionId(object.required("last-assigned-partition-id", int)?)
        }
        "assert-default-spec-id" => Requirement::DefaultSpecId(object.required("default-spec-id", int)?),
        "assert-default-sort-order-id" => {
            Requirement::DefaultSortOrderId(object.required("default-sort-order-id", int)?)
        }
        other => {
            return Err(Error::unsupported(format!("unknown type of a table requirement: {other:?}")));
        }
    })
}
