//! What is the same for all Avro files of a write?
//!
//! In: a schema and properties. Out: the declared schema, and how blocks are compressed.
//! Spec: Appendix A, Avro.
//!
//! Invariant: all columns of the table are declared, in its order, those of type `unknown` as null.

use floeberg_core::Result;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::schema::{Field, StructType};

use super::options::compression;
use crate::files::LayoutRequest;
use crate::wire::avro::encode::{Compression, declare};

/// The name that Iceberg Java gives to records.
const RECORD: &str = "table";

/// How rows are stored.
#[derive(Debug)]
pub(super) struct AvroLayout {
    /// The columns.
    pub(super) fields: Vec<Field>,
    /// The declared schema, as JSON.
    pub(super) schema: String,
    /// What else the header says.
    pub(super) metadata: Vec<(&'static str, String)>,
    /// How blocks are stored.
    pub(super) compression: Compression,
}

impl AvroLayout {
    /// The layout that a request asks for.
    ///
    /// Errors: `InvalidInput` for properties that are not understood and for names that Avro cannot tell apart, `Unsupported` for
    /// types that are not written.
    pub(super) fn new(request: &LayoutRequest<'_>) -> Result<Self> {
        let fields = request.schema.fields().to_vec();
        let declared = declare(&StructType { fields: fields.clone() }, RECORD)?;
        // As Iceberg Java has it, for readers that know no table.
        let metadata = vec![("iceberg.schema", schema_to_json(request.schema)?.to_string())];
        let compression = compression(request.properties)?;
        Ok(Self { fields, schema: declared.to_string(), metadata, compression })
    }
}
