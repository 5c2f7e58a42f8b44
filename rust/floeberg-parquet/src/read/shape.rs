//! What does a Parquet file say of its columns, for a reader that is not ours?
//!
//! In: an open file. Out: its columns as JSON: names, ids, types as they are stored, and what a reader may not know.
//! Spec: Appendix A, Parquet.
//!
//! Invariant: the text is made of the file alone, and is the same for files of the same columns.

use std::collections::BTreeSet;

use floeberg_core::Result;
use floeberg_io::Source;
use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::Type;
use serde_json::{Value as Json, json};

use super::footer::read_footer;

/// Spark says with these that dates were written in the calendar before 1582 had one.
const SPARK_VERSION: &str = "org.apache.spark.version";
const SPARK_LEGACY: &str = "org.apache.spark.legacyDateTime";

/// The columns of a file, as text.
pub fn stored_shape(source: &dyn Source) -> Result<String> {
    let (metadata, _) = read_footer(source)?;
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
        return match info.converted_type() {
            ConvertedType::NONE => None,
            ConvertedType::UTF8 => Some("string".to_owned()),
            ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => Some("map".to_owned()),
            ConvertedType::LIST => Some("list".to_owned()),
            ConvertedType::DATE => Some("date".to_owned()),
            ConvertedType::TIMESTAMP_MICROS => Some("timestamptz".to_owned()),
            ConvertedType::TIME_MICROS => Some("time".to_owned()),
            ConvertedType::INT_32 => Some("int".to_owned()),
            ConvertedType::INT_64 => Some("long".to_owned()),
            ConvertedType::DECIMAL => {
                Some(format!("decimal({}, {})", field.get_precision(), field.get_scale()))
            }
            other => Some(format!("{other:?}")),
        };
    };
    Some(match annotation {
        LogicalType::String => "string".to_owned(),
        LogicalType::Map => "map".to_owned(),
        LogicalType::List => "list".to_owned(),
        LogicalType::Date => "date".to_owned(),
        LogicalType::Decimal(decimal) => format!("decimal({}, {})", decimal.precision, decimal.scale),
        LogicalType::Timestamp(moment) if moment.unit == TimeUnit::MICROS => {
            (if moment.is_adjusted_to_u_t_c { "timestamptz" } else { "timestamp" }).to_owned()
        }
        LogicalType::Time(time) if time.unit == TimeUnit::MICROS => "time".to_owned(),
        LogicalType::Integer(number) if number.is_signed && number.bit_width == 32 => "int".to_owned(),
        LogicalType::Integer(number) if number.is_signed && number.bit_width == 64 => "long".to_owned(),
        other => format!("{other:?}"),
    })
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
