#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod avro;
pub(crate) mod avro_fixture;
mod avro_types;
mod bloom;
mod damage;
mod defaults;
mod delete_files;
mod deleted_words;
mod deletes;
mod equality;
mod equality_memory;
mod equality_property;
mod evolution;
mod filters;
pub(crate) mod fixture;
mod legacy_lists;
mod listed;
mod metadata_columns;
mod other_writers;
mod promotion_property;
mod pruning;
mod row_groups;
mod stored_forms;
mod types;
mod variant;
#[path = "../../../../floeberg-core/src/variant/tests/model.rs"]
#[allow(dead_code)]
pub(crate) mod variant_model;
