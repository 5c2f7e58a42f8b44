//! Do the columns of a file fit the table?
//!
//! In: the columns of a file, with ids of a name mapping or its own. Out: nothing, or the first column that does not fit.
//! Spec: Column Projection; Schema Evolution.
//!
//! Invariant: every column of the file is a column of the table, unless the mapping says that it is to be left out. Nothing of it
//! would be missed silently.

use arrow_schema::DataType;
use floeberg_core::schema::{Field, NameMapping, Schema, Type};
use floeberg_core::{Error, Result};
use floeberg_files::{FileField, FileFields};

use super::types::TypeRules;

/// Checks columns that the names of a mapping stand for.
///
/// Errors: `InvalidInput`, naming the column and what to do.
pub(super) fn check_names(
    schema: &Schema,
    file: &FileFields,
    mapping: &NameMapping,
    rules: TypeRules<'_>,
) -> Result<()> {
    let by_name = |field: &FileField, level: Option<&NameMapping>, wanted: &[Field], name: &str, _: bool| {
        let mapped = level.and_then(|level| level.get(&field.name));
        let Some(mapped) = mapped else {
            if wanted.iter().any(|wanted| wanted.name == field.name) {
                return Err(Error::invalid_input(format!(
                    "the property schema.name-mapping.default does not have the column {name:?}, so its values would not be \
                     read: add its name to the property first"
                )));
            }
            return Err(Error::invalid_input(format!(
                "the file has a column {name:?} that the table does not have, so its values would not be read: add the column to \
                 the table first, for example by update_schema().union_by_name(...), or leave the file out"
            )));
        };
        let Some(id) = mapped.field_id() else { return Ok(None) };
        match wanted.iter().find(|wanted| wanted.id == id) {
            Some(wanted) => Ok(Some((wanted.clone(), Some(mapped.children().clone())))),
            None => Err(Error::invalid_input(format!(
                "the property schema.name-mapping.default says that the column {name:?} is field {id}, which the table does \
                 not have there: change the property first, or leave the file out"
            ))),
        }
    };
    Walk { find: &by_name, rules }.level(schema.fields(), &file.fields, Some(mapping), "", false)
}

/// Checks columns that have their own field ids. Where these are of the table for certain, a column may have another name by now, or be
/// none of the current schema.
///
/// Errors: `InvalidInput`, naming the column.
pub(super) fn check_ids(
    schema: &Schema,
    file: &FileFields,
    rules: TypeRules<'_>,
    are_of_table: bool,
) -> Result<()> {
    let by_id = |field: &FileField, _: Option<&NameMapping>, wanted: &[Field], name: &str, is_part: bool| {
        let Some(id) = field.id else {
            return Err(Error::invalid_input(format!(
                "the column {name:?} of the file has no field id, but other columns have one: write the file again, with the \
                 ids of the table or without any"
            )));
        };
        match wanted.iter().find(|wanted| wanted.id == id) {
            Some(wanted) if wanted.name == field.name || is_part || are_of_table => {
                Ok(Some((wanted.clone(), None)))
            }
            Some(wanted) => Err(Error::invalid_input(format!(
                "the column {name:?} of the file has field id {id}, which is the column {:?} in the table: its field ids are \
                 of another table. Write the file again without ids",
                wanted.name
            ))),
            None if are_of_table => Ok(None),
            None => Err(Error::invalid_input(format!(
                "the column {name:?} of the file has field id {id}, which the table does not have there: its field ids are of \
                 another table. Write the file again without ids"
            ))),
        }
    };
    Walk { find: &by_id, rules }.level(schema.fields(), &file.fields, None, "", false)
}

type Found = Option<(Field, Option<NameMapping>)>;
type Find<'a> = dyn Fn(&FileField, Option<&NameMapping>, &[Field], &str, bool) -> Result<Found> + 'a;

/// `find` says which column of the table a column of the file is; `None` for one that is left out.
struct Walk<'a> {
    find: &'a Find<'a>,
    rules: TypeRules<'a>,
}

impl Walk<'_> {
    /// Looks at every column of a level, and at those below it. Writers call elements, keys and values, which are parts of another
    /// column, differently.
    fn level(
        &self,
        wanted: &[Field],
        file: &[FileField],
        mapping: Option<&NameMapping>,
        parent: &str,
        is_part: bool,
    ) -> Result<()> {
        for field in file {
            let name =
                if parent.is_empty() { field.name.clone() } else { format!("{parent}.{}", field.name) };
            let Some((found, below)) = (self.find)(field, mapping, wanted, &name, is_part)? else { continue };
            let parts: Vec<Field> = match (&found.field_type, &field.data_type) {
                (Type::Struct(_), DataType::Struct(_))
                | (Type::List(_), DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
                | (Type::Map(_), DataType::Map(..)) => {
                    found.field_type.children().into_iter().cloned().collect()
                }
                // Other types are compared when the columns are projected; a variant's parts have no ids.
                _ => {
                    self.rules.check(&found.field_type, field, &name)?;
                    continue;
                }
            };
            let is_part = !matches!(found.field_type, Type::Struct(_));
            self.level(&parts, &field.children, below.as_ref(), &name, is_part)?;
        }
        Ok(())
    }
}
