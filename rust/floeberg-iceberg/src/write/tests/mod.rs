#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod avro;
mod copied_groups;
mod delete_fixture;
mod equality;
mod failures;
mod fixture;
mod layout;
mod metrics;
mod partitions;
mod positions;
mod recipes;
mod rows;
mod shredding;
mod sorting;
mod own_order;
mod third_format;
mod types;
mod variant_bounds;
mod vectors;
