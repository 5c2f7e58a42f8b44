//! Which format writes the files of a table?
//!
//! In: properties. Out: the layout of a write, in the format that they ask for.

use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_properties::FORMAT;

use crate::files::{FileLayout, LayoutRequest, WriteProperties};
use crate::formats::{avro, parquet};

/// The layout of a write. Errors: those of the format, `Unsupported` for one that is not written.
pub(super) fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    match format_of(request.properties).as_str() {
        "parquet" => parquet::write::layout(request),
        "avro" => avro::write::layout(request),
        #[cfg(test)]
        "arrow" => crate::formats::arrow_ipc::layout(request),
        other => Err(Error::unsupported(format!(
            "the property {:?} asks for files of format {other}; this version writes Parquet and Avro, which \
             options={{\"write-format\": \"parquet\"}} asks for in one write",
            FORMAT.name
        ))),
    }
}

/// The format that properties ask for, in small letters.
fn format_of(properties: &WriteProperties) -> String {
    properties.text(FORMAT.name).unwrap_or(FORMAT.default).trim().to_ascii_lowercase()
}
