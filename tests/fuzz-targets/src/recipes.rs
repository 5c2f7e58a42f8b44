//! Recipes: what a worker gets.

use floeberg_iceberg::GroupRecipe;

use crate::judge::decoded;

/// Longer recipes have more tasks, and none of another kind.
const LONGEST: usize = 1 << 16;

/// A recipe is written and read as the same. Nothing is opened: bytes name any location.
pub(crate) fn recipe(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(first) = decoded(GroupRecipe::from_bytes(bytes)) else { return };
    let written = first.to_bytes().unwrap_or_else(|error| panic!("what was read is written: {error}"));
    let second = GroupRecipe::from_bytes(&written).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(first.read().projected(), second.read().projected());
    assert_eq!(second.to_bytes().expect("what was read is written"), written);
}
