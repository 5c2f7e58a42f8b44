//! Do the bits of bools begin with a byte of their own?
//!
//! Some readers of the C interface count the bits of a sliced struct of bools from a wrong place.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::DataType;
use arrow_select::take::take;

use crate::error::{Error, Result};

/// The same values, with a copy of columns whose bools begin within a buffer.
///
/// Errors: `InvalidInput` for an array that cannot be copied.
pub fn with_own_bits(array: &ArrayRef) -> Result<ArrayRef> {
    if !has_sliced_bools(array.as_ref()) {
        return Ok(Arc::clone(array));
    }
    let rows = UInt64Array::from_iter_values(0..array.len() as u64);
    take(array, &rows, None)
        .map_err(|failure| Error::invalid_input("an Arrow array cannot be copied").caused_by(failure))
}

/// The depth is that of a type, which was checked.
fn has_sliced_bools(array: &dyn Array) -> bool {
    match array.data_type() {
        DataType::Boolean => array.offset() > 0,
        DataType::Struct(_) => array.as_struct().columns().iter().any(|child| has_sliced_bools(child)),
        DataType::List(_) => has_sliced_bools(array.as_list::<i32>().values()),
        DataType::LargeList(_) => has_sliced_bools(array.as_list::<i64>().values()),
        DataType::FixedSizeList(..) => has_sliced_bools(array.as_fixed_size_list().values()),
        DataType::Map(..) => has_sliced_bools(array.as_map().entries()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use arrow_array::{BooleanArray, StructArray};
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn sliced_bools_begin_again() {
        let bools: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]));
        let field = Arc::new(Field::new("b", DataType::Boolean, true));
        let structs: ArrayRef = Arc::new(StructArray::from(vec![(field, bools)]).slice(1, 3));
        let made = with_own_bits(&structs).unwrap();
        assert_eq!(made.as_ref(), structs.as_ref());
        assert_eq!(made.as_struct().column(0).offset(), 0);
    }
}
