//! What do all ORC files of a write have in common?
//!
//! In: a schema and properties. Out: the types of the files, and how they are stored.
//! Spec: Appendix A, ORC.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_files::{DeleteType, LayoutRequest, Modes};
use floeberg_orc::write::OrcShape;

use super::options::{Options, bloom_columns};

/// About how many bytes of memory a column of an open file takes, beside its values: buffers of its streams and of its codec.
const COLUMN_MEMORY: u64 = 64 << 10;

/// How rows are stored.
#[derive(Debug)]
pub(super) struct OrcLayout {
    /// The types of the files.
    pub(super) shape: Arc<OrcShape>,
    /// Encoded bytes at which a stripe ends.
    pub(super) stripe_size: u64,
    /// The metrics to keep.
    pub(super) modes: Modes,
    /// How many columns there are, parts of others among them.
    columns: u64,
}

impl OrcLayout {
    /// The layout that a request asks for. Errors: `InvalidInput` for invalid properties, `Unsupported` for types that cannot be
    /// written.
    pub(super) fn new(request: &LayoutRequest<'_>) -> Result<Self> {
        let options = Options::new(request.properties)?;
        let entries = request.deletes.iter().flat_map(DeleteType::entries);
        let metadata = entries.map(|(key, value)| (key.to_owned(), value)).collect();
        let bloom = bloom_columns(request.properties, request.schema);
        let fields = request.schema.fields();
        let shape = OrcShape::new(fields, options.codec, bloom, options.wrong_share, metadata)?;
        Ok(Self {
            columns: shape.column_count() as u64,
            shape: Arc::new(shape),
            stripe_size: options.stripe_size,
            modes: request.modes.clone(),
        })
    }

    /// About how many bytes of memory an open file takes, beside its values.
    pub(super) fn memory(&self) -> u64 {
        self.columns.saturating_mul(COLUMN_MEMORY)
    }
}
