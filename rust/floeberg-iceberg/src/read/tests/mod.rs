#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod avro;
mod avro_fixture;
mod avro_types;
mod damage;
mod deletes;
mod equality;
mod equality_memory;
mod equality_property;
mod evolution;
mod filters;
pub(super) mod fixture;
mod pruning;
mod row_groups;
mod types;
