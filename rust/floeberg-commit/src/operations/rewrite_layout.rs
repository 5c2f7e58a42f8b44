//! How are the rows of data files written again?
//!
//! In: what a user wants, and a table. Out: the order of the rows, and the partition spec of the files.
//! Spec: Sorting; Partition Evolution.
//!
//! Invariant: files say a sort order of the table only where they are in that order.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::transform::Transform;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{
    DeclaredOrder, PartitionSpec, SortOrder, TableMetadata, build_sort_order, z_order_columns,
};
use floeberg_iceberg::write::{RowOrder, WriteRecipe, ZOrder};
use floeberg_io::StoreOptions;
use floeberg_io::random::random_uuid;
use floeberg_properties::TARGET_FILE_SIZE;

use super::rewrite::{Rewrite, RewriteSort};

/// The id of the unsorted order.
const UNSORTED: i32 = 0;

/// How many bytes a value of variable length gives to a z-order, if nobody says it: as many as a number.
const VARIABLE_BYTES: usize = 8;

/// How rows are written again.
#[derive(Debug, Clone)]
pub(crate) struct RewriteLayout {
    options: BTreeMap<String, String>,
    order: Option<RowOrder>,
    spec: Arc<PartitionSpec>,
    encode_all_rows: bool,
}

impl RewriteLayout {
    /// The recipe of files that are written again, with a name of their own, in a store that other processes open with these options.
    ///
    /// Errors: those of [`WriteRecipe::new`].
    pub fn recipe(&self, metadata: &TableMetadata, storage: &StoreOptions) -> Result<WriteRecipe> {
        let recipe = WriteRecipe::new(metadata, storage, &self.options, &random_uuid())?;
        let recipe = recipe.with_spec(&self.spec).map_err(|error| match error.kind() {
            // Its source column was dropped: the table is as it should be.
            ErrorKind::InvalidData => Error::invalid_input(format!(
                "no file can be written by partition spec {} any more",
                self.spec.spec_id
            ))
            .caused_by(error),
            _ => error,
        })?;
        match &self.order {
            None if !self.encode_all_rows && self.names_size_alone() => Ok(recipe.with_copied_groups()),
            None => Ok(recipe),
            Some(order) => recipe.with_order(order.clone()),
        }
    }

    /// Do the options name nothing but the size of files? Others, such as a codec, ask for rows that are encoded anew.
    fn names_size_alone(&self) -> bool {
        let of_size = ["target-file-size-bytes", TARGET_FILE_SIZE.name];
        self.options.keys().all(|name| of_size.contains(&name.as_str()))
    }

    /// Equal texts mean equal files, of equal rows.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.spec.spec_id, self.order)
    }
}

impl Rewrite {
    /// Checks that the table can be written so, in a store with these options.
    ///
    /// Errors: `InvalidInput` for a column or a spec that does not exist, an order that the table does not have, and a z-order of
    /// columns that are the same in all rows of a partition; `Unsupported` for a column that has no order, and for what cannot be
    /// written.
    pub fn check(&self, metadata: &TableMetadata, storage: &StoreOptions) -> Result<()> {
        self.layout(metadata)?.recipe(metadata, storage).map(drop)
    }

    /// How rows are written again. Errors: those of [`Rewrite::check`].
    pub(crate) fn layout(&self, metadata: &TableMetadata) -> Result<RewriteLayout> {
        let spec = match self.output_spec_id {
            None => metadata.default_spec(),
            Some(id) => metadata.partition_specs.iter().find(|spec| spec.spec_id == id).ok_or_else(|| {
                let known: Vec<_> = metadata.partition_specs.iter().map(|spec| spec.spec_id).collect();
                Error::invalid_input(format!(
                    "the table has no partition spec {id} to write files by, it has {known:?}"
                ))
            })?,
        };
        let order = self.sort.as_ref().map(|sort| sort.order_of(metadata, spec)).transpose()?;
        let options = self.options.clone();
        Ok(RewriteLayout { options, order, spec: Arc::clone(spec), encode_all_rows: self.encode_all_rows })
    }
}

impl RewriteSort {
    fn order_of(&self, metadata: &TableMetadata, spec: &PartitionSpec) -> Result<RowOrder> {
        let (schema, version) = (metadata.current_schema(), metadata.format_version);
        let order = match self.declared()? {
            None => {
                let order = metadata.default_sort_order();
                if order.fields.is_empty() {
                    return Err(Error::invalid_input(
                        "rows cannot be sorted: the table has no sort order, and none is given",
                    ));
                }
                SortOrder::clone(order)
            }
            Some(DeclaredOrder::ZOrder(columns)) => {
                let named = z_order_columns(schema, &columns, self.case_sensitive)?;
                let constant: HashSet<i32> = spec
                    .fields
                    .iter()
                    .filter(|field| field.transform == Transform::Identity)
                    .flat_map(|field| field.source_ids.iter().copied())
                    .collect();
                let column_ids: Vec<_> = named.into_iter().filter(|id| !constant.contains(id)).collect();
                if column_ids.is_empty() {
                    return Err(Error::invalid_input(
                        "a z-order needs a column that is no partition column: these are the same in all rows of a partition",
                    ));
                }
                let variable_bytes = self.variable_bytes.unwrap_or(VARIABLE_BYTES);
                let key_bytes = self.key_bytes.unwrap_or(usize::MAX);
                return Ok(RowOrder::ZOrder(ZOrder { column_ids, variable_bytes, key_bytes }));
            }
            Some(DeclaredOrder::Sort(fields)) if fields.is_empty() => {
                return Err(Error::invalid_input(
                    "rows cannot be sorted: the sort order that is given has no field",
                ));
            }
            Some(DeclaredOrder::Sort(fields)) => {
                let known = &metadata.sort_orders;
                let order = build_sort_order(schema, known, &fields, version, self.case_sensitive)?;
                let is_known = known.iter().any(|known| known.order_id == order.order_id);
                SortOrder { order_id: if is_known { order.order_id } else { UNSORTED }, ..order }
            }
        };
        if self.variable_bytes.is_some() || self.key_bytes.is_some() {
            return Err(Error::invalid_input(
                "the options var-length-contribution and max-output-size are those of a z-order, found a sort order",
            ));
        }
        Ok(RowOrder::Sort(order))
    }
}
