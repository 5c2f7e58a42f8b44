//! Reads whole files into columns.

use std::collections::BTreeMap;

use arrow_array::StructArray;
use floeberg_core::Result;
use floeberg_core::schema::Field;

use crate::{Container, FixedForm, Limits, Projection, decode};

pub(super) fn read(bytes: &[u8], fields: &[Field]) -> Result<StructArray> {
    read_within(bytes, fields, &Limits::default())
}

pub(super) fn read_within(bytes: &[u8], fields: &[Field], limits: &Limits) -> Result<StructArray> {
    let keyed = BTreeMap::new();
    let container = Container::open(bytes, limits)?;
    decode(
        &container,
        &container.schema()?,
        &Projection { fields, keyed: &keyed, fixed: FixedForm::Bare, stored: None },
    )
}
