//! What can be changed of a schema?
//!
//! Invariant: columns are named as they were before the first change; a name that no column had then is that of one which an
//! earlier change added or renamed.

use serde_json::Value as Json;

use crate::schema::{Schema, Type};

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
    /// Every column of another schema is there, found by name and as wide; the other's ids do not count.
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
    /// The value of rows that are there, and of writers that give none, in the specification's JSON (v3).
    pub default: Option<Json>,
}
