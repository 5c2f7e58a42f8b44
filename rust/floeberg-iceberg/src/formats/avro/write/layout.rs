//! What do all Avro files of a write have in common?
//!
//! In: a schema and properties. Out: the declared schema, and how blocks are compressed.
//! Spec: Appendix A, Avro.
//!
//! Invariant: all columns of the table are declared, in its order, those of type `unknown` as null.

use floeberg_avro::write::{Compression, declare};
use floeberg_avro::{Limits, parse_schema};
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::schema::{Field, StructType};
use floeberg_core::{Error, Result};
use floeberg_files::{DeleteType, LayoutRequest};

use super::options::compression;

/// The name that Iceberg Java gives to records.
const RECORD: &str = "table";

/// How rows are stored.
#[derive(Debug)]
pub(super) struct AvroLayout {
    /// The columns.
    pub(super) fields: Vec<Field>,
    /// The declared schema, as JSON.
    pub(super) schema: String,
    /// The other entries of the header.
    pub(super) metadata: Vec<(&'static str, String)>,
    /// How blocks are stored.
    pub(super) compression: Compression,
}

impl AvroLayout {
    /// The layout that a request asks for.
    ///
    /// Errors: `InvalidInput` for invalid properties, and for names that are equal in Avro; `Unsupported` for types that cannot be
    /// written, and for columns nested so deeply that the file could not be read.
    pub(super) fn new(request: &LayoutRequest<'_>) -> Result<Self> {
        let fields = request.schema.fields().to_vec();
        let declared = declare(&StructType { fields: fields.clone() }, RECORD)?;
        // As Iceberg Java does, for readers without the table.
        let mut metadata = vec![("iceberg.schema", schema_to_json(request.schema)?.to_string())];
        metadata.extend(request.deletes.iter().flat_map(DeleteType::entries));
        let compression = compression(request.properties)?;
        let schema = declared.to_string();
        // Each type adds several levels of JSON, and readers limit the levels.
        parse_schema(schema.as_bytes(), &Limits::of_rows()).map_err(|error| {
            Error::unsupported("an Avro file cannot hold so many or so deeply nested columns: write Parquet")
                .caused_by(error)
        })?;
        Ok(Self { fields, schema, metadata, compression })
    }
}
