//! Which changes of a schema are there?
//!
//! Invariant: names mean columns before the first change. A name that no column had then means a column that an earlier change
//! added or renamed.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::draft::by_name;
use crate::error::Result;
use crate::schema::{Field, Schema, Type};

/// Changes to a schema, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaChanges {
    /// The changes.
    pub changes: Vec<SchemaChange>,
    /// May a column become required although old rows may have none?
    pub allow_incompatible: bool,
    /// Does the case of names count?
    pub case_sensitive: bool,
}

/// One change. Names are full and dotted; `element` of lists and `value` of maps may be left out.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaChange {
    /// A new column, last among its siblings.
    Add(AddedColumn),
    /// A column goes, with all below it.
    Delete(String),
    /// A column gets another name: the last part alone.
    Rename(String, String),
    /// A column's type is promoted.
    UpdateType(String, Type),
    /// A column gets a comment, or none.
    UpdateDoc(String, Option<String>),
    /// A column gets a write default in the specification's JSON, or none.
    UpdateDefault(String, Option<Json>),
    /// A column may be null.
    MakeOptional(String),
    /// A column may not be null any more.
    Require(String),
    /// A column becomes the first of its siblings.
    MoveFirst(String),
    /// A column goes before a sibling.
    MoveBefore(String, String),
    /// A column goes after a sibling.
    MoveAfter(String, String),
    /// These fields identify rows, and no others.
    SetIdentifierFields(Vec<String>),
    /// Adds and widens columns so that every column of another schema fits, by name; the ids of that schema do not count.
    Union(Box<Schema>),
}

/// A new column.
#[derive(Debug, Clone, PartialEq)]
pub struct AddedColumn {
    /// The struct that it is added to, or the list or map of structs; `None` is the table.
    pub parent: Option<String>,
    /// Its own name.
    pub name: String,
    /// Its type; ids in it do not count.
    pub field_type: Type,
    /// Must it hold a value?
    pub required: bool,
    /// Its comment.
    pub doc: Option<String>,
    /// The value for existing rows, and for writers without one, in the specification's JSON (v3).
    pub default: Option<Json>,
}

impl SchemaChanges {
    /// The column that a name of a change means in a schema, before the first change, if any.
    ///
    /// Errors: `InvalidInput` for a name that fits several.
    pub fn find(&self, schema: &Schema, name: &str) -> Result<Option<i32>> {
        by_name(schema.fields(), name, self.case_sensitive)
    }
}

impl SchemaChange {
    /// The names of columns in it, new ones too.
    pub fn names(&self) -> Vec<Cow<'_, str>> {
        match self {
            Self::Add(AddedColumn { parent: Some(parent), name, .. }) => {
                vec![parent.into(), format!("{parent}.{name}").into()]
            }
            Self::Add(AddedColumn { name, .. })
            | Self::Delete(name)
            | Self::Rename(name, _)
            | Self::UpdateType(name, _)
            | Self::UpdateDoc(name, _)
            | Self::UpdateDefault(name, _)
            | Self::MakeOptional(name)
            | Self::Require(name)
            | Self::MoveFirst(name) => vec![name.into()],
            Self::MoveBefore(name, other) | Self::MoveAfter(name, other) => vec![name.into(), other.into()],
            Self::SetIdentifierFields(names) => names.iter().map(Cow::from).collect(),
            Self::Union(schema) => {
                let mut names = Vec::new();
                schema.fields().iter().for_each(|field| names_below(field, &field.name, &mut names));
                names
            }
        }
    }
}

fn names_below(field: &Field, full: &str, names: &mut Vec<Cow<'_, str>>) {
    names.push(full.to_owned().into());
    for child in field.field_type.children() {
        names_below(child, &format!("{full}.{}", child.name), names);
    }
}
