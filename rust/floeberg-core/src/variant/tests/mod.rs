#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod model;
mod property;
mod rules;
mod shredder;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, StructArray};
use arrow_schema::{DataType, Field, Fields};

use super::Layout;
use crate::error::Result;
use model::{Tree, decode};

/// The two columns that come out.
fn target() -> Fields {
    ["metadata", "value"].into_iter().map(|name| Field::new(name, DataType::Binary, false)).collect()
}

/// Reads the variants of a group.
fn read(group: &StructArray) -> Result<Vec<Option<Tree>>> {
    let variants = Layout::new(group.fields())?.read(group, &target())?;
    let (metadata, value) = (variants.column(0).as_binary::<i32>(), variants.column(1).as_binary::<i32>());
    assert_eq!((metadata.null_count(), value.null_count()), (0, 0));
    let tree = |row| variants.is_valid(row).then(|| decode(metadata.value(row), value.value(row)));
    Ok((0..variants.len()).map(tree).collect())
}
