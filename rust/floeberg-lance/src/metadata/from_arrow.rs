//! Which fields does a manifest write for Arrow columns?
//!
//! In: an Arrow schema, and the fields that a table has. Out: fields as a manifest writes them, with ids, and where data files have
//! them.
//! Spec: Lance, Schemas & Fields; `lance-core/datatypes.rs`; `lance-file/writer.rs`.
//!
//! Invariant: a type is written only where it is read again as the same type. What the writer of pages would store in another form
//! is refused by name.

use std::collections::{HashMap, HashSet};

use arrow_schema::{DataType, Field as ArrowField, TimeUnit};
use floeberg_core::{Context as _, Error, Result};

use super::logical_type::{MAX_DEPTH, leaf_to_arrow, too_deep};
use crate::wire::{Layout, SchemaField};

const EXTENSION_NAME: &str = "ARROW:extension:name";
/// Their values are written in another form than they have.
const REFUSED_EXTENSIONS: [&str; 3] = ["arrow.json", "lance.json", "lance.blob.v2"];
/// Metadata that change how a column lies in a file.
const REFUSED_METADATA: [&str; 3] = ["lance-encoding:blob", "lance-encoding:packed", "packed"];
/// Metadata that pages or others put in, and which say nothing here.
const FIELD_ID: &str = "lance:field_id";

/// Gives ids to fields: those that fields of the same name and type had before, and otherwise new ones.
#[derive(Debug, Clone)]
pub struct FieldIds {
    known: HashMap<(String, String), i32>,
    next: i32,
}

impl FieldIds {
    /// Ids after the highest one that was ever given; -1 for none.
    pub fn after(highest: i32) -> Self {
        Self { known: HashMap::new(), next: highest.saturating_add(1) }
    }

    /// As before, but fields of the same name and type keep their ids.
    pub fn keeping(fields: &[SchemaField], highest: i32) -> Self {
        let paths = field_paths(fields);
        let known = fields.iter().filter_map(|field| {
            Some(((paths.get(&field.id)?.clone(), field.logical_type.clone()), field.id))
        });
        Self { known: known.collect(), ..Self::after(highest) }
    }

    fn give(&mut self, path: &str, logical_type: &str) -> Result<i32> {
        if let Some(id) = self.known.remove(&(path.to_owned(), logical_type.to_owned())) {
            return Ok(id);
        }
        if self.next == i32::MAX {
            return Err(Error::limit("the table has no further id for a field"));
        }
        self.next += 1;
        Ok(self.next - 1)
    }
}

/// Names are joined by a character that none may have.
/// The path of every field, by its id: the names from its column on, each after a zero.
pub fn field_paths(fields: &[SchemaField]) -> HashMap<i32, String> {
    let mut paths: HashMap<i32, String> = HashMap::new();
    for field in fields {
        let path = child_path(paths.get(&field.parent_id).map_or("", String::as_str), &field.name);
        paths.insert(field.id, path);
    }
    paths
}

fn child_path(parent: &str, name: &str) -> String {
    format!("{parent}\0{name}")
}

/// The fields of Arrow columns, depth first.
///
/// Errors: `Unsupported`, naming the column, for types that this version does not write; `LimitExceeded` for types that are
/// nested too deep.
pub fn written_fields<'a>(
    columns: impl IntoIterator<Item = &'a ArrowField>,
    data_version: &str,
    ids: &mut FieldIds,
) -> Result<Vec<SchemaField>> {
    let mut fields = Vec::new();
    let mut names = HashSet::new();
    for column in columns {
        if !names.insert(column.name()) {
            return Err(Error::invalid_input(format!("two columns are named {:?}", column.name())));
        }
        let mut writer = Writer { data_version, ids, fields: &mut fields };
        writer.write(column, -1, "", MAX_DEPTH).context("column", column.name())?;
    }
    Ok(fields)
}

/// Names of columns that rows have anyway.
const RESERVED: [&str; 5] =
    ["_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "_row_last_updated_at_version"];

/// Checks the name of a new column. Errors: `InvalidInput` for a name of the format.
pub fn check_name(name: &str) -> Result<()> {
    if RESERVED.contains(&name) {
        return Err(Error::invalid_input(format!(
            "a column cannot be named {name:?}: the name is reserved for what every row has"
        )));
    }
    Ok(())
}

struct Writer<'a> {
    data_version: &'a str,
    ids: &'a mut FieldIds,
    fields: &'a mut Vec<SchemaField>,
}

impl Writer<'_> {
    fn write(&mut self, field: &ArrowField, parent_id: i32, parent: &str, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        check_metadata(field)?;
        if field.name().contains('.') && parent_id == -1 || field.name().is_empty() {
            return Err(Error::unsupported(format!(
                "a column cannot be named {:?}: names may not be empty or have a dot",
                field.name()
            )));
        }
        if parent_id == -1 {
            check_name(field.name())?;
        }
        let logical_type = self.logical_type(field)?;
        let path = child_path(parent, field.name());
        let id = self.ids.give(&path, &logical_type)?;
        let metadata = field.metadata().iter().filter(|(key, _)| key.as_str() != FIELD_ID);
        let mut metadata: Vec<_> =
            metadata.map(|(key, value)| (key.clone(), value.as_bytes().to_vec())).collect();
        metadata.sort();
        self.fields.push(SchemaField {
            name: field.name().clone(),
            id,
            parent_id,
            logical_type,
            nullable: field.is_nullable(),
            encoding: encoding(field.data_type()),
            dictionary: matches!(field.data_type(), DataType::Dictionary(..)).then(Vec::new),
            extension_name: field.metadata().get(EXTENSION_NAME).cloned().unwrap_or_default(),
            metadata,
            ..SchemaField::default()
        });
        match field.data_type() {
            DataType::Struct(parts) => parts.iter().try_for_each(|part| self.write(part, id, &path, depth)),
            DataType::List(element) | DataType::LargeList(element) | DataType::Map(element, _) => {
                self.write(element, id, &path, depth)
            }
            _ => Ok(()),
        }
    }

    fn logical_type(&self, field: &ArrowField) -> Result<String> {
        let is_struct = |element: &ArrowField| matches!(element.data_type(), DataType::Struct(_));
        let found = match field.data_type() {
            DataType::Struct(parts) if parts.is_empty() => {
                return Err(refused(field, "a struct without fields"));
            }
            DataType::Struct(_) => "struct".to_owned(),
            DataType::List(element) => if is_struct(element) { "list.struct" } else { "list" }.to_owned(),
            DataType::LargeList(element) => {
                if is_struct(element) { "large_list.struct" } else { "large_list" }.to_owned()
            }
            DataType::Map(_, true) => return Err(refused(field, "a map with sorted keys")),
            DataType::Map(..) if matches!(self.data_version, "2.0" | "2.1") => {
                return Err(refused(field, "a map in data files before version 2.2"));
            }
            DataType::Map(..) => "map".to_owned(),
            leaf => {
                let name = leaf_name(leaf).ok_or_else(|| refused(field, &leaf.to_string()))?;
                // Names that would be read as another type.
                if !leaf_to_arrow(&name).is_ok_and(|read| same_leaf(&read, leaf)) {
                    return Err(refused(field, &leaf.to_string()));
                }
                name
            }
        };
        Ok(found)
    }
}

fn same_leaf(read: &DataType, written: &DataType) -> bool {
    match (read, written) {
        (DataType::FixedSizeList(read, length), DataType::FixedSizeList(written, other)) => {
            length == other && same_leaf(read.data_type(), written.data_type())
        }
        (read, written) => read == written,
    }
}

fn check_metadata(field: &ArrowField) -> Result<()> {
    let metadata = field.metadata();
    if let Some(name) =
        metadata.get(EXTENSION_NAME).filter(|name| REFUSED_EXTENSIONS.contains(&name.as_str()))
    {
        return Err(refused(field, &format!("the extension type {name}")));
    }
    match REFUSED_METADATA.into_iter().find(|key| metadata.contains_key(key)) {
        Some(key) => Err(refused(field, &format!("the metadata {key}"))),
        None => Ok(()),
    }
}

fn refused(field: &ArrowField, what: &str) -> Error {
    Error::unsupported(format!(
        "the column {:?} cannot be written to a Lance table by this version of Floeberg: it has {what}",
        field.name()
    ))
}

/// How files of version 0.1 would store it; written as others do.
fn encoding(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Struct(_) | DataType::Null => 0,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 2,
        DataType::Dictionary(..) => 3,
        _ => 1,
    }
}

fn leaf_name(data_type: &DataType) -> Option<String> {
    let plain = match data_type {
        DataType::Null => "null",
        DataType::Boolean => "bool",
        DataType::Float16 => "halffloat",
        DataType::Float32 => "float",
        DataType::Float64 => "double",
        DataType::Utf8 => "string",
        DataType::LargeUtf8 => "large_string",
        DataType::Binary => "binary",
        DataType::LargeBinary => "large_binary",
        DataType::Date32 => "date32:day",
        DataType::Date64 => "date64:ms",
        _ => "",
    };
    if !plain.is_empty() {
        return Some(plain.to_owned());
    }
    Some(match data_type {
        integer if integer.is_integer() => integer.to_string().to_lowercase(),
        DataType::Decimal128(precision, scale) => format!("decimal:128:{precision}:{scale}"),
        DataType::Decimal256(precision, scale) => format!("decimal:256:{precision}:{scale}"),
        DataType::Time32(of) => format!("time32:{}", unit(*of)),
        DataType::Time64(of) => format!("time64:{}", unit(*of)),
        DataType::Timestamp(of, zone) => {
            format!("timestamp:{}:{}", unit(*of), zone.as_deref().unwrap_or("-"))
        }
        DataType::Duration(of) => format!("duration:{}", unit(*of)),
        DataType::FixedSizeBinary(length) => format!("fixed_size_binary:{length}"),
        DataType::FixedSizeList(element, length) => {
            format!("fixed_size_list:{}:{length}", leaf_name(element.data_type())?)
        }
        DataType::Dictionary(index, values) => {
            format!("dict:{}:{}:false", leaf_name(values)?, leaf_name(index)?)
        }
        _ => return None,
    })
}

fn unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

/// Where a data file that was written with some columns has them. From version 2.1 on only leaves have a place of their own.
///
/// Errors: `Unsupported` for columns that the writer of pages stores in another form, and for other versions of files.
pub fn layout_of(fields: &[SchemaField], data_version: &str) -> Result<Layout> {
    let (major, minor) = match data_version {
        "2.0" => (2, 0),
        "2.1" => (2, 1),
        "2.2" => (2, 2),
        "2.3" => (2, 3),
        other => {
            return Err(Error::unsupported(format!(
                "data files of version {other:?} cannot be written: expected 2.0, 2.1, 2.2 or 2.3"
            )));
        }
    };
    for field in fields {
        let named = |key: &str| field.metadata.iter().any(|(known, _)| known == key);
        let extension = field.extension_name.as_str();
        if matches!(field.logical_type.as_str(), "json" | "blob")
            || REFUSED_EXTENSIONS.contains(&extension)
            || REFUSED_METADATA.iter().any(|key| named(key))
        {
            return Err(Error::unsupported(format!(
                "the column {:?} cannot be written by this version of Floeberg: it is stored in a form of its own \
                 (JSON, blobs or packed structs)",
                field.name
            )));
        }
    }
    let has_place = |field: &SchemaField| {
        data_version == "2.0" || !fields.iter().any(|other| other.parent_id == field.id)
    };
    let ids: Vec<i32> = fields.iter().filter(|field| has_place(field)).map(|field| field.id).collect();
    let column_indices = (0..ids.len() as i32).collect();
    Ok(Layout { fields: ids, column_indices, major, minor })
}
