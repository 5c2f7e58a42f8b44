//! Which format writes the files of a table?
//!
//! In: properties. Out: the layout of a write, in their format.

use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_files::{FileLayout, LayoutRequest, WriteProperties, check_metrics_mode};
use floeberg_parquet::CopyLayout;
use floeberg_properties::{FORMAT, Kind, Properties};

use crate::formats::{avro, orc};

/// The layout of a write. Errors: those of the format, `Unsupported` for a format that cannot be written.
pub(crate) fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    match format_of(request.properties).as_str() {
        "parquet" => floeberg_parquet::layout(request),
        "avro" => avro::write::layout(request),
        "orc" => orc::write::layout(request),
        #[cfg(test)]
        "arrow" => crate::formats::arrow_ipc::layout(request),
        other => Err(Error::unsupported(format!(
            "the property {:?} is {other}, but this version writes Parquet, Avro and ORC: pass \
             options={{\"write-format\": \"parquet\"}} to a write",
            FORMAT.name
        ))),
    }
}

/// Checks that encrypted files may have the format of the properties. Errors: `Unsupported` for ORC, as in Iceberg Java.
pub(super) fn check_encrypted(properties: &WriteProperties) -> Result<()> {
    if format_of(properties) == "orc" {
        return Err(Error::unsupported(format!(
            "the property {:?} is orc, and encrypted tables have no ORC files: expected parquet or avro",
            FORMAT.name
        )));
    }
    Ok(())
}

/// How files of copied row groups are stored that end at this many bytes; `None` where the format of the write has none.
///
/// A null of the columns `without_nulls` means something else in another file. Errors: those of [`layout`].
pub(super) fn copy_layout(
    request: &LayoutRequest<'_>,
    file_size: u64,
    without_nulls: Vec<i32>,
) -> Result<Option<CopyLayout>> {
    match format_of(request.properties).as_str() {
        "parquet" => CopyLayout::new(request, file_size, without_nulls),
        _ => Ok(None),
    }
}

/// Can writing follow a property of metrics or of a format, with the others of its table?
///
/// Errors: `InvalidInput`, naming the property.
pub fn check_write_property(name: &str, kind: Kind, properties: &Properties) -> Result<()> {
    match kind {
        Kind::Metrics => check_metrics_mode(name, properties.get(name).map_or("", String::as_str)),
        Kind::Parquet => floeberg_parquet::check_properties(properties),
        Kind::Orc => orc::write::check_orc_properties(properties),
        Kind::Avro => avro::write::check_avro_properties(properties),
        _ => Ok(()),
    }
}

/// The format of the properties, in lower case.
fn format_of(properties: &WriteProperties) -> String {
    properties.text(FORMAT.name).unwrap_or(FORMAT.default).trim().to_ascii_lowercase()
}
