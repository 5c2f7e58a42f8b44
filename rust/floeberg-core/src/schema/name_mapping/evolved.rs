//! What is a name mapping after columns changed?
//!
//! In: the JSON of the table property, and the schemas before and after. Out: the JSON after.
//! Spec: Column Projection; Appendix C, Name Mapping Serialization. As Iceberg Java has it, but for names that would change
//! hands.
//!
//! Invariant: a name keeps its meaning, so files without field ids are read as before.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use super::NameMapping;
use crate::error::{Error, Result};
use crate::schema::{Field, Schema, Type};

/// The mapping after a change of columns; `None` if it is the same.
///
/// Renamed columns have their new name too. New columns are mapped by their name.
///
/// Errors: `InvalidInput` if a column takes a name that the mapping has for another column, even for a dropped one.
/// Files without field ids would show their values in the wrong column, and counts and bounds in manifests would be
/// those of the other column. Also those of [`NameMapping::from_json`].
pub fn evolved_mapping(text: &str, before: &Schema, after: &Schema) -> Result<Option<String>> {
    NameMapping::from_json(text)?;
    let old: Json = serde_json::from_str(text)
        .map_err(|error| Error::internal("a name mapping that was read").caused_by(error))?;
    let mut changes = Changes { after, renamed: HashMap::new(), added: HashMap::new() };
    changes.find(before, after.fields(), None);
    let mut new = old.clone();
    if let Json::Array(level) = &mut new {
        changes.make(level, changes.added_to(None))?;
    }
    Ok((new != old).then(|| new.to_string()))
}

/// The mapping in which each column has its own name alone, as the JSON of the table property.
pub fn mapping_of_schema(schema: &Schema) -> String {
    Json::Array(schema.fields().iter().map(|field| mapped(&field.name, field)).collect()).to_string()
}

struct Changes<'a> {
    after: &'a Schema,
    /// New names by field id.
    renamed: HashMap<i32, &'a str>,
    /// New columns by the id of their parent; those of the table have none.
    added: HashMap<Option<i32>, Vec<&'a Field>>,
}

impl<'a> Changes<'a> {
    fn find(&mut self, before: &Schema, fields: impl IntoIterator<Item = &'a Field>, parent: Option<i32>) {
        for field in fields {
            match before.field(field.id) {
                None => self.added.entry(parent).or_default().push(field),
                Some(known) => {
                    if known.name != field.name {
                        self.renamed.insert(field.id, &field.name);
                    }
                    self.find(before, field.field_type.children(), Some(field.id));
                }
            }
        }
    }

    fn added_to(&self, parent: Option<i32>) -> &[&'a Field] {
        self.added.get(&parent).map_or(&[], Vec::as_slice)
    }

    /// Changes what is mapped at one level, and below it.
    fn make(&self, level: &mut Vec<Json>, added: &[&Field]) -> Result<()> {
        let mut owners: HashMap<String, Option<i32>> = HashMap::new();
        for entry in level.iter_mut() {
            let id = id_of(entry);
            let names = names_of(entry).into_iter().flatten();
            owners.extend(names.filter_map(|name| Some((name.as_str()?.to_owned(), id))));
        }
        for entry in level.iter_mut() {
            let id = id_of(entry);
            self.make_below(entry, id)?;
            let name = id.and_then(|id| self.renamed.get(&id));
            let Some((name, names)) = name.zip(names_of(entry)) else { continue };
            match owners.get(*name) {
                Some(owner) if *owner == id => {}
                Some(owner) => return Err(self.taken(name, *owner)),
                // Only one of several entries of an id can have the name.
                None => {
                    owners.insert((*name).to_owned(), id);
                    names.push(json!(name));
                }
            }
        }
        for field in added {
            match owners.get(&field.name) {
                None => level.push(mapped(&field.name, field)),
                Some(owner) if *owner == Some(field.id) => {}
                Some(owner) => return Err(self.taken(&field.name, *owner)),
            }
        }
        Ok(())
    }

    fn make_below(&self, entry: &mut Json, id: Option<i32>) -> Result<()> {
        let added = if id.is_some() { self.added_to(id) } else { &[] };
        match entry.get_mut("fields") {
            Some(Json::Array(level)) => self.make(level, added),
            _ if added.is_empty() => Ok(()),
            _ => {
                let mut level = Vec::new();
                self.make(&mut level, added)?;
                entry["fields"] = Json::Array(level);
                Ok(())
            }
        }
    }

    /// A name that files without field ids have for another column.
    fn taken(&self, name: &str, owner: Option<i32>) -> Error {
        let other = match (owner, owner.and_then(|id| self.after.full_name(id))) {
            (_, Some(owner)) => format!("the column {owner:?}"),
            (Some(_), None) => "a column that the table no longer has".to_owned(),
            (None, _) => "a column that is not read".to_owned(),
        };
        Error::invalid_input(format!(
            "a column cannot be named {name:?}: in files without field ids this is the name of {other}, \
             and its values would appear in the wrong column. Choose another name, or rewrite those files \
             and remove the name from the table property schema.name-mapping.default"
        ))
    }
}

fn id_of(entry: &Json) -> Option<i32> {
    entry.get("field-id").and_then(Json::as_i64).and_then(|id| i32::try_from(id).ok())
}

fn names_of(entry: &mut Json) -> Option<&mut Vec<Json>> {
    entry.get_mut("names").and_then(Json::as_array_mut)
}

/// A column that is mapped by its name, with all below it.
fn mapped(name: &str, field: &Field) -> Json {
    let below: Vec<Json> = match &field.field_type {
        Type::Struct(inner) => inner.fields.iter().map(|field| mapped(&field.name, field)).collect(),
        Type::List(list) => vec![mapped("element", &list.element)],
        Type::Map(map) => vec![mapped("key", &map.key), mapped("value", &map.value)],
        Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => Vec::new(),
    };
    let mut entry = json!({ "field-id": field.id, "names": [name] });
    if !below.is_empty() {
        entry["fields"] = Json::Array(below);
    }
    entry
}
