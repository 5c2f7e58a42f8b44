//! Where does each selected field come from?
//!
//! Spec: Reserved Field IDs; Row Lineage; Column Projection: from the file by id, else the identity partition value, the initial default, null.
//! A name mapping gives ids to a file that has none; there the partition value goes before the mapped column.
//!
//! Invariant: after a level of fields is resolved, no other leaf of its parent is added.

use std::collections::BTreeSet;

use arrow_schema::{DataType, FieldRef, Fields};
use floeberg_core::schema::reserved::{POS, is_requested};
use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::variant::Layout;
use floeberg_core::{Context, Error, Result};

use super::cast::can_cast;
use super::constant::FileConstants;
use super::source::{ColumnSource, Conversion, Inherited, Resolved};
use crate::file_fields::{FileField, field_place};
use crate::inherited::Fallback;
use crate::origin::Origin;

/// The state of resolving one schema against one file.
pub(super) struct Resolver<'a> {
    /// Values of identity partition fields.
    pub(super) constants: &'a FileConstants,
    /// Does the file itself have field ids?
    pub(super) has_ids: bool,
    /// May the file store parts of variants as columns?
    pub(super) may_shred: bool,
    /// The leaves to decode.
    pub(super) leaves: &'a mut BTreeSet<usize>,
}

impl Resolver<'_> {
    /// Resolves the fields of a struct (or of the schema) among the fields of the file's struct.
    pub(super) fn fields(
        &mut self,
        wanted: &[Field],
        targets: &Fields,
        file: &[FileField],
        parent: &str,
    ) -> Result<Vec<Resolved>> {
        let mut resolved = Vec::with_capacity(wanted.len());
        for (field, target) in wanted.iter().zip(targets) {
            let name =
                if parent.is_empty() { field.name.clone() } else { format!("{parent}.{}", field.name) };
            let source = self.field(field, target, file, &name)?;
            resolved.push(Resolved { target: FieldRef::clone(target), name, source });
        }
        // Numbers in the file become numbers among the fields that are decoded.
        for column in &mut resolved {
            if let ColumnSource::File(number, _)
            | ColumnSource::Inherited(Inherited { stored: Some((number, _)), .. }) = &mut column.source
            {
                *number = file.iter().take(*number).filter(|before| self.is_decoded(before)).count();
            }
        }
        Ok(resolved)
    }

    fn field(
        &mut self,
        field: &Field,
        target: &FieldRef,
        file: &[FileField],
        name: &str,
    ) -> Result<ColumnSource> {
        if let (Some(origin), true) = (self.constants.origin(), is_requested(field.id)) {
            return self.metadata_column(origin, field, target, file);
        }
        match field.field_type {
            // Never stored: a column of the file with this id is something else.
            Type::Primitive(PrimitiveType::Unknown) => {
                return Ok(ColumnSource::Constant(None, field.field_type.clone()));
            }
            Type::Unrecognized(_) => {
                return Err(Error::unsupported(format!(
                    "column {name:?} is of type {}, which cannot be read yet",
                    field.field_type
                )));
            }
            _ => {}
        }
        let found = field_place(file, field.id)?;
        let constant = self.constants.source(field);
        match (found, constant) {
            (Some(number), constant) if self.has_ids || constant.is_none() => {
                let conversion =
                    self.conversion(&field.field_type, target.data_type(), &file[number], name)?;
                Ok(ColumnSource::File(number, conversion))
            }
            (_, Some(constant)) => Ok(constant),
            (_, None) => {
                if field.required && field.initial_default.is_none() {
                    return Err(Error::invalid_data(format!(
                        "required column {name:?} (id {}) is not in the file and has no default",
                        field.id
                    )));
                }
                Ok(ColumnSource::Constant(field.initial_default.clone(), field.field_type.clone()))
            }
        }
    }

    /// The source of a metadata column in a file of this origin. Only row lineage is ever read from a file: a stored `_file` or
    /// `_pos` is not the table's.
    fn metadata_column(
        &mut self,
        origin: &Origin,
        field: &Field,
        target: &FieldRef,
        file: &[FileField],
    ) -> Result<ColumnSource> {
        if field.id == POS {
            return Ok(ColumnSource::Position);
        }
        let Some(fallback) = origin.inherited(field.id) else {
            return Ok(ColumnSource::Constant(origin.constant(field), field.field_type.clone()));
        };
        let found = if self.has_ids { field_place(file, field.id)? } else { None };
        let stored = match found {
            None => None,
            Some(number) => {
                let conversion =
                    self.conversion(&field.field_type, target.data_type(), &file[number], &field.name)?;
                Some((number, conversion))
            }
        };
        Ok(match (stored, fallback) {
            (None, Fallback::Value(value)) => {
                ColumnSource::Constant(Some(Value::Long(value)), field.field_type.clone())
            }
            (stored, fallback) => ColumnSource::Inherited(Inherited { stored, fallback }),
        })
    }

    fn conversion(
        &mut self,
        wanted: &Type,
        target: &DataType,
        file: &FileField,
        name: &str,
    ) -> Result<Conversion> {
        match (wanted, target, &file.data_type, file.children.as_slice()) {
            (Type::Primitive(PrimitiveType::Unknown), ..) => {
                // Elements, keys and values: any leaf has their number.
                self.leaves.insert(file.leaves.start);
                Ok(Conversion::Null)
            }
            (Type::Struct(wanted), DataType::Struct(targets), DataType::Struct(_), children) => {
                let fields = self.fields(&wanted.fields, targets, children, name)?;
                if !self.is_decoded(file) {
                    // Only whether the struct is null is read from the file: any leaf has that.
                    self.leaves.insert(file.leaves.start);
                }
                Ok(Conversion::Struct(fields))
            }
            (Type::List(wanted), DataType::List(element), DataType::List(_), [child]) => {
                let name = format!("{name}.element");
                let element =
                    self.conversion(&wanted.element.field_type, element.data_type(), child, &name)?;
                Ok(Conversion::List(Box::new(element)))
            }
            (Type::Map(wanted), DataType::Map(entries, _), DataType::Map(..), [key, value]) => {
                let DataType::Struct(targets) = entries.data_type() else {
                    return Err(Error::internal("the entries of an Arrow map are not a struct"));
                };
                let [key_target, value_target] = targets.as_ref() else {
                    return Err(Error::internal("the entries of an Arrow map are not a key and a value"));
                };
                let key_name = format!("{name}.key");
                let value_name = format!("{name}.value");
                let key = self.conversion(&wanted.key.field_type, key_target.data_type(), key, &key_name)?;
                let value =
                    self.conversion(&wanted.value.field_type, value_target.data_type(), value, &value_name)?;
                Ok(Conversion::Map(Box::new(key), Box::new(value)))
            }
            (Type::Variant, _, DataType::Struct(columns), _) => {
                let layout = Layout::new(columns).context("column", name)?;
                if layout.is_shredded() && !self.may_shred {
                    return Err(Error::invalid_data(format!(
                        "the variant {name:?} is shredded, which this file format does not allow"
                    )));
                }
                self.leaves.extend(file.leaves.clone());
                Ok(Conversion::Variant(layout))
            }
            // A column that was of unknown type when the file was written.
            (Type::Variant, _, DataType::Null, []) => {
                self.leaves.insert(file.leaves.start);
                Ok(Conversion::Primitive)
            }
            (Type::Unrecognized(_), ..) => Err(Error::unsupported(format!(
                "column {name:?} is of type {wanted}, which cannot be read yet"
            ))),
            (Type::Primitive(_), _, from, []) if can_cast(from, target) => {
                self.leaves.insert(file.leaves.start);
                Ok(Conversion::Primitive)
            }
            _ => Err(Error::invalid_data(format!(
                "column {name:?} is {wanted} in the table and {} in the file, which cannot be promoted to it",
                file.data_type
            ))),
        }
    }

    fn is_decoded(&self, field: &FileField) -> bool {
        self.leaves.range(field.leaves.clone()).next().is_some()
    }
}
