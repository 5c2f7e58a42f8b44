//! Which column of a data file is which field of the table?
//!
//! In: what a data file says of its columns, and what the manifest says which fields they are. Out: a tree of the file's fields with
//! the ids of the table, and the names by which columns are asked for.
//! Spec: Lance, Data evolution; `lance-file/reader.rs`.
//!
//! Columns are numbered depth first. In files of version 2.0, each field has a column; from 2.1 on, leaves alone have one, and packed
//! structs and blobs, which have one for all of their parts.
//!
//! Invariant: names and ids that a file has of its own mean nothing: columns may have been renamed since, and writers number fields
//! as they like.

use std::collections::{HashMap, HashSet};

use floeberg_core::{Error, Result};

use crate::metadata::{Field, Schema};
use crate::wire::{FileDescriptor, FileFooter, Layout, SchemaField};

/// How deep fields may nest.
const MAX_DEPTH: usize = 64;
const NO_PARENT: i32 = -1;

/// The fields of a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileColumns {
    fields: Vec<FileField>,
}

/// A field of a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileField {
    /// Its name in the file.
    pub name: String,
    /// The field of the table; `None` where the table has dropped it.
    pub id: Option<i32>,
    /// Its type as the file writes it.
    pub logical_type: String,
    /// Its parts.
    pub children: Vec<FileField>,
    /// Are its parts read together?
    is_whole: bool,
}

/// The fields of a table, by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldIds<'a> {
    fields: HashMap<i32, &'a Field>,
    parents: HashMap<i32, i32>,
}

impl<'a> FieldIds<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        let mut ids = Self::default();
        for field in schema.all() {
            ids.fields.insert(field.id, field);
            ids.parents.extend(field.children.iter().map(|child| (child.id, field.id)));
        }
        ids
    }

    /// Is a field a part of one whose parts have one column?
    fn is_in_whole(&self, id: i32) -> bool {
        let mut at = self.parents.get(&id);
        while let Some(parent) = at {
            if self.fields.get(parent).is_some_and(|field| field.is_whole()) {
                return true;
            }
            at = self.parents.get(parent);
        }
        false
    }

    /// Is a field, or one that holds it, among some?
    pub(super) fn has_any(&self, id: i32, ids: &HashSet<i32>) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            if ids.contains(&id) {
                return true;
            }
            at = self.parents.get(&id).copied();
        }
        false
    }
}

impl FileColumns {
    /// The fields of a file.
    ///
    /// Errors: `InvalidData` for fields without parents, and for a number of columns that is not the file's.
    pub(crate) fn new(
        descriptor: &FileDescriptor,
        footer: FileFooter,
        layout: &Layout,
        table: &FieldIds<'_>,
    ) -> Result<Self> {
        let mut numbers = Numbers {
            written: &descriptor.schema.fields,
            children: children(&descriptor.schema.fields)?,
            of_columns: columns_of(layout, footer)?,
            next: 0,
            has_headers: footer.major < 2 || (footer.major == 2 && footer.minor == 0),
            table,
        };
        if !numbers.has_headers {
            check_leaves(layout, table)?;
        }
        let tops = std::mem::take(&mut numbers.children.0);
        let fields = tops.into_iter().map(|top| numbers.field(top)).collect();
        if numbers.next != footer.columns as usize {
            return Err(Error::invalid_data(format!(
                "expected {} columns in a data file, as its fields have, found {}",
                numbers.next, footer.columns
            )));
        }
        Ok(Self { fields })
    }

    /// The fields at the top.
    pub fn fields(&self) -> &[FileField] {
        &self.fields
    }

    /// The field of a name at the top.
    pub fn column(&self, name: &str) -> Option<&FileField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names by which the columns of some fields of the table are asked for: dotted, in backticks where they are no plain words.
    pub fn paths(&self, wanted: &HashSet<i32>) -> Vec<String> {
        let mut paths = Vec::new();
        for field in &self.fields {
            match field.wanted(wanted) {
                Wanted::Nothing => {}
                Wanted::All => paths.push(quoted(&field.name)),
                Wanted::Parts(parts) => paths.extend(parts),
            }
        }
        paths
    }
}

/// What is wanted of a field.
enum Wanted {
    Nothing,
    All,
    Parts(Vec<String>),
}

impl FileField {
    fn wanted(&self, ids: &HashSet<i32>) -> Wanted {
        if self.children.is_empty() || self.is_whole {
            return if self.has_any(ids) { Wanted::All } else { Wanted::Nothing };
        }
        let (mut parts, mut is_all) = (Vec::new(), true);
        for child in &self.children {
            match child.wanted(ids) {
                Wanted::Nothing => is_all = false,
                Wanted::All => parts.push(format!("{}.{}", quoted(&self.name), quoted(&child.name))),
                Wanted::Parts(inner) => {
                    is_all = false;
                    parts.extend(inner.into_iter().map(|part| format!("{}.{part}", quoted(&self.name))));
                }
            }
        }
        match parts.is_empty() {
            // A part that no file has: another one says which values are null, and how long lists are.
            true if self.id.is_some_and(|id| ids.contains(&id)) => Wanted::Parts(vec![self.first_leaf()]),
            true => Wanted::Nothing,
            false if is_all => Wanted::All,
            false => Wanted::Parts(parts),
        }
    }

    /// The name of the first part without parts that are read alone.
    fn first_leaf(&self) -> String {
        match self.children.first() {
            Some(child) if !self.is_whole => format!("{}.{}", quoted(&self.name), child.first_leaf()),
            _ => quoted(&self.name),
        }
    }

    fn has_any(&self, ids: &HashSet<i32>) -> bool {
        self.id.is_some_and(|id| ids.contains(&id)) || self.children.iter().any(|child| child.has_any(ids))
    }

    /// Gives the parts of a whole field the ids of the table's fields of their names.
    fn name_children(&mut self, field: &Field) {
        for child in &mut self.children {
            if let Some(known) = field.children.iter().find(|known| known.name == child.name) {
                child.id = Some(known.id);
                child.name_children(known);
            }
        }
    }
}

fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    if is_plain && !name.is_empty() { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// The fields at the top, and of each field its parts, by their places.
fn children(written: &[SchemaField]) -> Result<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut above: Vec<usize> = Vec::new();
    let (mut tops, mut children) = (Vec::new(), vec![Vec::new(); written.len()]);
    for (place, field) in written.iter().enumerate() {
        let is_nameless = field.parent_id == NO_PARENT && field.id == NO_PARENT;
        let blob = above.iter().rev().find(|parent| is_nameless && is_blob(&written[**parent]));
        if let Some(blob) = blob {
            // The parts of a blob of version 2 follow it without saying so.
            children[*blob].push(place);
            continue;
        }
        if field.parent_id == NO_PARENT {
            above.clear();
            tops.push(place);
        } else {
            while above.last().is_some_and(|last| written[*last].id != field.parent_id) {
                above.pop();
            }
            let parent = above.last().ok_or_else(|| {
                Error::invalid_data(format!(
                    "expected the parent of a field of a data file before it, found the id {}",
                    field.parent_id
                ))
            })?;
            children[*parent].push(place);
        }
        above.push(place);
        if above.len() > MAX_DEPTH {
            return Err(Error::limit(format!("a data file has fields more than {MAX_DEPTH} levels deep")));
        }
    }
    Ok((tops, children))
}

/// The field of the table of each column.
fn columns_of(layout: &Layout, footer: FileFooter) -> Result<HashMap<usize, i32>> {
    let mut columns = HashMap::with_capacity(layout.fields.len());
    for (id, column) in layout.fields.iter().zip(&layout.column_indices) {
        let Ok(column) = usize::try_from(*column) else { continue };
        if column >= footer.columns as usize {
            return Err(Error::invalid_data(format!(
                "expected a column below {}, as many as the data file has, found {column} for the field {id}",
                footer.columns
            )));
        }
        if *id >= 0 && columns.insert(column, *id).is_some() {
            return Err(Error::invalid_data(format!(
                "expected a field in a column, found column {column} for two"
            )));
        }
    }
    Ok(columns)
}

/// From version 2.1 on leaves have a column each, and no other field has one. Otherwise a field would be taken for another.
fn check_leaves(layout: &Layout, table: &FieldIds<'_>) -> Result<()> {
    for (id, column) in layout.fields.iter().zip(&layout.column_indices) {
        let Some(field) = table.fields.get(id) else { continue };
        if table.is_in_whole(*id) {
            continue;
        }
        let has_column = field.children.is_empty() || field.is_whole();
        if has_column != (*column >= 0) {
            return Err(Error::invalid_data(format!(
                "expected {} for the field {id} of a data file, found column {column}",
                if has_column { "a column" } else { "no column" }
            )));
        }
    }
    Ok(())
}

/// Numbers columns.
struct Numbers<'a> {
    written: &'a [SchemaField],
    children: (Vec<usize>, Vec<Vec<usize>>),
    of_columns: HashMap<usize, i32>,
    next: usize,
    /// Have fields with parts columns of their own?
    has_headers: bool,
    table: &'a FieldIds<'a>,
}

impl Numbers<'_> {
    /// The depth was checked before.
    fn field(&mut self, place: usize) -> FileField {
        let written = &self.written[place];
        let below = std::mem::take(&mut self.children.1[place]);
        let has_one_column = !self.has_headers && (is_packed(written) || is_blob(written));
        let mut id = None;
        if self.has_headers || below.is_empty() || has_one_column {
            id = self.of_columns.get(&self.next).copied();
            self.next += 1;
        }
        let children: Vec<_> = if has_one_column {
            below.into_iter().map(|child| self.unnumbered(child)).collect()
        } else {
            below.into_iter().map(|child| self.field(child)).collect()
        };
        // What has no column of its own is the parent of what has.
        let id = id.filter(|id| self.table.fields.contains_key(id)).or_else(|| {
            let mut parents = children.iter().filter_map(|child| self.table.parents.get(&child.id?));
            parents.next().copied()
        });
        let is_whole = has_one_column
            || written.logical_type == "map"
            || written.logical_type.starts_with("fixed_size_list:struct:");
        let mut field = FileField {
            name: written.name.clone(),
            id,
            logical_type: written.logical_type.clone(),
            children,
            is_whole,
        };
        if has_one_column && let Some(known) = id.and_then(|id| self.table.fields.get(&id)) {
            field.name_children(known);
        }
        field
    }

    fn unnumbered(&mut self, place: usize) -> FileField {
        let below = std::mem::take(&mut self.children.1[place]);
        let children = below.into_iter().map(|child| self.unnumbered(child)).collect();
        let written = &self.written[place];
        let (name, logical_type) = (written.name.clone(), written.logical_type.clone());
        FileField { name, id: None, logical_type, children, is_whole: true }
    }
}

fn has(field: &SchemaField, key: &str) -> bool {
    let found = field.metadata.iter().find(|(known, _)| known == key);
    let is_true = |value: &Vec<u8>| {
        matches!(value.to_ascii_lowercase().as_slice(), b"true" | b"1" | b"yes" | b"on" | b"y")
    };
    found.is_some_and(|(_, value)| is_true(value))
}

fn is_packed(field: &SchemaField) -> bool {
    has(field, "packed") || has(field, "lance-encoding:packed")
}

fn is_blob(field: &SchemaField) -> bool {
    let extension = field.metadata.iter().find(|(key, _)| key == "ARROW:extension:name");
    field.metadata.iter().any(|(key, _)| key == "lance-encoding:blob")
        || extension.is_some_and(|(_, name)| name == b"lance.blob.v2")
        || field.extension_name == "lance.blob.v2"
}
