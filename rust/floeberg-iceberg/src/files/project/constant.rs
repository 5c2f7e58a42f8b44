//! Which columns have one value in the whole file?
//!
//! Spec: Column Projection (identity transforms).

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Field;
use floeberg_core::value::Value;

use super::source::ColumnSource;
use crate::files::origin::Origin;
use crate::files::promote::promote;

/// What is known of a file's columns beside the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileConstants {
    /// Values that all rows have, by the id of their column.
    values: BTreeMap<i32, Option<Value>>,
    /// What metadata columns are made of, where some are asked for.
    origin: Option<Arc<Origin>>,
}

impl FileConstants {
    /// Of values that all rows of the file have, by the ids of their columns.
    pub(crate) fn new(values: BTreeMap<i32, Option<Value>>) -> Self {
        Self { values, origin: None }
    }

    /// With what metadata columns are made of.
    pub(crate) fn with_origin(self, origin: Option<Arc<Origin>>) -> Self {
        Self { origin, ..self }
    }

    /// What metadata columns are made of; `None` where nobody asked for any.
    pub(crate) fn origin(&self) -> Option<&Arc<Origin>> {
        self.origin.as_ref()
    }

    /// The column that has one value in all rows of the file, as its type has it; `None` where nothing but the file says its
    /// values.
    pub(super) fn source(&self, field: &Field) -> Option<ColumnSource> {
        let value = self.values.get(&field.id)?;
        let value = value.as_ref().map(|value| promote(value, &field.field_type));
        Some(ColumnSource::Constant(value, field.field_type.clone()))
    }
}
