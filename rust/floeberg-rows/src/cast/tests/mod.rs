#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod numbers;
mod nested;
mod types;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use floeberg_core::Result;

use super::cast_to_column;

fn cast(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast_to_column("c", values, &Field::new("c", to.clone(), true))
}

fn refused(values: &ArrayRef, to: &DataType) -> String {
    match cast(values, to) {
        Ok(made) => format!("made {made:?}"),
        Err(error) => error.message().to_owned(),
    }
}
