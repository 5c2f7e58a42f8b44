//! How is a column added or dropped?
//!
//! Spec: Schema Evolution; Default values.

use super::draft::{Draft, Parent};
use super::{AddedColumn, ColumnUse};
use crate::error::{Context as _, Error, Result};
use crate::schema::value_json::from_json;
use crate::schema::{Field, Type};

impl Draft<'_> {
    /// Adds a column with fresh ids. Its default is that of old rows and of writers.
    ///
    /// Errors: `InvalidInput` for a parent that is not a struct, an existing name, a default that is not of the type, and a
    /// required column without one, unless that is allowed.
    pub(super) fn add(&mut self, added: &AddedColumn, allow_incompatible: bool) -> Result<()> {
        let name = &added.name;
        let place = self.parent_place(added)?;
        let full = match &added.parent {
            Some(parent) => format!("{parent}.{name}"),
            None => name.clone(),
        };
        let is_taken = self.find_if_there(&full)?.is_some()
            || self
                .siblings_mut(&place)
                .is_some_and(|siblings| siblings.iter().any(|field| field.name == *name));
        if is_taken {
            return Err(Error::invalid_input(format!("column {full:?} cannot be added: it exists already")));
        }
        let default = match &added.default {
            None => None,
            Some(json) => {
                from_json(json, &added.field_type).map_err(Error::of_input).context("column", &full)?
            }
        };
        if added.required && default.is_none() && !allow_incompatible {
            return Err(Error::invalid_input(format!(
                "column {full:?} cannot be added as required: existing rows have no value for it; give it \
                 a default, or make it optional"
            )));
        }
        let field = self.ids.field(&Field {
            required: added.required,
            doc: added.doc.clone(),
            initial_default: default.clone(),
            write_default: default,
            ..Field::optional(0, name.as_str(), added.field_type.clone())
        })?;
        let siblings = self.siblings_mut(&place);
        siblings.ok_or_else(|| Error::internal("the struct to add a column to was not found"))?.push(field);
        Ok(())
    }

    /// A list or map stands for the structs that it holds.
    fn parent_place(&self, added: &AddedColumn) -> Result<Parent> {
        let Some(parent) = &added.parent else { return Ok(Parent::Top) };
        let mut id = self.find(parent)?;
        self.parent(id)?;
        match &self.field(id)?.field_type {
            Type::List(list) => id = list.element.id,
            Type::Map(map) => id = map.value.id,
            _ => {}
        }
        let field = self.field(id)?;
        match &field.field_type {
            Type::Struct(_) => Ok(Parent::Struct(id)),
            other => Err(Error::invalid_input(format!(
                "column {:?} cannot be added: {parent:?} is not a struct but {other}",
                added.name
            ))),
        }
    }

    /// Deletes a column and all below it.
    ///
    /// Errors: `InvalidInput` for an element, key or value, for the last field of a struct, and for a column that new files
    /// are partitioned or sorted by.
    pub(super) fn delete(&mut self, name: &str, uses: &[ColumnUse]) -> Result<()> {
        let id = self.find(name)?;
        let refuse =
            |why: String| Err(Error::invalid_input(format!("column {name:?} cannot be dropped: {why}")));
        let is_gone =
            |used: &&ColumnUse| used.is_current && self.path(used.column).iter().any(|field| field.id == id);
        if let Some(used) = uses.iter().find(is_gone) {
            return refuse(format!("{} depends on it", used.what));
        }
        let place = self.parent(id)?;
        match self.siblings_mut(&place) {
            None => refuse("it is a part of a list or map: drop that".to_owned()),
            Some(siblings) if siblings.len() == 1 => {
                refuse("it is the last of its struct or table".to_owned())
            }
            Some(siblings) => {
                siblings.retain(|field| field.id != id);
                Ok(())
            }
        }
    }
}
