//! How does a schema get the columns of another one?
//!
//! In: another schema, matched by name. Out: missing columns, added as optional; wider types; columns that become optional; and
//! comments.
//!
//! Invariant: a column that is wider than that of the other schema stays unchanged.

use super::draft::Draft;
use super::{AddedColumn, ColumnUse};
use crate::error::{Error, Result};
use crate::schema::value_json::to_json;
use crate::schema::{Field, Type, promotes_to};

impl Draft<'_> {
    /// Takes over the fields of a struct: of the table, or of the column that is their parent.
    ///
    /// Errors: `InvalidInput` for a column that cannot get the type of the other.
    pub(super) fn union(
        &mut self,
        fields: &[Field],
        parent: Option<&str>,
        format_version: u8,
        uses: &[ColumnUse],
    ) -> Result<()> {
        for field in fields {
            let name = match parent {
                Some(parent) => format!("{parent}.{}", field.name),
                None => field.name.clone(),
            };
            match self.find_if_there(&name)? {
                Some(id) if !self.is_called(id, &field.name) => {
                    return Err(Error::invalid_input(format!(
                        "the name {name:?} is that of a field in a struct, and of a column with a dot: rename one of them"
                    )));
                }
                Some(id) => self.unite(id, &name, field, format_version, uses)?,
                None => self.add(&added(field, parent)?, false)?,
            }
        }
        Ok(())
    }

    fn unite(
        &mut self,
        id: i32,
        name: &str,
        other: &Field,
        format_version: u8,
        uses: &[ColumnUse],
    ) -> Result<()> {
        let known = self.field(id)?.field_type.clone();
        match (&known, &other.field_type) {
            (Type::Struct(_), Type::Struct(theirs)) => {
                self.union(&theirs.fields, Some(name), format_version, uses)?;
            }
            (Type::List(own), Type::List(theirs)) => {
                let name = format!("{name}.element");
                self.unite(own.element.id, &name, &theirs.element, format_version, uses)?;
            }
            (Type::Map(own), Type::Map(theirs)) => {
                let name = format!("{name}.value");
                self.unite(own.value.id, &name, &theirs.value, format_version, uses)?;
            }
            (own, theirs) if own == theirs => {}
            (Type::Primitive(own), Type::Primitive(theirs)) if promotes_to(theirs, own) => {}
            (Type::Primitive(_), wider @ Type::Primitive(_)) => {
                self.update_type(name, wider, format_version, uses)?;
            }
            (own, theirs) => {
                return Err(Error::invalid_input(format!(
                    "column {name:?} is {own}, which cannot become {theirs}"
                )));
            }
        }
        let field = self.field_mut(id)?;
        field.required &= other.required;
        if other.doc.is_some() {
            field.doc.clone_from(&other.doc);
        }
        Ok(())
    }
}

/// The change that adds a field of another schema, as optional.
fn added(field: &Field, parent: Option<&str>) -> Result<AddedColumn> {
    let default = field.initial_default.as_ref().map(|value| to_json(Some(value), &field.field_type));
    Ok(AddedColumn {
        parent: parent.map(str::to_owned),
        name: field.name.clone(),
        field_type: field.field_type.clone(),
        required: false,
        doc: field.doc.clone(),
        default: default.transpose()?,
    })
}
