//! How is an existing column changed?
//!
//! Spec: Schema Evolution (valid promotions and their requirements); Default values.

use serde_json::Value as Json;

use super::ColumnUse;
use super::draft::{Draft, Parent};
use super::promoted::promoted;
use crate::error::{Context as _, Error, Result};
use crate::schema::value_json::from_json;
use crate::schema::{PrimitiveType, Type, promotes_to};

impl Draft<'_> {
    /// Gives a column another name. Errors: `InvalidInput` for an element, key or value.
    pub(super) fn rename(&mut self, name: &str, new_name: &str) -> Result<()> {
        let id = self.find_field(name, "be renamed")?;
        new_name.clone_into(&mut self.field_mut(id)?.name);
        Ok(())
    }

    /// The id of a column of the table, or of a field of a struct. Errors: `InvalidInput` for an element, key or value.
    fn find_field(&self, name: &str, cannot: &str) -> Result<i32> {
        let id = self.find(name)?;
        match self.parent(id)? {
            Parent::Top | Parent::Struct(_) => Ok(id),
            Parent::Part => Err(Error::invalid_input(format!(
                "column {name:?} cannot {cannot}: only columns and fields of structs can, not the parts of lists and maps"
            ))),
        }
    }

    /// Promotes a column's type, and its defaults with it.
    ///
    /// Errors: `InvalidInput` for a type that it cannot become, in this format version or because files are partitioned by it.
    pub(super) fn update_type(
        &mut self,
        name: &str,
        field_type: &Type,
        format_version: u8,
        uses: &[ColumnUse],
    ) -> Result<()> {
        let id = self.find(name)?;
        self.parent(id)?;
        let field = self.field(id)?;
        if field.field_type == *field_type {
            return Ok(());
        }
        let refuse = |why: &str| {
            let from = &field.field_type;
            Err(Error::invalid_input(format!(
                "the type of column {name:?} cannot change from {from} to {field_type}: {why}"
            )))
        };
        let (Type::Primitive(from), Type::Primitive(to)) = (&field.field_type, field_type) else {
            return refuse("only primitive types change");
        };
        if !promotes_to(from, to) {
            return refuse("the specification does not allow this promotion");
        }
        if format_version < 3 && matches!(from, PrimitiveType::Unknown | PrimitiveType::Date) {
            return refuse("the promotion needs format version 3");
        }
        let mut partitions = uses.iter().filter(|used| used.column == id && used.is_partition);
        if let Some(used) = partitions.find(|used| *from == PrimitiveType::Date || !used.is_known) {
            let would = if used.is_known { "would" } else { "may" };
            return refuse(&format!("{} depends on it, and its values {would} change", used.what));
        }
        let default = |value: &Option<_>| match value {
            None => Ok(None),
            Some(value) => promoted(value, to).map(Some).ok_or_else(|| {
                Error::invalid_input(format!(
                    "column {name:?} cannot become {field_type}: its default is out of range"
                ))
            }),
        };
        let (initial, write) = (default(&field.initial_default)?, default(&field.write_default)?);
        let field = self.field_mut(id)?;
        field.field_type = field_type.clone();
        field.initial_default = initial;
        field.write_default = write;
        Ok(())
    }

    /// Gives a column a comment, or takes it away.
    pub(super) fn update_doc(&mut self, name: &str, doc: Option<&String>) -> Result<()> {
        let id = self.find_field(name, "have a comment")?;
        self.field_mut(id)?.doc = doc.cloned();
        Ok(())
    }

    /// Gives a column a write default, or takes it away; that of old rows never changes.
    pub(super) fn update_default(&mut self, name: &str, default: Option<&Json>) -> Result<()> {
        let id = self.find_field(name, "have a default")?;
        let field = self.field_mut(id)?;
        field.write_default = match default {
            None => None,
            Some(json) => {
                from_json(json, &field.field_type).map_err(Error::of_input).context("column", name)?
            }
        };
        Ok(())
    }

    /// Lets a column be null.
    pub(super) fn make_optional(&mut self, name: &str) -> Result<()> {
        let id = self.find(name)?;
        self.parent(id)?;
        self.field_mut(id)?.required = false;
        Ok(())
    }

    /// Demands a value of a column.
    ///
    /// Errors: `InvalidInput` for one that old rows may have none of: one that was there, or has no default. Unless that is
    /// allowed.
    pub(super) fn require(&mut self, name: &str, allow_incompatible: bool) -> Result<()> {
        let id = self.find(name)?;
        self.parent(id)?;
        let field = self.field(id)?;
        let has_values = self.base.field(id).is_none() && field.initial_default.is_some();
        if !field.required && !has_values && !allow_incompatible {
            return Err(Error::invalid_input(format!(
                "column {name:?} cannot become required: existing rows may hold null"
            )));
        }
        self.field_mut(id)?.required = true;
        Ok(())
    }

    /// These fields identify rows. What they must be is checked of the finished schema.
    pub(super) fn set_identifier_fields(&mut self, names: &[String]) -> Result<()> {
        let mut ids = names.iter().map(|name| self.find(name)).collect::<Result<Vec<_>>>()?;
        ids.sort_unstable();
        ids.dedup();
        self.identifiers = ids;
        Ok(())
    }
}
