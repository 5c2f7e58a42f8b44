//! Where does a metadata column of a data file come from?
//!
//! Spec: Reserved Field IDs; Row Lineage.
//!
//! Invariant: only the columns of row lineage are ever read from a file; a file's own `_file` or `_pos` is not that of the
//! table.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::FieldRef;
use floeberg_core::schema::Field;
use floeberg_core::schema::reserved::POS;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

use super::assemble::convert;
use super::projection::{ColumnSource, Conversion, Resolved};
use super::resolve::Resolver;
use crate::read::file::{FileField, place_of};
use crate::read::metadata_columns::{Fallback, Origin, RowPositions, inherit};

/// A column of row lineage.
#[derive(Debug)]
pub(super) struct Inherited {
    /// From the file: the number among the decoded columns, and what becomes of it.
    pub(super) stored: Option<(usize, Conversion)>,
    fallback: Fallback,
}

impl Inherited {
    /// Is it made of the positions of rows?
    pub(super) fn needs_positions(&self) -> bool {
        matches!(self.fallback, Fallback::AndPosition(_))
    }

    /// The values of so many rows.
    pub(super) fn array(
        &self,
        column: &Resolved,
        decoded: &[ArrayRef],
        positions: &RowPositions,
        rows: usize,
    ) -> Result<ArrayRef> {
        let stored = match &self.stored {
            None => None,
            Some((number, conversion)) => {
                let array = decoded.get(*number).ok_or_else(|| {
                    Error::internal(format!("column {:?} was planned and not decoded", column.name))
                })?;
                Some(convert(array, conversion, column.target.data_type(), &column.name, None)?)
            }
        };
        let stored = stored.as_ref().and_then(|stored| stored.as_primitive_opt::<Int64Type>());
        Ok(Arc::new(inherit(stored, self.fallback, positions, rows)?))
    }
}

impl Resolver<'_> {
    /// The source of a metadata column in a file of this origin.
    pub(super) fn metadata_column(
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
        let found = if self.has_ids { place_of(file, field.id)? } else { None };
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
}
