//! Which columns does a file have, and which field ids?
//!
//! In: the Arrow types that a file's columns are decoded as, with the field ids in the file. Out: a tree of columns with ids and
//! leaf numbers.
//! Spec: Column Projection; Appendix A.
//!
//! Invariant: leaves are numbered in the file's order, depth first.

use std::collections::BTreeSet;
use std::ops::Range;

use arrow_schema::{DataType, Field, Fields};
use floeberg_core::schema::NameMapping;
use floeberg_core::schema::arrow::field_id;
use floeberg_core::{Error, Result};

/// A column of a file, or a part of one.
#[derive(Debug, Clone)]
pub struct FileField {
    /// The field id, where the file, the name mapping or the position gives one.
    pub id: Option<i32>,
    /// The name in the file.
    pub name: String,
    /// The type that it is decoded as.
    pub data_type: DataType,
    /// Its leaves: the primitive columns of the file that it is made of, and its structs without fields.
    pub leaves: Range<usize>,
    /// A struct's fields, a list's element, a map's key and value.
    pub children: Vec<FileField>,
}

/// The columns of a file, and whether the file has their field ids.
#[derive(Debug, Clone)]
pub struct FileFields {
    /// The columns, in the file's order.
    pub fields: Vec<FileField>,
    /// Does the file itself have field ids?
    pub has_ids: bool,
    /// May it store parts of variants as columns?
    pub may_shred: bool,
    /// Leaves with timestamps that may be instants or not, since the file does not say: those of INT96 in Parquet.
    pub undecided_zones: BTreeSet<usize>,
}

impl FileFields {
    /// The columns of a file. Without ids in the file, ids come from a name mapping; without a mapping, from the
    /// position, as in other readers: the first column is 1, and nested ones have no id.
    pub fn new(fields: &Fields, mapping: Option<&NameMapping>) -> Self {
        let mut leaf = 0;
        let mut fields: Vec<_> = fields.iter().map(|field| file_field(field, &mut leaf)).collect();
        let has_ids = fields.iter().any(FileField::has_id);
        if !has_ids {
            match mapping {
                Some(mapping) => map_names(&mut fields, mapping),
                None => {
                    for (id, field) in (1..).zip(&mut fields) {
                        field.id = Some(id);
                    }
                }
            }
        }
        Self { fields, has_ids, may_shred: false, undecided_zones: BTreeSet::new() }
    }

    /// The same, for a format that stores parts of variants as columns.
    #[must_use]
    pub fn with_shredding(self) -> Self {
        Self { may_shred: true, ..self }
    }

    /// The same, with leaves whose timestamps may be instants or not.
    #[must_use]
    pub fn with_undecided_zones(self, leaves: BTreeSet<usize>) -> Self {
        Self { undecided_zones: leaves, ..self }
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.fields.last().map_or(0, |field| field.leaves.end)
    }
}

/// The position of the field with an id among the fields of a file or a struct.
///
/// Errors: `InvalidData` if two fields have the id.
pub fn field_place(fields: &[FileField], id: i32) -> Result<Option<usize>> {
    let mut found = (0..).zip(fields).filter(|(_, field)| field.id == Some(id));
    let (first, second) = (found.next(), found.next());
    if let (Some((_, first)), Some((_, second))) = (first, second) {
        return Err(Error::invalid_data(format!(
            "columns {:?} and {:?} of the file both have field id {id}, expected one",
            first.name, second.name
        )));
    }
    Ok(first.map(|(place, _)| place))
}

impl FileField {
    fn has_id(&self) -> bool {
        self.id.is_some() || self.children.iter().any(Self::has_id)
    }
}

fn file_field(field: &Field, leaf: &mut usize) -> FileField {
    let start = *leaf;
    let children = match field.data_type() {
        // It has no values, but it may be null: that takes a leaf.
        DataType::Struct(fields) if fields.is_empty() => {
            *leaf += 1;
            Vec::new()
        }
        DataType::Struct(fields) => fields.iter().map(|child| file_field(child, leaf)).collect(),
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            vec![file_field(element, leaf)]
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => fields.iter().map(|child| file_field(child, leaf)).collect(),
            _ => Vec::new(),
        },
        _ => {
            *leaf += 1;
            Vec::new()
        }
    };
    FileField {
        id: field_id(field),
        name: field.name().clone(),
        data_type: field.data_type().clone(),
        leaves: start..*leaf,
        children,
    }
}

/// Gives ids by names. A list's element is mapped as `element`, a map's parts as `key` and `value`, whatever the
/// file calls them.
fn map_names(fields: &mut [FileField], mapping: &NameMapping) {
    for field in fields {
        let Some(mapped) = mapping.get(&field.name) else { continue };
        field.id = mapped.field_id();
        let names: &[&str] = match &field.data_type {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => &["element"],
            DataType::Map(..) => &["key", "value"],
            _ => &[],
        };
        for (child, name) in field.children.iter_mut().zip(names) {
            (*name).clone_into(&mut child.name);
        }
        map_names(&mut field.children, mapped.children());
    }
}
