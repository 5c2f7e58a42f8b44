#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod numbers;
mod nested;
mod types;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use floeberg_core::Result;

use super::cast_field;

fn cast(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast_to_column(values, &Field::new("c", to.clone(), true))
}

fn refused(values: &ArrayRef, to: &DataType) -> String {
    match cast(values, to) {
        Ok(made) => format!("made {made:?}"),
        Err(error) => error.message().to_owned(),
    }
}

fn cast_to_column(values: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    cast_field(field.name(), values, &Field::new(field.name(), values.data_type().clone(), true), field)
}
