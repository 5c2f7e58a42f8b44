//! What is a schema after changes?

use super::draft::Draft;
use super::{SchemaChange, SchemaChanges};
use crate::error::{Error, Result};
use crate::schema::Schema;

/// A schema, and the properties of its table that limit how it may change.
#[derive(Debug)]
pub struct Evolution<'a> {
    /// The schema that is changed.
    pub schema: &'a Schema,
    /// The id of the new one.
    pub schema_id: i32,
    /// The highest field id that the table has given.
    pub last_column_id: i32,
    /// The table's format version.
    pub format_version: u8,
    /// The parts of the table that depend on columns.
    pub uses: Vec<ColumnUse>,
}

/// A part of a table that depends on a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnUse {
    /// The column's id.
    pub column: i32,
    /// The part, for errors: `the partition field "ts_day"`.
    pub what: String,
    /// Is it a partition value, so that the column's values must stay the same?
    pub is_partition: bool,
    /// Is its transform known, so that it is known which promotions keep its values?
    pub is_known: bool,
    /// Is it needed for new files, so that the column must stay?
    pub is_current: bool,
}

/// A changed schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Evolved {
    /// The schema.
    pub schema: Schema,
    /// The highest field id that the table has given now.
    pub last_column_id: i32,
    /// Does it differ from the old one, apart from its id?
    pub is_changed: bool,
}

impl Evolution<'_> {
    /// The schema after all changes.
    ///
    /// Errors: `InvalidInput`, naming the column, for a change that cannot be made, and for what the new schema may not be in the
    /// format version.
    pub fn apply(&self, changes: &SchemaChanges) -> Result<Evolved> {
        let mut draft = Draft::new(self.schema, self.last_column_id, changes.case_sensitive);
        for change in &changes.changes {
            self.make(&mut draft, change, changes.allow_incompatible)?;
        }
        self.check_identifiers(&draft)?;
        let (fields, identifiers) = (draft.fields, draft.identifiers);
        let is_changed = fields != self.schema.fields() || identifiers != self.schema.identifier_field_ids();
        let schema = Schema::new(self.schema_id, fields)
            .map_err(Error::of_input)?
            .with_identifier_field_ids(identifiers)
            .with_unknown_keys(self.schema.unknown_keys().clone());
        schema.check_as_successor(Some(self.schema), self.format_version)?;
        Ok(Evolved { schema, last_column_id: draft.ids.last(), is_changed })
    }

    fn make(&self, draft: &mut Draft<'_>, change: &SchemaChange, allow_incompatible: bool) -> Result<()> {
        use SchemaChange as C;
        match change {
            C::Add(added) => draft.add(added, allow_incompatible),
            C::Delete(name) => draft.delete(name, &self.uses),
            C::Rename(name, new_name) => draft.rename(name, new_name),
            C::UpdateType(name, field_type) => {
                draft.update_type(name, field_type, self.format_version, &self.uses)
            }
            C::UpdateDoc(name, doc) => draft.update_doc(name, doc.as_ref()),
            C::UpdateDefault(name, default) => draft.update_default(name, default.as_ref()),
            C::MakeOptional(name) => draft.make_optional(name),
            C::Require(name) => draft.require(name, allow_incompatible),
            C::MoveFirst(name) => draft.move_first(name),
            C::MoveBefore(name, other) => draft.move_before(name, other),
            C::MoveAfter(name, other) => draft.move_after(name, other),
            C::SetIdentifierFields(names) => draft.set_identifier_fields(names),
            C::Union(schema) => draft.union(schema.fields(), None, self.format_version, &self.uses),
        }
    }

    fn check_identifiers(&self, draft: &Draft<'_>) -> Result<()> {
        match draft.identifiers.iter().find(|id| draft.path(**id).is_empty()) {
            None => Ok(()),
            Some(id) => Err(Error::invalid_input(format!(
                "column {:?} cannot be dropped: it is an identifier field; set other identifier fields in \
                 the same change",
                self.schema.full_name(*id).unwrap_or_default()
            ))),
        }
    }
}
