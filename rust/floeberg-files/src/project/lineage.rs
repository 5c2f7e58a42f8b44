//! Which values has a column of row lineage?
//!
//! In: the column as the file stores it, if it does, and positions. Out: its values.
//! Spec: Row Lineage.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::{Error, Result};

use super::assemble::convert;
use super::source::{Inherited, Resolved};
use crate::inherited::{Fallback, inherit};
use crate::positions::RowPositions;

impl Inherited {
    /// Is it computed from the positions of rows?
    pub(super) fn needs_positions(&self) -> bool {
        matches!(self.fallback, Fallback::AndPosition(_))
    }

    /// The values of the next rows, this many.
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
                    Error::internal(format!("the planned column {:?} was not decoded", column.name))
                })?;
                Some(convert(array, conversion, column.target.data_type(), &column.name, None)?)
            }
        };
        let stored = stored.as_ref().and_then(|stored| stored.as_primitive_opt::<Int64Type>());
        Ok(Arc::new(inherit(stored, self.fallback, positions, rows)?))
    }
}
