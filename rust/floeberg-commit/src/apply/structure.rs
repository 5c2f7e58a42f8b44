//! How is a table partitioned and sorted after a commit?
//!
//! Spec: Partitioning; Partition Evolution; Sorting; Appendix C, Partition Specs and Sort Orders.
//!
//! Invariant: a spec or an order that exists already is not added again; one with an unknown transform of one column is refused.

use std::sync::Arc;

use floeberg_core::transform::Transform;
use floeberg_core::{Context as _, Error, Result};
use floeberg_iceberg::metadata::{PartitionField, PartitionSpec, SortOrder, are_equal};

use super::builder::TableMetadataBuilder;
use super::schemas::{named, next_id};

/// v1 counts partition field ids from here in each spec.
const FIRST_FIELD_ID: i32 = 1000;

impl TableMetadataBuilder {
    pub(super) fn add_spec(&mut self, spec: &PartitionSpec) -> Result<()> {
        let known = self.metadata.partition_specs.iter().find(|known| are_equal(&known.fields, &spec.fields));
        let id = if let Some(known) = known {
            known.spec_id
        } else {
            self.check_spec(spec)?;
            let metadata = &mut self.metadata;
            let spec_id = next_id(metadata.partition_specs.iter().map(|known| known.spec_id))?;
            let highest = spec.fields.iter().map(|field| field.field_id).max();
            metadata.last_partition_id = metadata.last_partition_id.max(highest.unwrap_or(0));
            metadata.partition_specs.push(Arc::new(PartitionSpec { spec_id, ..spec.clone() }));
            spec_id
        };
        self.last_added.spec = Some(id);
        Ok(())
    }

    /// Errors: `Unsupported` for an unknown transform of one column; `InvalidInput` for one that does not fit its columns, and
    /// for ids that v1 cannot keep. Fields that an older spec has stay as they are.
    fn check_spec(&self, spec: &PartitionSpec) -> Result<()> {
        let known = || self.metadata.partition_specs.iter().flat_map(|known| &known.fields);
        for field in &spec.fields {
            let is_same = |known: &PartitionField| {
                known.field_id == field.field_id
                    && known.source_ids == field.source_ids
                    && known.transform == field.transform
            };
            if !known().any(is_same) {
                let (sources, version) = (field.source_ids.len(), self.metadata.format_version);
                check_sources(&field.transform, sources, version, "a partition spec")
                    .context("partition field", &field.name)?;
            }
        }
        let types = spec.partition_type(&self.metadata).map_err(|error| as_input(&error))?;
        drop(types);
        let is_counted = spec.fields.iter().zip(FIRST_FIELD_ID..).all(|(field, id)| field.field_id == id);
        if self.metadata.format_version == 1 && !is_counted {
            return Err(Error::invalid_input(
                "format version 1 numbers partition fields from 1000 on, without gaps",
            ));
        }
        Ok(())
    }

    pub(super) fn set_default_spec(&mut self, id: i32) -> Result<()> {
        let id = named(id, self.last_added.spec, "partition spec")?;
        self.metadata.choose_spec(id)
    }

    pub(super) fn remove_specs(&mut self, ids: &[i32]) -> Result<()> {
        let default = self.metadata.default_spec_id;
        if ids.contains(&default) {
            return Err(Error::invalid_input(format!(
                "partition spec {default} is the default and cannot be removed"
            )));
        }
        self.metadata.partition_specs.retain(|spec| !ids.contains(&spec.spec_id));
        Ok(())
    }

    pub(super) fn add_sort_order(&mut self, order: &SortOrder) -> Result<()> {
        let metadata = &mut self.metadata;
        let known = metadata.sort_orders.iter().find(|known| known.fields == order.fields);
        let id = if let Some(known) = known {
            known.order_id
        } else {
            for field in &order.fields {
                let sources = field.source_ids.len();
                check_sources(&field.transform, sources, metadata.format_version, "a sort order")?;
            }
            // Order 0 is the one without fields.
            let next = next_id(metadata.sort_orders.iter().map(|known| known.order_id))?.max(1);
            let order_id = if order.fields.is_empty() { 0 } else { next };
            metadata.sort_orders.push(Arc::new(SortOrder { order_id, ..order.clone() }));
            order_id
        };
        self.last_added.sort_order = Some(id);
        Ok(())
    }

    pub(super) fn set_default_sort_order(&mut self, id: i32) -> Result<()> {
        let id = named(id, self.last_added.sort_order, "sort order")?;
        self.metadata.choose_sort_order(id)
    }
}

fn as_input(error: &Error) -> Error {
    let told = Error::invalid_input(error.message());
    error.context().iter().fold(told, |told, (key, value)| told.with(key, value))
}

/// Errors: `Unsupported` for an unknown transform of one column; `InvalidInput` for several columns where one is expected.
fn check_sources(transform: &Transform, sources: usize, format_version: u8, place: &str) -> Result<()> {
    match (transform, sources) {
        (Transform::Unknown(name), 1) => {
            Err(Error::unsupported(format!("unknown transform {name}: it cannot be used in {place}")))
        }
        (_, 1) | (Transform::Void, _) => Ok(()),
        (Transform::Unknown(_), _) if format_version >= 3 => Ok(()),
        (transform, _) => Err(Error::invalid_input(format!(
            "{transform} of several columns cannot be used in {place} of format version {format_version}"
        ))),
    }
}
