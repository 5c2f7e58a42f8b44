//! Which type does an Arrow extension name?
//!
//! In: a field with `ARROW:extension:name`. Out: uuid, variant, geometry or geography; other extensions are their storage.
//! Spec: Appendix A, Parquet (geospatial types).
//!
//! Invariant: an extension whose parameters say more than the type can keep is an error.

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field as ArrowField};
use serde_json::Value as Json;

use super::written_out;
use crate::error::beginning;
use crate::schema::{DEFAULT_CRS, PrimitiveType, Type};

/// The type that a field's extension names; `None` where its storage decides. Errors: what is wrong with the column.
pub fn extension_type(field: &ArrowField) -> Result<Option<Type>, String> {
    let Some(name) = field.metadata().get(EXTENSION_TYPE_NAME_KEY) else { return Ok(None) };
    let storage = written_out(field.data_type());
    let is_binary = matches!(storage, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    match (name.as_str(), storage) {
        ("arrow.uuid", DataType::FixedSizeBinary(16)) => Ok(Some(PrimitiveType::Uuid.into())),
        ("arrow.parquet.variant", DataType::Struct(_)) => Ok(Some(Type::Variant)),
        ("geoarrow.wkb" | "ogc.wkb", _) if is_binary => {
            let parameters = field.metadata().get(EXTENSION_TYPE_METADATA_KEY).map_or("", String::as_str);
            geospatial(parameters).map(|found| Some(found.into()))
        }
        _ => Ok(None),
    }
}

/// Without edges they are straight, which is geometry.
fn geospatial(parameters: &str) -> Result<PrimitiveType, String> {
    let parameters: Json = match parameters {
        "" => Json::Null,
        text => serde_json::from_str(text)
            .map_err(|_| format!("has parameters of geoarrow.wkb that are not JSON: {}", beginning(text)))?,
    };
    let crs = reference_system(&parameters)?;
    match parameters.get("edges").and_then(Json::as_str) {
        None | Some("planar") => Ok(PrimitiveType::Geometry { crs }),
        Some("spherical") => Ok(PrimitiveType::Geography { crs, algorithm: None }),
        Some(edges @ ("vincenty" | "thomas" | "andoyer" | "karney")) => {
            Ok(PrimitiveType::Geography { crs, algorithm: Some(edges.to_owned()) })
        }
        Some(other) => Err(format!("has the unknown edges {:?}", beginning(other))),
    }
}

/// `None` is the default of the type. A column that names none is unspecified, which `srid:0` says, as Arrow writes it.
fn reference_system(parameters: &Json) -> Result<Option<String>, String> {
    let kind = parameters.get("crs_type").and_then(Json::as_str);
    let named = match (parameters.get("crs"), kind) {
        (None | Some(Json::Null), _) => "srid:0".to_owned(),
        (Some(Json::String(number)), Some("srid")) => format!("srid:{number}"),
        (Some(Json::String(name)), _) => name.clone(),
        (Some(document), _) => match (document["id"]["authority"].as_str(), &document["id"]["code"]) {
            (Some(authority), Json::String(code)) => format!("{authority}:{code}"),
            (Some(authority), Json::Number(code)) => format!("{authority}:{code}"),
            _ => {
                return Err("has a coordinate reference system without an id: name it by authority and code"
                    .to_owned());
            }
        },
    };
    if named.trim() != named || named.is_empty() {
        return Err(format!(
            "has a coordinate reference system with the invalid name {:?}",
            beginning(named)
        ));
    }
    Ok((named != DEFAULT_CRS).then_some(named))
}
