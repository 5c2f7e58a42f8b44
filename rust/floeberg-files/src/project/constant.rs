//! Which columns have one value in the whole file?
//!
//! Spec: Column Projection (identity transforms).

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Field;
use floeberg_core::value::Value;

use super::source::ColumnSource;
use crate::origin::Origin;
use crate::promote::promote;

/// Values of a file's columns that the file does not store.
#[derive(Debug, Clone, Default)]
pub struct FileConstants {
    /// Values that all rows have, by the id of their column.
    values: BTreeMap<i32, Option<Value>>,
    /// The values of metadata columns, if some are selected.
    origin: Option<Arc<Origin>>,
}

impl FileConstants {
    /// Of values that all rows of the file have, by the ids of their columns.
    pub fn new(values: BTreeMap<i32, Option<Value>>) -> Self {
        Self { values, origin: None }
    }

    /// Adds the values of metadata columns.
    pub fn with_origin(self, origin: Option<Arc<Origin>>) -> Self {
        Self { origin, ..self }
    }

    /// The values of metadata columns; `None` if none is selected.
    pub fn origin(&self) -> Option<&Arc<Origin>> {
        self.origin.as_ref()
    }

    /// The column as a constant of its type, if all rows of the file have one value; `None` if the file has to be read for it.
    pub(super) fn source(&self, field: &Field) -> Option<ColumnSource> {
        let value = self.values.get(&field.id)?;
        let value = value.as_ref().map(|value| promote(value, &field.field_type));
        Some(ColumnSource::Constant(value, field.field_type.clone()))
    }
}
