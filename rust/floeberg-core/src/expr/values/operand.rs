//! What are the values of a part of an expression: one for each row, or the same for all?

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Datum, UInt64Array, new_null_array};
use arrow_schema::DataType;
use arrow_select::take::take;

use super::kernels::computing;
use crate::error::Result;

/// Values of some rows.
#[derive(Debug, Clone)]
pub(in crate::expr) enum Operand {
    /// One for each row.
    Rows(ArrayRef),
    /// One for all, as an array of one.
    Constant(ArrayRef),
}

impl Operand {
    /// Null for all rows.
    pub(super) fn null() -> Self {
        Self::Constant(new_null_array(&DataType::Null, 1))
    }

    /// A bool for all rows.
    pub(super) fn boolean(value: bool) -> Self {
        Self::Constant(Arc::new(BooleanArray::from(vec![value])))
    }

    /// The array, of one value for a constant.
    pub(super) fn array(&self) -> &ArrayRef {
        match self {
            Self::Rows(array) | Self::Constant(array) => array,
        }
    }

    /// The type of the values.
    pub(super) fn data_type(&self) -> &DataType {
        self.array().data_type()
    }

    /// Is it one value for all rows?
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Other values in the same place.
    pub(super) fn map(&self, made: impl FnOnce(&ArrayRef) -> Result<ArrayRef>) -> Result<Self> {
        Ok(match self {
            Self::Rows(array) => Self::Rows(made(array)?),
            Self::Constant(array) => Self::Constant(made(array)?),
        })
    }

    /// A value for each of so many rows.
    pub(in crate::expr) fn each_row(&self, rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Rows(array) => Ok(Arc::clone(array)),
            Self::Constant(one) => repeated(one, rows),
        }
    }

    /// Without rows a constant has no values: what could fail for nobody is not computed.
    pub(super) fn where_asked(self, rows: usize) -> Self {
        match self {
            Self::Constant(one) if rows == 0 => Self::Rows(one.slice(0, 0)),
            other => other,
        }
    }
}

/// As kernels of Arrow take it.
impl Datum for Operand {
    fn get(&self) -> (&dyn Array, bool) {
        (self.array().as_ref(), self.is_constant())
    }
}

/// The first value of an array, so many times.
fn repeated(one: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    if one.len() == 1 && one.is_null(0) && one.data_type() != &DataType::Null {
        return Ok(new_null_array(one.data_type(), rows));
    }
    take(one, &UInt64Array::from_value(0, rows), None).map_err(computing)
}
