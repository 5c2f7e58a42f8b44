//! The equality deletes of one task.
//!
//! In: a task whose deletes the planner chose. Out: sets of keys, and the delete files without room in one.
//! Spec: Scan Planning (scope of equality deletes).
//!
//! Invariant: deletes of different key columns or scopes are never mixed.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::transform::Transform;
use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{Context, Error, Result};

use super::cache::{KeyCache, KeySet, SetName};
use super::key_column::KeyColumn;
use crate::plan::{DeleteFile, DeleteKind, FileScanTask};
use crate::read::ReadRequest;

/// The keys that are compared with the rows of a task.
#[derive(Debug, Default)]
pub(crate) struct TaskKeys {
    /// Sets that are shared with other tasks.
    pub(super) sets: Vec<(Vec<KeyColumn>, Arc<KeySet>)>,
    /// Delete files to apply in parts.
    pub(super) unshared: Vec<(Vec<KeyColumn>, Vec<Arc<DeleteFile>>)>,
}

impl TaskKeys {
    /// Loads the equality deletes of a task.
    pub(crate) fn load(request: &ReadRequest, cache: &KeyCache, task: &FileScanTask) -> Result<Self> {
        let mut files: BTreeMap<(Vec<i32>, bool), Vec<Arc<DeleteFile>>> = BTreeMap::new();
        for delete in &task.deletes {
            let DeleteKind::Equality { equality_ids } = &delete.kind else { continue };
            let mut ids = equality_ids.clone();
            ids.sort_unstable();
            ids.dedup();
            let everywhere = is_global(request, delete).context("delete_file", &delete.file_path)?;
            files.entry((ids, everywhere)).or_default().push(Arc::clone(delete));
        }
        let mut loaded = Self::default();
        for ((ids, everywhere), deletes) in files {
            let columns = ids.iter().map(|id| KeyColumn::find(&request.key_schemas, *id));
            let columns: Vec<_> =
                columns.collect::<Result<_>>().context("delete_file", &deletes[0].file_path)?;
            // The planner gives a task the deletes of all partitions and of its own.
            let partition = (!everywhere).then(|| (task.spec_id, partition_key(request, task, &deletes)));
            let set = cache.set(SetName { ids, partition }, &columns);
            let set = set.context("delete_file", &deletes[0].file_path)?;
            let left = set.load(request, cache, deletes)?;
            if !left.is_empty() {
                loaded.unshared.push((columns.clone(), left));
            }
            loaded.sets.push((columns, set));
        }
        Ok(loaded)
    }
}

/// The partition whose deletes are loaded together. For an unknown transform, a null may stand for a value that only planning
/// knew: then the deletes themselves distinguish partitions.
fn partition_key(request: &ReadRequest, task: &FileScanTask, deletes: &[Arc<DeleteFile>]) -> PartitionKey {
    let fields = request.specs.get(&task.spec_id).map_or(&[][..], |spec| &spec.fields);
    let is_void =
        |id: i32| fields.iter().any(|field| field.field_id == id && field.transform == Transform::Void);
    let is_certain = task.partition.iter().all(|(id, value)| value.is_some() || is_void(*id));
    let names = deletes.iter().filter(|_| !is_certain).map(|delete| Value::String(delete.file_path.clone()));
    let names: Vec<_> = names.collect();
    let values = task.partition.iter().map(|(_, value)| value.as_ref());
    PartitionKey::new(values.chain(names.iter().map(Some)))
}

/// Is a delete for all partitions?
fn is_global(request: &ReadRequest, delete: &DeleteFile) -> Result<bool> {
    match request.specs.get(&delete.spec_id) {
        Some(spec) => Ok(spec.is_unpartitioned()),
        None if delete.partition.is_empty() => Ok(true),
        None => Err(Error::invalid_data(format!(
            "the delete file has partition spec {}, which the table does not have",
            delete.spec_id
        ))),
    }
}
