//! What does a Parquet file say of its columns, for a reader that is not ours?
//!
//! In: an open file. Out: its columns as JSON: names, ids, types as they are stored, and what a reader may not know.
//! Spec: Appendix A, Parquet.
//!
//! Invariant: the text is made of the file alone, and is the same for files of the same columns.

use std::collections::BTreeSet;

use floeberg_core::{Error, Result};
use floeberg_io::Source;
use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataOptions};
use parquet::schema::types::Type;
use serde_json::{Value as Json, json};

use super::footer::read_footer;

/// Spark says with these that dates were written in the calendar before 1582 had one.
const SPARK_VERSION: &str = "org.apache.spark.version";
const SPARK_LEGACY: &str = "org.apache.spark.legacyDateTime";

/// The columns of a file, as text. Errors: `Unsupported` for an encrypted one.
pub fn stored_shape(source: &dyn Source) -> Result<String> {
    // Another reader never gets the key.
    if source.native().is_some() {
        return Err(Error::unsupported("the Parquet file is encrypted").with("path", source.location()));
    }
    let (metadata, _) = read_footer(source, &ParquetMetaDataOptions::new(), None)?;
    let mut leaves = unusual(&metadata).into_iter();
    let root = metadata.file_metadata().schema_descr().root_schema();
    let columns: Vec<_> = root.get_fields().iter().map(|field| column(field, &mut leaves)).collect();
    Ok(json!({ "columns": columns, "legacy_calendar": is_legacy(&metadata) }).to_string())
}

fn column(field: &Type, leaves: &mut dyn Iterator<Item = BTreeSet<String>>) -> Json {
    let info = field.get_basic_info();
    let mut said = json!({
        "name": info.name(),
        "id": info.has_id().then(|| info.id()),
        "repetition": match info.repetition() {
            Repetition::REQUIRED => "required",
            Repetition::OPTIONAL => "optional",
            Repetition::REPEATED => "repeated",
        },
        "means": meaning(field),
    });
    if field.is_group() {
        said["columns"] = field.get_fields().iter().map(|child| column(child, leaves)).collect();
    } else {
        said["stored"] = json!(field.get_physical_type().to_string());
        said["unusual"] = json!(leaves.next().unwrap_or_default());
    }
    said
}

/// The meaning of a column, from its logical type, else from the older converted type.
fn meaning(field: &Type) -> Option<String> {
    let info = field.get_basic_info();
    let Some(annotation) = info.logical_type_ref() else {
        return older_meaning(field, info.converted_type());
    };
    Some(match annotation {
        LogicalType::Map => "map".to_owned(),
        LogicalType::List => "list".to_owned(),
        LogicalType::Date => "date".to_owned(),
        LogicalType::Decimal(decimal) => format!("decimal({}, {})", decimal.precision, decimal.scale),
        LogicalType::Timestamp(moment) => {
            let zone = if moment.is_adjusted_to_u_t_c { "timestamptz" } else { "timestamp" };
            format!("{zone}{}", unit(moment.unit))
        }
        LogicalType::Time(time) => format!("time{}", unit(time.unit)),
        LogicalType::Integer(number) => integer(number.bit_width, number.is_signed),
        LogicalType::Geometry(_) => "geometry".to_owned(),
        LogicalType::Geography(_) => "geography".to_owned(),
        LogicalType::Variant(_) => "variant".to_owned(),
        LogicalType::_Unknown { .. } => "what a later version defines".to_owned(),
        // The others have no parameters: they are their names.
        other => format!("{other:?}").to_lowercase(),
    })
}

fn older_meaning(field: &Type, annotation: ConvertedType) -> Option<String> {
    Some(match annotation {
        ConvertedType::NONE => return None,
        ConvertedType::UTF8 => "string".to_owned(),
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => "map".to_owned(),
        ConvertedType::LIST => "list".to_owned(),
        ConvertedType::TIMESTAMP_MICROS => "timestamptz".to_owned(),
        ConvertedType::TIMESTAMP_MILLIS => format!("timestamptz{}", unit(TimeUnit::MILLIS)),
        ConvertedType::TIME_MICROS => "time".to_owned(),
        ConvertedType::TIME_MILLIS => format!("time{}", unit(TimeUnit::MILLIS)),
        ConvertedType::INT_8 => integer(8, true),
        ConvertedType::INT_16 => integer(16, true),
        ConvertedType::INT_32 => integer(32, true),
        ConvertedType::INT_64 => integer(64, true),
        ConvertedType::UINT_8 => integer(8, false),
        ConvertedType::UINT_16 => integer(16, false),
        ConvertedType::UINT_32 => integer(32, false),
        ConvertedType::UINT_64 => integer(64, false),
        ConvertedType::DECIMAL => format!("decimal({}, {})", field.get_precision(), field.get_scale()),
        ConvertedType::DATE
        | ConvertedType::ENUM
        | ConvertedType::JSON
        | ConvertedType::BSON
        | ConvertedType::INTERVAL => format!("{annotation:?}").to_lowercase(),
    })
}

/// What stands after a time or a timestamp that is not in microseconds, as Iceberg's types of these names are.
fn unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::MILLIS => " in milliseconds",
        TimeUnit::MICROS => "",
        TimeUnit::NANOS => " in nanoseconds",
    }
}

fn integer(bits: i8, is_signed: bool) -> String {
    match (bits, is_signed) {
        (32, true) => "int".to_owned(),
        (64, true) => "long".to_owned(),
        (_, true) => format!("integer of {bits} bits"),
        (_, false) => format!("unsigned integer of {bits} bits"),
    }
}

/// For each leaf the codecs and encodings that not every reader has.
fn unusual(metadata: &ParquetMetaData) -> Vec<BTreeSet<String>> {
    let mut found = vec![BTreeSet::new(); metadata.file_metadata().schema_descr().num_columns()];
    for group in metadata.row_groups() {
        for (column, found) in group.columns().iter().zip(&mut found) {
            match column.compression() {
                Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::ZSTD(_)
                | Compression::LZ4_RAW => {}
                other => drop(found.insert(other.to_string())),
            }
            let plain = |encoding: &Encoding| *encoding != Encoding::BYTE_STREAM_SPLIT;
            found.extend(column.encodings().filter(|each| !plain(each)).map(|each| each.to_string()));
        }
    }
    found
}

/// Would Spark move dates and times of the file from the calendar of old?
fn is_legacy(metadata: &ParquetMetaData) -> bool {
    let said = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    said.into_iter().any(|entry| match entry.key.as_str() {
        SPARK_LEGACY => true,
        SPARK_VERSION => entry.value.as_deref().is_none_or(|version| version < "3.0.0"),
        _ => false,
    })
}

#[cfg(test)]
mod tests;
