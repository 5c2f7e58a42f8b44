//! Which columns does a version of a table have?
//!
//! In: the list of fields of a manifest, depth first. Out: a tree of them.
//! Spec: Lance, Schemas & Fields.
//!
//! Invariant: ids are unique and not negative, a parent stands before its children, names are unique among siblings.

use std::collections::{HashMap, HashSet};

use floeberg_core::{Error, Result};

use super::logical_type::{MAX_DEPTH, too_deep};
use crate::wire::SchemaField;

/// The parent id of a column.
const NO_PARENT: i32 = -1;

/// The columns of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schema {
    fields: Vec<Field>,
    metadata: Vec<(String, String)>,
}

/// A column, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The id.
    pub id: i32,
    /// The name.
    pub name: String,
    /// The type as it is written, such as `timestamp:us:UTC`.
    pub logical_type: String,
    /// May it be null?
    pub nullable: bool,
    /// Metadata, the extension type among it.
    pub metadata: Vec<(String, String)>,
    /// Fields of a struct, the element of a list, the entries of a map.
    pub children: Vec<Field>,
}

impl Schema {
    /// Builds the tree. Errors: `InvalidData`, naming the field; `LimitExceeded` for one that is nested too deep.
    pub fn new(written: &[SchemaField], metadata: &[(String, Vec<u8>)]) -> Result<Self> {
        let mut at = HashMap::with_capacity(written.len());
        let mut depths: Vec<usize> = Vec::with_capacity(written.len());
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); written.len()];
        let mut top = Vec::new();
        for (place, field) in written.iter().enumerate() {
            let depth = if field.parent_id == NO_PARENT {
                top.push(place);
                1
            } else {
                let parent: Option<&usize> = at.get(&field.parent_id);
                let parent = *parent.ok_or_else(|| {
                    Error::invalid_data(format!(
                        "expected the parent of field {} before it, found the id {}",
                        field.id, field.parent_id
                    ))
                })?;
                children[parent].push(place);
                depths[parent] + 1
            };
            if depth > MAX_DEPTH {
                return Err(too_deep().with("field", field.id));
            }
            if field.logical_type.is_empty() {
                return Err(
                    Error::invalid_data("expected the type of a field, found none").with("field", field.id)
                );
            }
            if field.id < 0 || at.insert(field.id, place).is_some() {
                return Err(Error::invalid_data(format!(
                    "expected ids of fields from 0 on, each once, found the id {}",
                    field.id
                )));
            }
            depths.push(depth);
        }
        let schema = Self {
            fields: top.into_iter().map(|place| field(written, &children, place)).collect::<Result<_>>()?,
            metadata: texts(metadata),
        };
        unique(&schema.fields)?;
        Ok(schema)
    }

    /// The columns, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Metadata of the schema.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The same columns, which may all be null.
    #[must_use]
    pub fn optional(&self) -> Self {
        let fields = self.fields.iter().map(|field| Field { nullable: true, ..field.clone() });
        Self { fields: fields.collect(), metadata: self.metadata.clone() }
    }

    /// Some of the columns, which may be null at every depth but where maps have keys.
    pub(crate) fn readable(&self, is_wanted: impl Fn(&Field) -> bool) -> Self {
        let fields = self.fields.iter().filter(|field| is_wanted(field)).map(Field::optional);
        Self { fields: fields.collect(), metadata: self.metadata.clone() }
    }

    /// Every field, depth first.
    pub fn all(&self) -> Vec<&Field> {
        let mut all = Vec::new();
        let mut waiting: Vec<&Field> = self.fields.iter().rev().collect();
        while let Some(field) = waiting.pop() {
            all.push(field);
            waiting.extend(field.children.iter().rev());
        }
        all
    }
}

impl Field {
    /// Are its values blobs, which files keep apart?
    pub fn is_blob(&self) -> bool {
        self.metadata.iter().any(|(key, value)| key == "lance-encoding:blob" && value == "true")
    }

    /// Have its parts one column in a data file?
    pub fn is_whole(&self) -> bool {
        let is_true =
            |value: &str| matches!(value.to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on" | "y");
        let is_packed = |(key, value): &(String, String)| {
            matches!(key.as_str(), "packed" | "lance-encoding:packed") && is_true(value)
        };
        self.is_blob()
            || self.extension_name() == Some("lance.blob.v2")
            || self.metadata.iter().any(|entry| is_packed(entry) || entry.0 == "lance-encoding:blob")
    }

    fn optional(&self) -> Self {
        let below = |field: &Self| Self {
            children: field.children.iter().map(Self::optional).collect(),
            ..field.clone()
        };
        // Entries and their keys are never null.
        let children = match (self.logical_type.as_str(), self.children.as_slice()) {
            ("map", [entries]) => match entries.children.as_slice() {
                [key, value] => {
                    vec![Self { children: vec![below(key), value.optional()], ..entries.clone() }]
                }
                _ => self.children.clone(),
            },
            (_, children) => children.iter().map(Self::optional).collect(),
        };
        Self { nullable: true, children, ..self.clone() }
    }

    /// The name of its extension type.
    pub fn extension_name(&self) -> Option<&str> {
        let found = self.metadata.iter().find(|(key, _)| key == EXTENSION_NAME);
        found.map(|(_, name)| name.as_str())
    }
}

const EXTENSION_NAME: &str = "ARROW:extension:name";

/// The depth is checked before.
fn field(written: &[SchemaField], children: &[Vec<usize>], place: usize) -> Result<Field> {
    let SchemaField { id, name, logical_type, nullable, metadata, extension_name, .. } = &written[place];
    let mut metadata = texts(metadata);
    if !extension_name.is_empty() && !metadata.iter().any(|(key, _)| key == EXTENSION_NAME) {
        metadata.push((EXTENSION_NAME.to_owned(), extension_name.clone()));
    }
    let children: Vec<_> =
        children[place].iter().map(|child| field(written, children, *child)).collect::<Result<_>>()?;
    unique(&children)?;
    Ok(Field {
        id: *id,
        name: name.clone(),
        logical_type: logical_type.clone(),
        nullable: *nullable,
        metadata,
        children,
    })
}

fn unique(siblings: &[Field]) -> Result<()> {
    let mut names = HashSet::with_capacity(siblings.len());
    match siblings.iter().find(|field| !names.insert(field.name.as_str())) {
        Some(field) => {
            let shown: String = field.name.chars().take(64).collect();
            Err(Error::invalid_data(format!("expected names of fields each once, found {shown:?} twice")))
        }
        None => Ok(()),
    }
}

/// Metadata are text that others write as bytes.
fn texts(metadata: &[(String, Vec<u8>)]) -> Vec<(String, String)> {
    metadata.iter().map(|(key, value)| (key.clone(), String::from_utf8_lossy(value).into_owned())).collect()
}
