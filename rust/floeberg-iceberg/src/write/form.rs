//! What is the same for all files of a write?
//!
//! In: a recipe. Out: how rows are partitioned and stored, where files go, when they end and what is said of them.
//!
//! Invariant: all that can be wrong with a recipe is found here.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use floeberg_core::Result;
use floeberg_core::schema::arrow::schema_to_arrow;

use super::WriteRecipe;
use super::locations::Locations;
use super::metrics::Modes;
use super::parquet::FileForm;
use super::sort::SortKeys;
use super::split::Splitting;

const MIB: u64 = 1 << 20;

/// How rows become files.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The form in which batches are given.
    pub rows: SchemaRef,
    pub splitting: Arc<Splitting>,
    /// `None` where rows are in no order.
    pub keys: Option<Arc<SortKeys>>,
    pub file: Arc<FileForm>,
    pub locations: Locations,
    /// Compressed bytes at which a file ends.
    pub file_size: u64,
}

impl Form {
    /// Errors: those of [`WriteRecipe::new`].
    pub fn new(recipe: &WriteRecipe) -> Result<Self> {
        let WriteRecipe { schema, spec, order, properties, .. } = recipe;
        let modes = Modes::new(properties, schema, order)?;
        let keys = SortKeys::new(order, schema)?.map(Arc::new);
        let kept = keys.is_some().then_some(order);
        Ok(Self {
            rows: Arc::new(schema_to_arrow(schema)?),
            splitting: Arc::new(Splitting::new(spec, schema)?),
            keys,
            file: Arc::new(FileForm::new(schema, properties, modes, kept)?),
            locations: Locations::new(&recipe.location, properties)?,
            file_size: properties.positive("write.target-file-size-bytes", 512 * MIB)?,
        })
    }
}
